/** How text is made comparable: what is typed and what is printed meet in the same folded words. */

/** The order of UTF-16 units, which is the same everywhere. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Letters that Unicode does not decompose, as players type them. */
const SPELLED_OUT: Record<string, string> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ß: 'ss',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
};
const SPECIAL_LETTER = new RegExp(`[${Object.keys(SPELLED_OUT).join('')}]`, 'g');

const ASCII_ONLY = /^[\x20-\x7e]*$/;
const FOLDED_WORD = /^[a-z0-9]+$/;
const APOSTROPHES = /['‘’ʼ`´′]/g;

/**
 * Lower case, without accents and punctuation, with single spaces: `Tome of Fyendal's` gives `tome of fyendals`,
 * `10,000 Year Reunion` gives `10000 year reunion`, `Squizzy & Floof` gives `squizzy and floof`. Text without a
 * letter or digit gives ''.
 */
export function fold(text: string): string {
  const lowerCase = text.toLowerCase();
  if (FOLDED_WORD.test(lowerCase)) return lowerCase;
  const isAscii = ASCII_ONLY.test(lowerCase);
  return (isAscii ? lowerCase : withoutAccents(lowerCase))
    .replace(APOSTROPHES, '')
    .replaceAll('&', ' and ')
    .replace(/(?<=\d),(?=\d)/g, '')
    .replace(isAscii ? /[^a-z0-9]+/g : /[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

const MARKS = /[\p{M}\p{Cf}]+/gu;

function withoutAccents(lowerCase: string): string {
  return (
    lowerCase
      .replace(APOSTROPHES, '')
      // They go in the end, and to put many of them in order takes time by their square.
      .replace(MARKS, '')
      .normalize('NFKD')
      .toLowerCase()
      .replace(MARKS, '')
      .replace(SPECIAL_LETTER, (letter) => SPELLED_OUT[letter]!)
  );
}

/** What `of` gives, made once for each value: many of a catalogue are the same few. */
export function onceFor<T>(of: (value: string) => T): (value: string) => T {
  const known = new Map<string, T>();
  return (value) => {
    let result = known.get(value);
    if (result === undefined) {
      result = of(value);
      known.set(value, result);
    }
    return result;
  };
}

/** The words of folded text. */
export function wordsOf(text: string): string[] {
  const folded = fold(text);
  return folded === '' ? [] : folded.split(' ');
}

/** Words that punctuation breaks, as one word each: `Re-Charge!` gives `recharge`, `Dash I/O` gives `io`. */
export function compoundsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .map(fold)
    .filter((word) => word.includes(' '))
    .map((word) => word.replaceAll(' ', ''));
}

/** `WTR001`, `wtr 1` and `WTR-001` all give `wtr1`; null for what is no card number. */
export function cardNumberKey(text: string): string | null {
  const match = /^(.*[^\d])0*(\d+)$/.exec(fold(text).replaceAll(' ', ''));
  return match && `${match[1]}${match[2]}`;
}
