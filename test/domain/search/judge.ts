import { plainName, types } from '../../../src/domain/search/entries.ts';
import { fold } from '../../../src/domain/search/normalise.ts';
import { parseQuery } from '../../../src/domain/search/parse.ts';
import type { SearchEntry, SearchIndex, SearchVariant } from '../../../src/domain/search/search-index.ts';
import { JUDGED_KINDS, JUDGED_QUERIES, type JudgedKind, type JudgedQuery } from './judged-queries.ts';

/** Of a query for any card of a sort, so many must all be of it. */
const FIRST_OF_ANY = 10;

/** The place of what is meant among the results, from 1; Infinity where it is not there. */
export function placeOf(
  judged: JudgedQuery,
  index: SearchIndex,
  byId: ReadonlyMap<string, SearchEntry>,
): number {
  const productIds = index.search(parseQuery(judged.query)).productIds();
  const found = productIds.map((id) => byId.get(id)!);
  if (judged.meant === '*') {
    const first = found.slice(0, FIRST_OF_ANY);
    return first.length > 0 && first.every((entry) => isMeant(entry, judged)) ? 1 : Number.POSITIVE_INFINITY;
  }
  const place = found.findIndex((entry) => isMeant(entry, judged));
  if (place < 0) return Number.POSITIVE_INFINITY;
  // What is meant among others is as good in any of the first three places.
  return judged.isAmongOthers && place < 3 ? 1 : place + 1;
}

/** What a product says is not asked of the index: this is a reading of the catalogue of its own. */
export function isMeant(entry: SearchEntry, { kind, meant, printed }: JudgedQuery): boolean {
  if (!isCalled(entry, kind, meant)) return false;
  const ofCard = printed.filter((value) => /^(keyword|class|talent|type) /.test(value));
  const ofVariant = printed.filter((value) => !ofCard.includes(value));
  return (
    ofCard.every((value) => saysOfCard(entry, value)) &&
    entry.variants.some((variant) => ofVariant.every((value) => saysOfVariant(variant, value)))
  );
}

function isCalled(entry: SearchEntry, kind: JudgedKind, meant: string): boolean {
  if (meant === '*') return true;
  if (meant.startsWith('#')) return [entry.number, ...entry.otherNumbers].includes(meant.slice(1));
  if (kind === 'code') return entry.variants.some(({ fcId }) => fcId === meant);
  return [entry.name, plainName(entry.name), ...entry.name.split(' // ')].includes(meant);
}

function saysOfCard(entry: SearchEntry, value: string): boolean {
  const [field, wanted] = [value.slice(0, value.indexOf(' ')), value.slice(value.indexOf(' ') + 1)];
  const faces = [entry, ...entry.otherFaces];
  if (field === 'keyword') return entry.keywords.map(fold).includes(wanted);
  if (field === 'type') return types(entry).includes(wanted);
  return faces.some((face) => face[field as 'class' | 'talent']?.split(', ').map(fold).includes(wanted));
}

function saysOfVariant(variant: SearchVariant, value: string): boolean {
  const says = [variant.finish, variant.rarity ?? '', ...variant.treatments].map(fold);
  if (value === 'alpha') return variant.fcId.includes('-Alpha') || variant.fcId.startsWith('Wtr1st');
  return says.includes(value) || (value.endsWith(' edition') && fold(variant.variantName).startsWith(value));
}

export interface Score {
  kind: JudgedKind | 'all';
  queries: number;
  at1: number;
  at3: number;
  /** The mean of one divided by the place. */
  meanReciprocalRank: number;
}

/** How well the judged queries do, by kind and over all, and what is not first. */
export function judge(
  index: SearchIndex,
  entries: readonly SearchEntry[],
): { scores: Score[]; misses: string[] } {
  const byId = new Map(entries.map((entry) => [entry.productId, entry]));
  const places = JUDGED_QUERIES.map((judged) => ({ judged, place: placeOf(judged, index, byId) }));
  const score = (kind: Score['kind']): Score => {
    const own = places.filter(({ judged }) => kind === 'all' || judged.kind === kind);
    const share = (most: number) => own.filter(({ place }) => place <= most).length / own.length;
    const meanReciprocalRank = own.reduce((sum, { place }) => sum + 1 / place, 0) / own.length;
    return { kind, queries: own.length, at1: share(1), at3: share(3), meanReciprocalRank };
  };
  const missed = places.filter(({ place }) => place > 1);
  const misses = missed.map(({ judged, place }) => {
    const first = index.search(parseQuery(judged.query)).productIds()[0];
    const found = first === undefined ? 'nothing' : byId.get(first)!.name;
    return `${judged.kind}: ${judged.query} -> ${judged.meant} ${judged.printed.join(', ')} at ${place}, not ${found}`;
  });
  return { scores: [...JUDGED_KINDS, 'all' as const].map(score), misses };
}
