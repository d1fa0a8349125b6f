import { isCalendarDate } from '../domain/dates.ts';
import type { SourceCard } from './catalogue-products.ts';
import { csvRecords, csvRows } from './csv-file.ts';
import { type ByteSource, ImportFileError, type RowPlace, sourceOf } from './import-file.ts';
import { isVendorId } from './values.ts';

/** A row of `card-printing.csv`: codes as the file has them. */
export interface CubePrinting {
  place: RowPlace;
  uniqueId: string;
  card: string;
  number: string;
  setCode: string;
  edition: string;
  foiling: string;
  rarity: string;
  artVariations: string[];
  artists: string[];
  isExpansionSlot: boolean;
  imageUrl: string;
  vendorProductId: number | null;
}

/** What the files of the-fab-cube/flesh-and-blood-cards hold. */
export interface FabCube {
  /** By the file's unique id. */
  cards: Map<string, SourceCard>;
  printings: CubePrinting[];
  /** Unique ids of the printings that are backs of others. */
  backs: Set<string>;
  /** By set code, from `set.csv`. */
  setNames: Map<string, string>;
  /** The first release by set code, from `set-printing.csv`. */
  releaseDates: Map<string, string>;
}

/** The catalogue is held in memory, as it is by the service: beyond these numbers it is no catalogue of this game. */
const MOST_CARDS = 50_000;
const MOST_PRINTINGS = 200_000;

const TAB = { delimiter: '\t' } as const;

type Reader = (source: ByteSource, cube: FabCube) => Promise<void>;

/** The files by a column that only they have; the sets' names come before their dates. */
const FILES: readonly { name: string; column: string; read: Reader; isRequired?: true }[] = [
  { name: 'card.csv', column: 'Functional Text', read: readCards, isRequired: true },
  { name: 'card-printing.csv', column: 'Card Unique ID', read: readPrintings, isRequired: true },
  { name: 'card-face-association.csv', column: 'Back Card Printing Unique ID', read: readBacks },
  { name: 'set.csv', column: 'Identifier', read: readSets },
];
const SET_PRINTING = { name: 'set-printing.csv', column: 'Initial Release Date' };

/**
 * Reads `card.csv` and `card-printing.csv`, and where they are given `card-face-association.csv` (which printings are
 * backs), `set.csv` (names of sets) and `set-printing.csv` (their dates), in any order: tab-separated, by their headers.
 * Throws an `ImportFileError` for what is broken.
 */
export async function readFabCube(inputs: readonly (string | ByteSource)[]): Promise<FabCube> {
  const cube: FabCube = {
    cards: new Map(),
    printings: [],
    backs: new Set(),
    setNames: new Map(),
    releaseDates: new Map(),
  };
  const files = new Map<string, ByteSource>();
  for (const input of inputs) {
    const source = sourceOf(input);
    const name = await kindOf(source);
    if (files.has(name)) throw new ImportFileError(source.name, 1, `this is a second ${name}; give one`);
    files.set(name, source);
  }
  for (const { name, read, isRequired } of FILES) {
    const source = files.get(name);
    if (source) await read(source, cube);
    else if (isRequired) throw new Error(`${name} is missing: give card.csv and card-printing.csv together`);
  }
  const sets = files.get('set.csv');
  const setPrintings = files.get(SET_PRINTING.name);
  if (setPrintings && !sets)
    throw new Error('set-printing.csv names sets by an id of set.csv: give that too');
  if (setPrintings && sets) await readReleaseDates(sets, setPrintings, cube);
  return cube;
}

async function kindOf(source: ByteSource): Promise<string> {
  for await (const { fields } of csvRecords(source, TAB)) {
    const columns = fields.map((name) => name.trim());
    const file = [...FILES, SET_PRINTING].find(({ column }) => columns.includes(column));
    if (file) return file.name;
    const problem = 'expected the header of card.csv or card-printing.csv, separated by tabs';
    throw new ImportFileError(source.name, 1, problem);
  }
  throw new ImportFileError(source.name, 1, 'there is no header');
}

