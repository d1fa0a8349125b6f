/** What players write for a card, by the folded words; only what is known far and wide. */
export const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ['cnc', 'command and conquer'],
  ['c and c', 'command and conquer'],
  ['estrike', 'enlightened strike'],
  ['e strike', 'enlightened strike'],
  ['fst', 'fyendals spring tunic'],
  ['aow', 'art of war'],
  ['hof', 'heart of fyendal'],
  ['eoo', 'eye of ophidia'],
  ['cop', 'crown of providence'],
  ['brb', 'bloodrush bellow'],
  ['clf', 'channel lake frigid'],
  ['starvo', 'bravo star of the show'],
  ['dash ie', 'dash inventor extraordinaire'],
  ['prism aot', 'prism advent of thrones'],
]);

/** Words for what is sealed, by those of the catalogue. */
export const SEALED_WORDS: ReadonlyMap<string, string> = new Map([
  ['display', 'box'],
  ['displays', 'box'],
  ['blaster', 'box'],
  ['boxes', 'box'],
  ['packs', 'pack'],
  ['boosters', 'booster'],
  ['cases', 'case'],
  ['case of', 'case'],
  ['box of', 'box'],
  ['display of', 'box'],
  ['pack of', 'pack'],
]);

/** Small words that a close spelling may have too many of. */
export const SMALL_WORDS: ReadonlySet<string> = new Set(
  'a an and for from in of on or the to with'.split(' '),
);

/** How rarities are abbreviated in lists and on cards. */
export const RARITY_LETTERS: ReadonlyMap<string, string> = new Map([
  ['t', 'token'],
  ['b', 'basic'],
  ['c', 'common'],
  ['r', 'rare'],
  ['s', 'super rare'],
  ['sr', 'super rare'],
  ['m', 'majestic'],
  ['l', 'legendary'],
  ['f', 'fabled'],
  ['v', 'marvel'],
  ['p', 'promo'],
]);

/** The least rare first; a promo is of no rarity that compares. */
export const RARITY_ORDER: readonly string[] = [
  'token',
  'basic',
  'common',
  'rare',
  'super rare',
  'majestic',
  'marvel',
  'legendary',
  'fabled',
];

/** Card types as players shorten or spell them. */
export const TYPE_WORDS: ReadonlyMap<string, string> = new Map([
  ['aa', 'attack action'],
  ['naa', 'nonattack action'],
  ['ar', 'attack reaction'],
  ['dr', 'defense reaction'],
  ['defence reaction', 'defense reaction'],
]);

/** Formats as players shorten them. */
export const FORMAT_LETTERS: ReadonlyMap<string, string> = new Map([
  ['cc', 'classic constructed'],
  ['ll', 'living legend'],
  ['sa', 'silver age'],
  ['ga', 'golden age'],
  ['upf', 'ultimate pit fight'],
]);
