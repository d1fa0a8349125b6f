import {
  type EntryTexts,
  HOLDS_NONE,
  isNone,
  numberOf,
  type TransactionDialect,
  withPrinting,
} from './transaction-dialects.ts';

/** What has no columns but lines, each of a card. */

/** `3 Command and Conquer (ARC) 159 *F*`; set, number and foil may be left out. Moxfield and others write it, and people. */
const LIST_LINE =
  /^(?<quantity>\d{1,7})x? (?<name>.+?)(?: [([](?!(?:red|yellow|blue)[)\]])(?<set>[a-z0-9]{2,5})[)\]](?: (?<number>[a-z]*\d+))?)?(?: \*(?<foil>[a-z0-9 ]+)\*)?$/i;
const HEADING = /^(#|\/\/)|:$|^(deck|main ?board|side ?board|maybe ?board|about)$/i;
const LIST_FOILS = new Map([
  ['F', 'Foil'],
  ['RF', 'Rainbow Foil'],
  ['CF', 'Cold Foil'],
  ['GF', 'Gold Foil'],
]);

const NO_LINE = {
  column: 'line',
  detail:
    'names no card: write how many, the name, the set and the number, such as 3 10,000 Year Reunion (MST) 131',
};
const NOTHING: EntryTexts = { action: 'Purchase', quantity: '1' };

export const cardList: TransactionDialect = {
  format: 'List',
  name: 'lines such as "3 Command and Conquer (ARC) 159"',
  correction:
    'add the set, the number and the printing, such as (ARC) 159 *Unlimited Edition Normal*, or leave it out',
  required: [],
  columns: { card: 'line', occurredDate: null, quantity: 'line', unitAmount: null, currency: null },
  read: (cells) => {
    const line = cells('line');
    const { quantity, name, set = '', number = '', foil = '' } = partsOfLine(line) ?? {};
    if (quantity === undefined && isHeading(line)) return { reason: 'a heading' };
    if (quantity === undefined) return { card: {}, problem: NO_LINE, entry: NOTHING };
    if (isNone(quantity)) return HOLDS_NONE;
    const printing = LIST_FOILS.get(foil.toUpperCase()) ?? (foil || 'Normal');
    const card = { setCode: set, number: numberOf(set.toUpperCase(), number), name };
    const read = withPrinting(() => printing, 'line', card);
    return { ...read, entry: { action: 'Purchase', quantity } };
  },
};

export function isHeading(line: string): boolean {
  return HEADING.test(line);
}

export function isLineOfList(line: string): boolean {
  return partsOfLine(line) !== undefined;
}

/** No card has so long a name, and to look for its parts takes the longer the longer a line is. */
const MOST_CHARACTERS = 1000;

/** Spaces in a row are one: to try each of thousands as the end of a part would take minutes. */
function partsOfLine(line: string) {
  const text = line.replace(/\s+/g, ' ');
  return text.length > MOST_CHARACTERS ? undefined : LIST_LINE.exec(text)?.groups;
}
