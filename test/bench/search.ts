import { parseQuery } from '../../src/domain/search/parse.ts';
import type { SearchIndex } from '../../src/domain/search/search-index.ts';
import { buildSearchIndex, type SearchCard } from '../domain/search/built-index.ts';
import { catalogueEntries } from '../domain/search/catalogue-entries.ts';
import { judge } from '../domain/search/judge.ts';

/**
 * Milliseconds of a search by kind of query and of a suggestion, and what the index takes in memory, on the catalogue and
 * on ten times as many products; and how many of the judged queries find what is meant. Run with `--expose-gc`, or the
 * memory is not told.
 */

const QUERIES: Record<string, string[]> = {
  'one word': ['snatch', 'dash', 'boltyn', 'tunic', 'wtr001', 'dra', 'reflex', 'phantasmaclasm'],
  misspelt: [
    'comand and conqer',
    'snach red',
    'dorinthia',
    'teklovosen',
    'scultor of arc light',
    'razorreflex',
  ],
  filtered: [
    'class:ninja rarity:majestic cost<=1',
    'pitch:1 type:"attack action" power>6 price<5',
    'set:wtr -rarity:common strike',
    'text:"go again" (class:wizard or class:runeblade)',
  ],
  worst: [
    'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(3).trim(),
    'a or b or c or d or e or f or g or h or i or j or k or l or m or n or o or p or q or r or s or t or u or v',
    'abilty conquet snatsh razer refelx kommand mometum scultpor phantsm enlihgt spirng tunik bravvo wlecome',
    'cnc '.repeat(50).trim(),
    'abx tnz ozq rzk lam nix fey wot cra boz hul gim pax dru kel vos jin quo yel mur '.repeat(2),
    'commandandconqueror'.repeat(10),
    `${'('.repeat(99)}a${')'.repeat(99)}`,
    'text:a or text:t or text:g or text:c or text:d or text:w or text:p or text:b or text:i or text:n or text:y',
  ],
};

/** What stands in the field as these are typed, letter by letter. */
const TYPED = ['command and conquer', 'class:ninja', 'tome of fyendal cold foil', 'set:"welcome to r', 'a'];

const ROUNDS = 60;

function main(write: (line: string) => void, entries: SearchCard[]): void {
  for (const [label, catalogue] of [
    ['1×', entries],
    ['10×', tenfold(entries)],
  ] as const) {
    const started = performance.now();
    const before = memory();
    const index = buildSearchIndex(catalogue);
    const built = performance.now() - started;
    const taken = memory() - before;
    write(
      `${label} catalogue: ${catalogue.length} products, built in ${built.toFixed(0)} ms, ${taken.toFixed(1)} MB`,
    );
    for (const [kind, queries] of Object.entries(QUERIES)) {
      const times = measure(queries, (query) => index.search(parseQuery(query)));
      write(
        `  ${kind.padEnd(9)} median ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms, most ${at(times, 1)} ms`,
      );
    }
    const typed = TYPED.flatMap((text) => [...text].map((_, i) => text.slice(0, i + 1)));
    const times = measure(typed, (text) => index.suggest(text, 10));
    write(`  suggest   median ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms, most ${at(times, 1)} ms`);
    if (catalogue === entries) writeJudged(write, index, entries);
  }
}

function writeJudged(write: (line: string) => void, index: SearchIndex, entries: SearchCard[]): void {
  for (const { kind, queries, at1, at3, meanReciprocalRank } of judge(index, entries).scores) {
    const shares = [at1, at3, meanReciprocalRank].map((share) => share.toFixed(3));
    write(
      `  judged ${kind.padEnd(12)} ${String(queries).padStart(3)} queries: ${shares[0]} first, ${shares[1]} in three, MRR ${shares[2]}`,
    );
  }
}

/** Megabytes of objects and typed arrays that are in use; NaN where the collector cannot be called. */
function memory(): number {
  if (!globalThis.gc) return Number.NaN;
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

/** Sorted milliseconds of each query. */
function measure(queries: readonly string[], run: (query: string) => void): number[] {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of queries) {
      const started = performance.now();
      run(query);
      // The first rounds run before the code is compiled.
      if (round >= ROUNDS / 6) times.push(performance.now() - started);
    }
  }
  return times.sort((a, b) => a - b);
}

function at(times: readonly number[], share: number): string {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(2);
}

const VOWELS = 'aeiou';

/** Copies under other ids, numbers and sets, half of them with other words in the same order. */
function tenfold(entries: readonly SearchCard[]): SearchCard[] {
  return Array.from({ length: 10 }, (_, copy) =>
    entries.map((entry) => ({
      ...entry,
      productId: `${entry.productId}${copy}`,
      name: entry.name.replace(/[aeiou]/g, (vowel) => VOWELS[(VOWELS.indexOf(vowel) + (copy % 5)) % 5]!),
      number: entry.number && `${copy}${entry.number}`,
      setCode: copy === 0 ? entry.setCode : `${entry.setCode}${copy}`,
    })),
  ).flat();
}

main((line) => process.stdout.write(`${line}\n`), await catalogueEntries());
