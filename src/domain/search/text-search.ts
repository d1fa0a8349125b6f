import { ABBREVIATIONS, SMALL_WORDS } from './abbreviations.ts';
import {
  aboutTokens,
  faceNames,
  fullNames,
  nameTokens,
  numberDigits,
  numberTokens,
  type SearchEntry,
} from './entries.ts';
import { cardNumberKey, fold, wordsOf } from './normalise.ts';
import type { TextNode } from './query.ts';
import {
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
import { TokenIndex } from './token-index.ts';

/** What a word costs in a document: nothing where it is a whole word of the name. */
interface Costs {
  /** Where it is but the beginning of a word. */
  beginning: number;
  /** Where it describes the card, and is not in its name. */
  about: number;
}
const EXACT: Costs = { beginning: 1, about: 8 };
const CLOSE = {
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

/** Plain words and phrases over the names, numbers and descriptive fields of the entries. */
export class TextSearch {
  readonly #size: number;
  readonly #names: TokenIndex;
  readonly #about: TokenIndex;
  readonly #numbers: TokenIndex;
  /** The digits of the numbers, without leading zeros. */
  readonly #digits: TokenIndex;
  /** Whole names as tokens. */
  readonly #fullNames: TokenIndex;
  readonly #printedNames: readonly string[];
  readonly #faces: TokenIndex;
  /** 1 for a card with two sides: where words are found in either, the one that is nothing else comes first. */
  readonly #isTwoSided: Uint8Array;
  readonly #nameLengths: Uint8Array;
  readonly #nameSpeller: Speller;
  readonly #aboutSpeller: Speller;

  constructor(entries: readonly SearchEntry[]) {
    this.#size = entries.length;
    this.#names = new TokenIndex(entries.map(nameTokens));
    this.#about = new TokenIndex(aboutTokens(entries));
    this.#numbers = new TokenIndex(entries.map(numberTokens));
    this.#digits = new TokenIndex(entries.map(numberDigits));
    this.#fullNames = new TokenIndex(entries.map(fullNames));
    this.#printedNames = entries.map(({ name }) => fold(name));
    this.#faces = new TokenIndex(entries.map(faceNames));
    this.#isTwoSided = Uint8Array.from(entries, (entry) => Math.sign(faceNames(entry).length));
    this.#nameLengths = Uint8Array.from(entries, ({ name }) => wordsOf(name).length);
    this.#nameSpeller = new Speller(this.#names.tokens);
    this.#aboutSpeller = new Speller(this.#about.tokens);
  }

  /** Close spellings count where little is found, and nothing that has all the words as they are. */
  rankText({ words, wholeWords }: TextNode): Ranks {
    const typed = words.map(({ text }) => text);
    if (wholeWords) return this.#allWords(typed, (word) => this.#whole(word, EXACT)) ?? noMatches(this.#size);
    const exact = this.#exactRanks(typed);
    return isLittle(exact) ? either(exact, this.#closeRanks(typed)) : exact;
  }

  rankPhrase(words: readonly string[]): Ranks {
    const ranks = noMatches(this.#size);
    this.#names.eachWithPhrase(words, false, (document) => improve(ranks, document, RANK.words));
    this.#about.eachWithPhrase(words, false, (document) =>
      improve(ranks, document, RANK.words + EXACT.about),
    );
    this.#improveByWholeName(ranks, words.join(' '));
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
    const rank = this.rankText(node).values[document]!;
    if (rank < RANK.close || rank === NO_MATCH) return null;
    const typed = node.words.map(({ text }) => text);
    const tokens = [...this.#names.tokensOf(document), ...this.#about.tokensOf(document)];
    const spelt = respell(typed, tokens, (word) => this.#pieces(word));
    if (spelt === null) return null;
    const words = spelt.flatMap((word) => (word === '' ? [] : word.split(' ')));
    return this.#exactRanks(words).values[document] === NO_MATCH ? null : spelt;
  }

  #exactRanks(words: readonly string[]): Ranks {
    const ranks = this.#exactReading(words);
    const full = writtenOut(words);
    return full === null ? ranks : either(ranks, this.#exactReading(full));
  }

  #exactReading(words: readonly string[]): Ranks {
    const costs = this.#allWords(words, (word) => this.#begun(word, EXACT));
    if (costs) worsenAll(costs, RANK.words, RANK.close - 1);
    const ranks = costs ?? noMatches(this.#size);
    this.#improveByWholeName(ranks, words.join(' '));
    return ranks;
  }

  #improveByWholeName(ranks: Ranks, text: string): void {
    const names = this.#fullNames;
    improveAll(ranks, names.documentsWithBeginning(text), RANK.beginningOfWord);
    improveAll(ranks, names.documentsWithBeginning(`${text} `), RANK.beginning);
    improveAll(ranks, this.#faces.documentsWith(text), RANK.face);
    for (const document of names.documentsWith(text)) {
      improve(ranks, document, this.#printedNames[document] === text ? RANK.name : RANK.colouredName);
    }
    const number = cardNumberKey(text);
    if (number !== null) improveAll(ranks, this.#numbers.documentsWith(number), RANK.number);
  }

  #closeRanks(words: readonly string[]): Ranks {
    const costs = this.#allWords(words, (word) => this.#close(word), CLOSE.space);
    if (costs === null) return noMatches(this.#size);
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
    if (last) worsen(last, this.#isTwoSided);
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
      improveAll(ranks, index.documentsWithBeginning(word), cost + costs.beginning);
      improveAll(ranks, index.documentsWith(word), cost);
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
      [this.#names, 0],
      [this.#about, costs.about],
      [this.#numbers, costs.about],
    ];
  }
}

/** A few documents at most, in which some of the words are but the beginnings of others. */
function isLittle({ values, matches }: Ranks): boolean {
  return matches.length <= FEW && !matches.some((document) => isWhole(values[document]!));
}

function isWhole(rank: number): boolean {
  return rank <= RANK.beginning || (rank >= RANK.words && (rank - RANK.words) % EXACT.about === 0);
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
    result.push(...(ABBREVIATIONS.get(typed)?.split(' ') ?? [typed]));
    isShort ||= length > 0;
    from += length || 1;
  }
  return isShort ? result : null;
}

/** Of how many words the longest abbreviation is that starts here; 0 for none. */
function abbreviationAt(words: readonly string[], from: number): number {
  for (let length = LONGEST_ABBREVIATION; length > 0; length--) {
    if (ABBREVIATIONS.has(words.slice(from, from + length).join(' '))) return length;
  }
  return 0;
}