async function readCards(source: ByteSource, { cards }: FabCube): Promise<void> {
  const rows = csvRows(source, {
    ...TAB,
    required: [
      'Unique ID',
      'Name',
      'Pitch',
      'Cost',
      'Power',
      'Defense',
      'Health',
      'Intelligence',
      'Types',
      'Functional Text',
    ],
    optional: ['Card Keywords'],
  });
  for await (const { line, values } of rows) {
    const id = values['Unique ID'];
    const fail = (problem: string) => {
      throw new ImportFileError(source.name, line, problem);
    };
    const number = (column: 'Pitch' | 'Intelligence') => {
      const text = values[column].trim();
      if (!/^\d{0,2}$/.test(text)) fail(`${column}: expected a number, found "${text}"`);
      return text === '' ? undefined : Number(text);
    };
    if (id === '' || values.Name.trim() === '') fail('the card has no Unique ID or no Name');
    if (cards.has(id)) fail(`the card ${id} is there twice`);
    if (cards.size === MOST_CARDS) fail(`there are more than ${MOST_CARDS} cards`);
    const text = values['Functional Text'].trim();
    cards.set(id, {
      name: values.Name.trim(),
      ...typesOf(values.Types),
      ...(text !== '' && { functionalText: text }),
      keywords: listOf(values['Card Keywords']),
      pitch: number('Pitch'),
      intellect: number('Intelligence'),
      ...printedValue('cost', values.Cost),
      ...printedValue('power', values.Power),
      ...printedValue('defense', values.Defense),
      ...printedValue('life', values.Health),
    });
  }
}

const SPECIAL = {
  cost: 'specialCost',
  power: 'specialPower',
  defense: 'specialDefense',
  life: 'specialLife',
} as const;

/** A number, or text such as `XX` and `*`. */
function printedValue(field: keyof typeof SPECIAL, column: string): Partial<SourceCard> {
  const text = column.trim();
  if (text === '') return {};
  return /^\d{1,6}$/.test(text) ? { [field]: Number(text) } : { [SPECIAL[field]]: text };
}

const CARD_TYPES = new Set([
  ...[
    'Action',
    'Attack Reaction',
    'Block',
    'Companion',
    'Defense Reaction',
    'Demi-Hero',
    'Equipment',
    'Hero',
  ],
  ...['Instant', 'Macro', 'Mentor', 'Resource', 'Token', 'Weapon'],
]);
const CLASSES = new Set([
  ...['Adjudicator', 'Assassin', 'Bard', 'Brute', 'Generic', 'Guardian', 'Illusionist', 'Mechanologist'],
  ...[
    'Mercenary',
    'Merchant',
    'Necromancer',
    'Ninja',
    'Pirate',
    'Ranger',
    'Runeblade',
    'Shapeshifter',
    'Thief',
  ],
  ...['Warrior', 'Wizard'],
]);
const TALENTS = new Set([
  ...['Chaos', 'Draconic', 'Earth', 'Elemental', 'Ice', 'Light', 'Lightning', 'Mystic', 'Revered', 'Reviled'],
  ...['Royal', 'Shadow'],
]);

function listOf(values: string): string[] {
  return values.split(',').flatMap((name) => name.trim() || []);
}

/** The file has all kinds of types in one list; what is none of the game's types, classes and talents is a subtype. */
function typesOf(list: string): Pick<SourceCard, 'types' | 'subtypes' | 'classes' | 'talents'> {
  const all = listOf(list);
  const rest = all.filter((name) => !CARD_TYPES.has(name) && !CLASSES.has(name) && !TALENTS.has(name));
  const isNonAttack = all.includes('Action') && !all.includes('Attack');
  return {
    types: all.filter((name) => CARD_TYPES.has(name)),
    classes: all.filter((name) => CLASSES.has(name)),
    talents: all.filter((name) => TALENTS.has(name)),
    subtypes: (isNonAttack ? [...rest, 'Non-Attack'] : rest).sort(),
  };
}

