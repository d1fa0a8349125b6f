import { Speller } from './search/spelling.ts';

/** For the end of an error about a word that is not known: ` (Did you mean info?)`, or nothing where none is close. */
export function didYouMean(given: string, known: readonly string[]): string {
  const meant =
    closest(given, known) ?? known.find((word) => given.toLowerCase().startsWith(word.toLowerCase()));
  return meant === undefined ? '' : ` (Did you mean ${meant}?)`;
}

/** The known word that the given one is a slip away from, whatever its case. */
export function closest(given: string, known: readonly string[]): string | undefined {
  const [nearest] = new Speller(known.map((word) => word.toLowerCase()))
    .closeTo(given.toLowerCase())
    .sort((a, b) => a.slips - b.slips);
  return nearest && known[nearest.position];
}
