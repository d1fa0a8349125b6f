import { countedInParts, mappedInParts, type Parts } from '../../lib/parts.ts';
import { ABBREVIATIONS, SEALED_WORDS, SMALL_WORDS, TYPE_WORDS } from './abbreviations.ts';
import {
  aboutTokens,
  colours,
  faceNames,
  fullNames,
  listedOfFaces,
  nameTokens,
  numberDigits,
  numberTokens,
  type SearchEntry,
  types,
} from './entries.ts';
import { either as eitherFound, type Found, ofProducts, ofVariants, restricted } from './found.ts';
import { NameSpeller } from './name-speller.ts';
import { cardNumberKey, fold, wordsOf } from './normalise.ts';
import { type Printings, type Reading, respeltUnits } from './printings.ts';
import type { TextNode } from './query.ts';
import {
  besidePrinting,
  bestRank,
  either,
  improve,
  improveAll,
  improveEvery,
  NO_MATCH,
  noMatches,
  RANK,
  type Ranks,
  sum,
  worsen,
  worsenAll,
} from './ranks.ts';
import { respell } from './respelling.ts';
import { Speller } from './spelling.ts';
import { TokenIndex, type TokenRange } from './token-index.ts';

/** What a word costs in a document. */
interface Costs {
  name: number;
  /** More, where it is but the beginning of a word. */
  beginning: number;
  /** Where it describes the card, and is not in its name. */
  about: number;
}
/** Some whole words about the card are better than one that is but begun. */
const EXACT: Costs = { name: 0, beginning: 20, about: 2 };
/** Words that all say of what sort a card is, as in `ice attack action`, are better about the card than in its name. */
const DESCRIBING: Costs = { name: 2, beginning: 20, about: 0 };
const CLOSE = {
  name: 0,
  beginning: 1,
  about: 2,
  slip: 8,
  /** Two words typed as one, or one as two. */
  space: 4,
  /** A small word that is not there. */
  missingSmallWord: 4,
  /** A name of more words than were typed. */
  longerName: 1,
} as const satisfies Costs & Record<string, number>;

/** Matches that cost more than the best one by above a slip are left out. */
const CLOSE_ENOUGH = CLOSE.slip;

/** What counts as little, so that a misspelt word may be meant although others begin so. */
const FEW = 10;

const MOST_PIECES = 4;
const SHORTEST_PIECE = 2;
const LONGEST_SPLIT = 40;
const LONGEST_ABBREVIATION = 3;
const ATTACK_ACTION = 'aa';

/** A sealed product that is larger comes after the smaller one, a card with two sides after one that is nothing else. */
const HANDICAP = { Pack: 0, Box: 1, Case: 2, twoSides: 1 } as const;
/** What a card is worse by than a sealed product where words for such are among others: more than any case is. */
const BESIDE_SEALED = 3;
const SEALED_KINDS = new Set(SEALED_WORDS.values());

/** Plain words and phrases over the names, numbers and descriptive fields of the entries. */
export class TextSearch {
  readonly #size: number;
  readonly #printings: Printings;
  #names!: TokenIndex;
  #about!: TokenIndex;
  #numbers!: TokenIndex;
  /** The digits of the numbers, without leading zeros. */
  #digits!: TokenIndex;
  /** Whole names as tokens. */
  #fullNames!: TokenIndex;
  #printedNames!: readonly string[];
  #faces!: TokenIndex;
  #handicaps!: Uint8Array;
  #besideSealed!: Uint8Array;
  #nameLengths!: Uint8Array;
  #nameSpeller!: Speller;
  #aboutSpeller!: Speller;
  #wholeNameSpeller!: NameSpeller;
  /** Words of classes, talents, types and colours. */
  readonly #descriptors = new Set<string>();

  private constructor(size: number, printings: Printings) {
    this.#size = size;
    this.#printings = printings;
  }