async function readPrintings(source: ByteSource, { printings }: FabCube): Promise<void> {
  const seen = new Set<string>();
  const rows = csvRows(source, {
    ...TAB,
    required: [
      'Unique ID',
      'Card Unique ID',
      'Card ID',
      'Set ID',
      'Edition',
      'Rarity',
      'Foiling',
      'Image URL',
      'TCGPlayer ID',
    ],
    optional: ['Art Variation', 'Art Variations', 'Artists', 'Expansion Slot'],
  });
  for await (const { line, values } of rows) {
    const fail = (problem: string) => {
      throw new ImportFileError(source.name, line, problem);
    };
    const uniqueId = values['Unique ID'];
    const vendorId = values['TCGPlayer ID'].trim();
    if (uniqueId === '' || values['Card ID'] === '') fail('the printing has no Unique ID or no Card ID');
    if (seen.has(uniqueId)) fail(`the printing ${uniqueId} is there twice`);
    if (seen.add(uniqueId).size > MOST_PRINTINGS) fail(`there are more than ${MOST_PRINTINGS} printings`);
    if (vendorId !== '' && !isVendorId(vendorId))
      fail(`TCGPlayer ID: expected a whole number, found "${vendorId}"`);
    printings.push({
      place: { file: source.name, line },
      uniqueId,
      card: values['Card Unique ID'],
      number: values['Card ID'].trim(),
      setCode: values['Set ID'].trim(),
      edition: values.Edition.trim(),
      foiling: values.Foiling.trim(),
      rarity: values.Rarity.trim(),
      artVariations: `${values['Art Variation']} ${values['Art Variations']}`.split(/[\s,]+/).filter(Boolean),
      artists: listOf(values.Artists),
      isExpansionSlot: values['Expansion Slot'].trim().toLowerCase() === 'yes',
      imageUrl: values['Image URL'].trim(),
      vendorProductId: vendorId === '' ? null : Number(vendorId),
    });
  }
}

/** Tokens printed back to back are two cards; the back of a card has its number, or turns into it. */
async function readBacks(source: ByteSource, { backs }: FabCube): Promise<void> {
  const rows = csvRows(source, {
    ...TAB,
    required: ['Front Card Printing', 'Back Card Printing Unique ID', 'Back Card Printing', 'Is DFC'],
  });
  for await (const { values } of rows) {
    const [front, back] = [values['Front Card Printing'], values['Back Card Printing']].map(
      (text) => text.split(' ')[0],
    );
    if (values['Is DFC'].trim() === 'Yes' || front === back)
      backs.add(values['Back Card Printing Unique ID']);
  }
}

const SET_COLUMNS = { ...TAB, required: ['Unique ID', 'Identifier', 'Name'] } as const;

async function readSets(source: ByteSource, { setNames }: FabCube): Promise<void> {
  for await (const { values } of csvRows(source, SET_COLUMNS)) {
    // A second printing of a set follows the first one, under the same code.
    if (!setNames.has(values.Identifier)) setNames.set(values.Identifier, values.Name.trim());
  }
}

async function readReleaseDates(
  sets: ByteSource,
  setPrintings: ByteSource,
  { releaseDates }: FabCube,
): Promise<void> {
  const codes = new Map<string, string>();
  for await (const { values } of csvRows(sets, SET_COLUMNS))
    codes.set(values['Unique ID'], values.Identifier);
  const rows = csvRows(setPrintings, { ...TAB, required: ['Set Unique ID', 'Initial Release Date'] });
  for await (const { line, values } of rows) {
    const code = codes.get(values['Set Unique ID']);
    const date = values['Initial Release Date'].slice(0, 10);
    if (code === undefined || date === '') continue;
    if (!isCalendarDate(date)) {
      throw new ImportFileError(
        setPrintings.name,
        line,
        `Initial Release Date: expected a date, found "${date}"`,
      );
    }
    const known = releaseDates.get(code);
    if (known === undefined || date < known) releaseDates.set(code, date);
  }
}
