import { Speller } from './search/spelling.ts';

/** For the end of an error about a word that is not known: ` (Did you mean info?)`, or nothing where none is close. */
export function didYouMean(given: string, known: readonly string[]): string {
  const typed = given.toLowerCase();
  const words = known.map((word) => word.toLowerCase());
  const [closest] = new Speller(words).closeTo(typed).sort((a, b) => a.slips - b.slips);
  const position = closest?.position ?? words.findIndex((word) => typed.startsWith(word));
  return position === -1 ? '' : ` (Did you mean ${known[position]}?)`;
}