  static *of(entries: readonly SearchEntry[], printings: Printings): Parts<TextSearch> {
    const text = new TextSearch(entries.length, printings);
    text.#names = yield* TokenIndex.of(entries, nameTokens);
    text.#about = yield* TokenIndex.of(entries, aboutTokens());
    text.#numbers = yield* TokenIndex.of(entries, numberTokens);
    text.#digits = yield* TokenIndex.of(entries, numberDigits);
    text.#fullNames = yield* TokenIndex.of(entries, fullNames);
    text.#printedNames = yield* mappedInParts(entries, ({ name }) => fold(name));
    text.#faces = yield* TokenIndex.of(entries, faceNames);
    text.#handicaps = Uint8Array.from(yield* mappedInParts(entries, handicapOf));
    text.#besideSealed = Uint8Array.from(
      yield* mappedInParts(entries, ({ sealedProductType }) => (sealedProductType ? 0 : BESIDE_SEALED)),
    );
    text.#nameLengths = Uint8Array.from(yield* mappedInParts(entries, ({ name }) => wordsOf(name).length));
    text.#nameSpeller = yield* Speller.of(text.#names.tokens);
    text.#aboutSpeller = yield* Speller.of(text.#about.tokens);
    text.#wholeNameSpeller = yield* NameSpeller.of(text.#fullNames.tokens);
    yield* countedInParts(entries.length, (document) => {
      for (const word of descriptors(entries[document]!)) text.#descriptors.add(word);
    });
    return text;
  }

  /** Close spellings count where little is found, and nothing that has all the words as they are. */
  rankText({ words, wholeWords }: TextNode): Found {
    const typed = words.map(({ text }) => text);
    if (wholeWords) return this.#wholeWords(typed);
    const exact = this.#exact(typed);
    return isLittle(exact.ranks) ? this.#either(exact, this.#closest(typed)) : exact;
  }

  rankPhrase(words: readonly string[]): Found {
    const ranks = noMatches(this.#size);
    this.#names.eachWithPhrase(words, false, (document) => improve(ranks, document, RANK.words));
    this.#about.eachWithPhrase(words, false, (document) =>
      improve(ranks, document, RANK.words + EXACT.about),
    );
    this.#improveByWholeName(ranks, words.join(' '));
    const kinds = this.#printings.kindsCalled(words.join(' '));
    if (kinds === null) return ofProducts(ranks);
    return this.#either(this.#ofKinds(kinds), ofProducts(ranks));
  }

  rankExactName(words: readonly string[]): Ranks {
    const ranks = noMatches(this.#size);
    for (const names of [this.#fullNames, this.#faces]) {
      improveAll(ranks, names.documentsWith(words.join(' ')), 0);
    }
    return ranks;
  }

  /** Matches in the name alone; of the last word its beginning will do. */
  rankName(words: readonly string[]): Ranks {
    const ranks = noMatches(this.#size);
    this.#names.eachWithPhrase(words, true, (document) => improve(ranks, document, 0));
    return ranks;
  }

  /** A card number, its digits alone in whatever set, or the beginning of a number. */
  rankNumber(text: string): Ranks {
    const ranks = noMatches(this.#size);
    const key = cardNumberKey(text);
    if (key !== null && this.#numbers.has(key)) improveAll(ranks, this.#numbers.documentsWith(key), 0);
    else if (/^\d+$/.test(text)) improveAll(ranks, this.#digits.documentsWith(String(Number(text))), 0);
    else improveAll(ranks, this.#numbers.documentsWithBeginning(text), 0);
    return ranks;
  }

  /**
   * The words as a product that matches them spells them, one for each that was typed ('' for one too many); null when
   * they are right as they are, or too far off to be put right.
   */
  respelt(node: TextNode, document: number): string[] | null {
    const rank = this.rankText(node).ranks.values[document]!;
    if (rank < RANK.close || rank === NO_MATCH) return null;
    const typed = node.words.map(({ text }) => text);
    const tokens = [...this.tokensOf(document), ...this.#printings.wordsOf(document)];
    const spelt = respell(typed, tokens, (word) => this.#pieces(word)) ?? this.#respeltName(typed, document);
    if (spelt === null) return null;
    const words = spelt.flatMap((word) => (word === '' ? [] : word.split(' ')));
    return this.#exact(words).ranks.values[document] === NO_MATCH ? null : spelt;
  }

  /** The words of its name and about it. */
  tokensOf(document: number): string[] {
    return [...this.#names.tokensOf(document), ...this.#about.tokensOf(document)];
  }

  /** What is printed on the product for each of these, in folded words. */
  printed(document: number): { name: string; numbers: readonly string[] } {
    return { name: this.#printedNames[document]!, numbers: this.#numbers.tokensOf(document) };
  }

  /** The products with a name that begins with the words, and those with a word behind the first that does so. */
  namedLike(words: readonly string[]): { beginning: Uint32Array; within: number[] } {
    const within: number[] = [];
    this.#names.eachWithPhrase(words, true, (document) => within.push(document));
    return { beginning: this.#fullNames.documentsWithBeginning(words.join(' ')), within };
  }

  #wholeWords(words: readonly string[]): Found {
    const whole = (typed: readonly string[]) =>
      this.#allWords(typed, (word) => this.#whole(word, EXACT)) ?? noMatches(this.#size);
    return this.#withReadings(words, whole(words), this.#printings.readings(words), whole);
  }

  #exact(words: readonly string[]): Found {
    const code = this.#printings.withCode(withoutBack(words));
    if (code !== undefined && !this.#numbers.has(words.join(''))) return this.#oneVariant(code);
    const typed = this.#withTypes(withoutBack(words));
    const ranks = this.#exactRanks(typed);
    // A name that begins with all the words is meant, and no part of it for the printing.
    if (typed.length > 1 && bestRank(ranks) < RANK.beginningOfWord) return ofProducts(ranks);
    return this.#withReadings(typed, ranks, this.#printings.readings(typed), (rest) =>
      this.#exactRanks(rest),
    );
  }

  #closest(words: readonly string[]): Found {
    const isKnown = (word: string) => this.#names.has(word) || this.#about.has(word);
    const typed = this.#withTypes(withoutBack(words));
    const units = respeltUnits(typed, isKnown);
    const ranks = this.#printings.hasUnit(units, isKnown) ? noMatches(this.#size) : this.#closeRanks(typed);
    const found = this.#withReadings(typed, ranks, this.#printings.readings(units), (rest) => {
      const exact = this.#exactRanks(rest);
      return isLittle(exact) ? either(exact, this.#closeRanks(rest)) : exact;
    });
    if (units.join(' ') !== typed.join(' ')) asClose(found.ranks);
    return found;
  }

  /** `aa` beside a class, talent, type or colour, or alone, is the attack action; beside a name the alternate art. */
  #withTypes(words: readonly string[]): readonly string[] {
    if (!words.includes(ATTACK_ACTION)) return words;
    const isType = words.every((word) => word === ATTACK_ACTION || this.#descriptors.has(word));
    return isType ? words.flatMap((word) => (word === ATTACK_ACTION ? ['attack', 'action'] : word)) : words;
  }

  #withReadings(
    words: readonly string[],
    ranks: Ranks,
    readings: readonly Reading[],
    rank: (rest: readonly string[]) => Ranks,
  ): Found {
    const found = ofProducts(ranks);
    if (words.length === 0) return found;
    return readings
      .map((reading) => this.#printed(reading, rank))
      .reduce((a, b) => this.#either(a, b), found);
  }

  /** What is of these kinds, and matches the other words. */
  #printed({ kinds, rest }: Reading, rank: (rest: readonly string[]) => Ranks): Found {
    if (rest.length === 0) return this.#ofKinds(kinds);
    const ranks = rank(rest);
    for (const document of ranks.matches) ranks.values[document] = besidePrinting(ranks.values[document]!);
    return restricted(ranks, this.#printings.variantsOf(kinds), this.#printings.starts);
  }

  #ofKinds(kinds: Uint8Array): Found {
    return ofVariants(this.#printings.variantsOf(kinds), this.#printings.starts, RANK.beginning - 1);
  }

  #oneVariant(variant: number): Found {
    const variants = new Uint8Array(this.#printings.size);
    variants[variant] = 1;
    return ofVariants(variants, this.#printings.starts, RANK.number);
  }

  #either(a: Found, b: Found): Found {
    return eitherFound(a, b, this.#printings.starts);
  }

  #respeltName(typed: readonly string[], document: number): string[] | null {
    const [name] = this.#wholeNameSpeller
      .closeTo(typed.join(''))
      .filter(({ position }) => this.#fullNames.documents(position).includes(document))
      .map(({ position }) => this.#fullNames.tokens[position]!);
    if (name === undefined || name.split(' ').includes('or')) return null;
    return [name, ...typed.slice(1).map(() => '')];
  }

  #exactRanks(words: readonly string[]): Ranks {
    let ranks = this.#exactReading(words);
    const full = writtenOut(words);
    if (full !== null) ranks = either(ranks, this.#exactReading(full));
    // Elsewhere "and" is an operator; here it is, where it is no word.
    const apart = words.filter((word) => word !== 'and');
    if (apart.length === words.length || apart.length === 0 || ranks.matches.length > 0) return ranks;
    return this.#exactReading(apart);
  }

  #exactReading(words: readonly string[]): Ranks {
    const isDescription = words.length > 1 && words.every((word) => this.#descriptors.has(word));
    const each = isDescription ? DESCRIBING : EXACT;
    const costs = this.#allWords(words, (word) => this.#begun(word, each));
    if (costs && words.some((word) => SEALED_KINDS.has(word))) worsen(costs, this.#besideSealed);
    if (costs) worsenAll(costs, RANK.words, RANK.close - 1);
    const ranks = costs ?? noMatches(this.#size);
    this.#improveByWholeName(ranks, words.join(' '));
    return ranks;
  }

  #improveByWholeName(ranks: Ranks, text: string): void {
    const names = this.#fullNames;
    const begun = names.startingWith(text);
    if (begun.from < begun.to) {
      this.#improveByBeginning(ranks, begun, RANK.beginningOfWord);
      this.#improveByBeginning(ranks, names.startingWith(`${text} `, begun), RANK.beginning);
      for (const document of names.documentsIn(names.exactly(text, begun))) {
        improve(ranks, document, this.#printedNames[document] === text ? RANK.name : RANK.colouredName);
      }
    }
    improveAll(ranks, this.#faces.documentsWith(text), RANK.face);
    const number = cardNumberKey(text);
    if (number === null) return;
    for (const document of this.#numbers.documentsWith(number)) {
      const isMain = this.#numbers.tokensOf(document).indexOf(number) < 2;
      improve(ranks, document, isMain ? RANK.number : RANK.name);
    }
  }

  #improveByBeginning(ranks: Ranks, names: TokenRange, rank: number): void {
    const documents = this.#fullNames.documentsIn(names);
    for (let i = 0; i < documents.length; i++) {
      improve(ranks, documents[i]!, rank + this.#handicaps[documents[i]!]!);
    }
  }

  #closeRanks(words: readonly string[]): Ranks {
    if (words.length === 0) return noMatches(this.#size);
    const costs = this.#allWords(words, (word) => this.#close(word), CLOSE.space) ?? noMatches(this.#size);
    if (bestRank(costs) > CLOSE.slip + CLOSE.space) {
      for (const { position, slips } of this.#wholeNameSpeller.closeTo(words.join(''))) {
        improveAll(costs, this.#fullNames.documents(position), slips * CLOSE.slip);
      }
    }
    const most = bestRank(costs) + CLOSE_ENOUGH;
    const ranks = noMatches(this.#size);
    for (const document of costs.matches) {
      const isLonger = this.#nameLengths[document]! > words.length;
      const cost = costs.values[document]! + (isLonger ? CLOSE.longerName : 0);
      if (cost <= most) improve(ranks, document, Math.min(RANK.close + cost, NO_MATCH - 1));
    }
    return ranks;
  }

  /** What all the words cost together, where each may also be one with the next; null where nothing matches. */
  #allWords(words: readonly string[], costOf: (word: string) => Ranks | null, space = 0): Ranks | null {
    let beforeLast: Ranks | null = null;
    let last = costOf(words[0]!);
    for (let i = 1; i < words.length; i++) {
      const apart = added(last, last && costOf(words[i]!));
      const costs =
        i > 1 && beforeLast === null ? null : this.#joined(words[i - 1]! + words[i]!, costOf, space);
      const joined = i === 1 ? costs : added(beforeLast, costs);
      beforeLast = last;
      last = apart && joined ? either(apart, joined) : (apart ?? joined);
    }
    if (last) worsen(last, this.#handicaps);
    return last;
  }

  #joined(word: string, costOf: (word: string) => Ranks | null, space: number): Ranks | null {
    // While nothing is misspelt, two words are one only where that is a word.
    if (space === 0 && !this.#names.has(word) && !this.#about.has(word) && !this.#numbers.has(word))
      return null;
    const costs = costOf(word);
    if (costs) worsenAll(costs, space);
    return costs;
  }

  #whole(word: string, costs: Costs): Ranks | null {
    const ranks = noMatches(this.#size);
    for (const [index, cost] of this.#indexes(costs)) {
      improveAll(ranks, index.documentsWith(word), cost);
    }
    return matching(ranks);
  }

  #begun(word: string, costs: Costs): Ranks | null {
    const ranks = noMatches(this.#size);
    for (const [index, cost] of this.#indexes(costs)) {
      const begun = index.startingWith(word);
      if (begun.from === begun.to) continue;
      improveAll(ranks, index.documentsIn(begun), cost + costs.beginning);
      improveAll(ranks, index.documentsIn(index.exactly(word, begun)), cost);
    }
    return matching(ranks);
  }

  #close(word: string): Ranks | null {
    const ranks = this.#begun(word, CLOSE) ?? noMatches(this.#size);
    for (const { position, slips } of this.#nameSpeller.closeTo(word)) {
      improveAll(ranks, this.#names.documents(position), slips * CLOSE.slip);
    }
    for (const { position, slips } of this.#aboutSpeller.closeTo(word)) {
      improveAll(ranks, this.#about.documents(position), slips * CLOSE.slip + CLOSE.about);
    }
    if (SMALL_WORDS.has(word)) improveEvery(ranks, CLOSE.missingSmallWord);
    const apart = this.#apart(word);
    return matching(apart === null ? ranks : either(ranks, apart));
  }

  /** The costs of a word that was typed without its spaces. */
  #apart(word: string): Ranks | null {
    const pieces = this.#pieces(word);
    if (pieces === null) return null;
    const costs = pieces.map((piece) => this.#whole(piece, CLOSE)).reduce(added);
    if (costs) worsenAll(costs, CLOSE.space * (pieces.length - 1));
    return costs;
  }

  /** The fewest words of names that make up a longer one, or null. */
  #pieces(word: string): string[] | null {
    if (word.length > LONGEST_SPLIT || this.#names.has(word)) return null;
    const best: (string[] | null)[] = [[]];
    for (let end = 1; end <= word.length; end++) {
      best[end] = null;
      for (let start = 0; start <= end - SHORTEST_PIECE; start++) {
        const before = best[start];
        const piece = word.slice(start, end);
        if (!before || before.length >= (best[end]?.length ?? MOST_PIECES + 1) - 1) continue;
        if (this.#names.has(piece)) best[end] = [...before, piece];
      }
    }
    return best[word.length]!;
  }

  #indexes(costs: Costs): [TokenIndex, number][] {
    return [
      [this.#names, costs.name],
      [this.#about, costs.about],
      [this.#numbers, costs.about],
    ];
  }
}

/** A few documents at most, in which some of the words are but the beginnings of others. */
function isLittle({ values, matches }: Ranks): boolean {
  return matches.length <= FEW && !matches.some((document) => isWhole(values[document]!));
}

/** The words as they are, and whole; but those that a name begins with may be but the beginning of its last one. */
function isWhole(rank: number): boolean {
  return rank < RANK.beginningOfWord || (rank >= RANK.words && rank - RANK.words < EXACT.beginning);
}

function asClose({ values, matches }: Ranks): void {
  for (const document of matches) {
    const rank = values[document]!;
    if (rank < RANK.close) values[document] = RANK.close + rank;
  }
}

function handicapOf(entry: SearchEntry): number {
  if (entry.sealedProductType !== null) return HANDICAP[entry.sealedProductType];
  return faceNames(entry).length > 0 ? HANDICAP.twoSides : 0;
}

function descriptors(entry: SearchEntry): string[] {
  const values = [
    listedOfFaces(entry, 'class'),
    listedOfFaces(entry, 'talent'),
    types(entry),
    colours(entry),
  ];
  return values.flat().flatMap((value) => value.split(' '));
}

/** The code of a back is that of its front, with this at the end. */
function withoutBack(words: readonly string[]): readonly string[] {
  const isCode = words.length > 1 && words.at(-1) === 'back' && /^[0-9a-z]+\d$/.test(words[0]!);
  return isCode ? words.slice(0, -1) : words;
}

function added(a: Ranks | null, b: Ranks | null): Ranks | null {
  return a && b && matching(sum(a, b));
}

function matching(ranks: Ranks): Ranks | null {
  return ranks.matches.length === 0 ? null : ranks;
}

/** The words with the abbreviations among them written out, or null where there is none. */
function writtenOut(words: readonly string[]): string[] | null {
  const result: string[] = [];
  let isShort = false;
  for (let from = 0; from < words.length; ) {
    const length = abbreviationAt(words, from);
    const typed = words.slice(from, from + (length || 1)).join(' ');
    result.push(...(fullOf(typed)?.split(' ') ?? [typed]));
    isShort ||= length > 0;
    from += length || 1;
  }
  return isShort ? result : null;
}

/** Of how many words the longest abbreviation is that starts here; 0 for none. */
function abbreviationAt(words: readonly string[], from: number): number {
  for (let length = LONGEST_ABBREVIATION; length > 0; length--) {
    if (fullOf(words.slice(from, from + length).join(' ')) !== undefined) return length;
  }
  return 0;
}

function fullOf(typed: string): string | undefined {
  if (typed === ATTACK_ACTION) return undefined;
  return ABBREVIATIONS.get(typed) ?? SEALED_WORDS.get(typed) ?? TYPE_WORDS.get(typed);
}
