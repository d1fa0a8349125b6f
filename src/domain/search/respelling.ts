import { SMALL_WORDS } from './abbreviations.ts';
import { isOfValues, type ValueField } from './field-search.ts';
import { fold } from './normalise.ts';
import type { FieldNode, QueryNode, SearchQuery, TextNode, Word } from './query.ts';
import { distance, slipsAllowed } from './spelling.ts';

/**
 * The typed words as the tokens of a product spell them, one for each ('' for one too many); null when they are the
 * same, or when a word is not close to any.
 */
export function respell(
  typed: readonly string[],
  tokens: readonly string[],
  piecesOf: (word: string) => string[] | null,
): string[] | null {
  const result: string[] = [];
  for (let i = 0; i < typed.length; i++) {
    const word = typed[i]!;
    const next = typed[i + 1];
    const closest = closestTo(word, tokens);
    const joined = next === undefined || closestTo(next, tokens) ? null : closestTo(word + next, tokens);
    const small = SMALL_WORDS.has(word) ? '' : null;
    const spelling = joined ?? closest ?? small ?? piecesOf(word)?.join(' ');
    // As a plain word it would be the operator.
    if (spelling === undefined || spelling.split(' ').includes('or')) return null;
    result.push(spelling);
    if (joined === null) continue;
    result.push('');
    i += 1;
  }
  const spelt = result.filter((word) => word !== '').join(' ');
  return spelt === '' || spelt === typed.join(' ') ? null : result;
}

/** The word itself where a token begins with it, otherwise the token with the fewest slips. */
function closestTo(word: string, tokens: readonly string[]): string | null {
  if (tokens.some((token) => token.startsWith(word))) return word;
  const most = slipsAllowed(word);
  let closest: string | null = null;
  let fewest = most + 1;
  for (const token of tokens) {
    const slips = distance(word, token, most);
    if (slips >= fewest) continue;
    [closest, fewest] = [token, slips];
  }
  return closest;
}

/** The source of a query with its plain words respelt, or null when none of them is. */
export function respeltSource(
  { source, root }: SearchQuery,
  respelt: (node: TextNode) => string[] | null,
): string | null {
  const replaced = textNodes(root).flatMap((node) => {
    const words = respelt(node);
    return words === null ? [] : runs(node.words, words);
  });
  if (replaced.length === 0) return null;
  let result = source;
  // From the end, so that the places before stay where they are.
  for (const { text, from, to } of replaced.sort((a, b) => b.from - a.from)) {
    result = result.slice(0, from) + text + result.slice(to);
  }
  // A word that is left out may leave its parentheses.
  return result
    .replace(/\(\s*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

type ValueNode = FieldNode & { field: ValueField };

/**
 * The source of a query with the closest known value in place of each that is not known, or null where all are known
 * or one is close to none.
 */
export function respeltValues(
  { source, root }: SearchQuery,
  isUnknown: (node: ValueNode) => boolean,
  valuesOf: (field: ValueField) => readonly string[],
): string | null {
  const unknown = valueNodes(root).filter(isUnknown);
  let result = source;
  for (const { field, from, to } of unknown.sort((a, b) => b.from - a.from)) {
    const closest = closestTyped(fold(source.slice(from, to)), valuesOf(field));
    if (closest === null) return null;
    result = result.slice(0, from) + (closest.includes(' ') ? `"${closest}"` : closest) + result.slice(to);
  }
  return result === source ? null : result;
}

/** A value, or else a word of one, as a filter takes either. */
function closestTyped(typed: string, values: readonly string[]): string | null {
  return (
    closestValue(typed, values) ??
    closestValue(typed, [...new Set(values.flatMap((value) => value.split(' ')))])
  );
}

/** With the fewest slips; of those, one with the same letters. */
function closestValue(typed: string, values: readonly string[]): string | null {
  const most = Math.max(slipsAllowed(typed.replaceAll(' ', '')), 1);
  const letters = (word: string) => [...word].sort().join('');
  const close = values
    .map((value) => ({ value, slips: distance(typed, value, most) }))
    .filter(({ slips }) => slips <= most)
    .sort(
      (a, b) =>
        a.slips - b.slips ||
        Number(letters(b.value) === letters(typed)) - Number(letters(a.value) === letters(typed)),
    );
  return close[0]?.value ?? null;
}

function valueNodes(node: QueryNode): ValueNode[] {
  if (node.kind === 'and' || node.kind === 'or') return node.parts.flatMap(valueNodes);
  if (node.kind === 'not') return valueNodes(node.part);
  return node.kind === 'field' && isOfValues(node.field) ? [node as ValueNode] : [];
}

/** What was typed without a space is replaced as one, where a word of it has changed. */
function runs(typed: readonly Word[], respelt: readonly string[]): Word[] {
  const result: Word[] = [];
  const changed = new Set(typed.filter(({ text }, i) => text !== respelt[i]).map(({ from }) => from));
  for (const [i, { from, to }] of typed.entries()) {
    const last = result.at(-1);
    if (last?.from === from) last.text = `${last.text} ${respelt[i]}`.trim();
    else result.push({ text: respelt[i]!, from, to });
  }
  return result.filter(({ from }) => changed.has(from));
}

function textNodes(node: QueryNode): TextNode[] {
  if (node.kind === 'and' || node.kind === 'or') return node.parts.flatMap(textNodes);
  return node.kind === 'text' && !node.wholeWords ? [node] : [];
}
