import { createRequire } from 'node:module';
import { cards } from '@flesh-and-blood/cards';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/domain/search/parse.ts';
import type { SearchIndex } from '../../../src/domain/search/search-index.ts';
import { type Catalogue, readCatalogueFile } from '../../../src/importers/catalogue-file.ts';
import { projectPath } from '../../../src/paths.ts';
import { catalogueIndex } from './catalogue-entries.ts';

type Card = (typeof cards)[number];
type Printing = Card['printings'][number];

/** A product as the package has it: the cards on it, and the printings that are variants of it. */
interface Source {
  cards: Set<Card>;
  /** Those with a code of their own in the catalogue. */
  variants: { card: Card; printing: Printing }[];
  /** Also those that the vendor sells as the same, and backs. */
  printings: { card: Card; printing: Printing }[];
}

let index: SearchIndex;
let sources: Map<string, Source>;

beforeAll(async () => {
  ({ index } = await catalogueIndex());
  sources = sourcesOf(await readCatalogueFile(projectPath('data/catalogue.json.gz')));
});

/** Two printings have one code here, so that it cannot be told which is which. */
const TWICE = 'GEM119';

/** By product: a printing's own code says where it is, or else its vendor id, or its number. */
function sourcesOf({ products }: Catalogue): Map<string, Source> {
  const byCode = new Map(products.flatMap((p) => p.variants.map(({ fcId }) => [fcId, p.productId])));
  const byVendor = new Map(products.map((p) => [String(p.vendorProductId), p.productId]));
  const byNumber = new Map(
    products.flatMap((p) => [p.number, ...p.otherNumbers].map((number) => [number, p.productId])),
  );
  const result = new Map<string, Source>();
  for (const card of cards) {
    for (const printing of card.printings) {
      if (printing.identifier === TWICE) continue;
      const { print, identifier, tcgplayer } = printing;
      const own = byCode.get(print);
      const id =
        own ??
        byCode.get(print.replace('-Back', '')) ??
        byVendor.get(tcgplayer?.productId ?? '') ??
        byNumber.get(identifier)!;
      const source = result.get(id) ?? { cards: new Set(), variants: [], printings: [] };
      result.set(id, source);
      source.cards.add(card);
      source.printings.push({ card, printing });
      if (own !== undefined) source.variants.push({ card, printing });
    }
  }
  return result;
}

const releases: { release: string; releaseDate: string }[] = createRequire(
  createRequire(import.meta.url).resolve('@flesh-and-blood/cards'),
)('@flesh-and-blood/types').releases;
const DATES = new Map(releases.map(({ release, releaseDate }) => [release, releaseDate.slice(0, 10)]));

const ofCard = (holds: (card: Card) => boolean) => (source: Source) => [...source.cards].some(holds);
const ofVariant = (holds: (printing: Printing) => boolean) => (source: Source) =>
  source.variants.some(({ printing }) => holds(printing));
const ofPrinting = (holds: (printing: Printing) => boolean) => (source: Source) =>
  source.printings.some(({ printing }) => holds(printing));
const all =
  (...conditions: ((source: Source) => boolean)[]) =>
  (source: Source) =>
    conditions.every((holds) => holds(source));
const no = (condition: (source: Source) => boolean) => (source: Source) => !condition(source);

const isOf = (name: string) => ofCard(({ classes }) => (classes as string[]).includes(name));
const isType = (name: string) =>
  ofCard(({ types, subtypes }) => ([...types, ...subtypes] as string[]).includes(name));
const hasKeyword = (name: string) => ofCard(({ keywords }) => ((keywords ?? []) as string[]).includes(name));
const hasTreatment = (name: string) =>
  ofPrinting(({ treatments }) => ((treatments ?? []) as string[]).includes(name));
const isIn = (code: string) => ofVariant(({ identifier }) => identifier.replace(/\d+$/, '') === code);
const isFoiled = (name: string | undefined) => ofVariant(({ foiling }) => foiling === name);
const releasedIn = (from: string, to: string) =>
  ofVariant(({ set }) => (DATES.get(set) ?? '') >= from && (DATES.get(set) ?? '') <= to);
const FIRST = ['Alpha', 'First'];

const SETS: [query: string, holds: (source: Source) => boolean][] = [
  ['class:ninja', isOf('Ninja')],
  [
    'class:ninja and pitch:red',
    all(
      isOf('Ninja'),
      ofCard(({ pitch }) => pitch === 1),
    ),
  ],
  ['class:ninja,brute', (source) => isOf('Ninja')(source) || isOf('Brute')(source)],
  ['c:wizard -k:"go again"', all(isOf('Wizard'), no(hasKeyword('Go again')))],
  ['type:angel', isType('Angel')],
  ['type:chi', isType('Chi')],
  ['st:dragon', isType('Dragon')],
  ['type:attack class:guardian', all(isType('Attack'), isOf('Guardian'))],
  ['talent:ice', ofCard(({ talents }) => ((talents ?? []) as string[]).includes('Ice'))],
  ['cost>=3', ofCard(({ cost }) => cost !== undefined && cost >= 3)],
  ['cost:>=3', ofCard(({ cost }) => cost !== undefined && cost >= 3)],
  [
    'power>6 class:brute',
    all(
      ofCard(({ power }) => power !== undefined && power > 6),
      isOf('Brute'),
    ),
  ],
  ['block:4', ofCard(({ defense }) => defense === 4)],
  [
    'life<=15 type:ally',
    all(
      ofCard(({ life }) => life !== undefined && life <= 15),
      isType('Ally'),
    ),
  ],
  ['keyword:"go again"', hasKeyword('Go again')],
  ['k:stealth', hasKeyword('Stealth')],
  ['k:"blood debt" class:brute', all(hasKeyword('Blood Debt'), isOf('Brute'))],
  ['banned:cc', ofCard((card) => formats(card, 'bannedFormats').includes('Classic Constructed'))],
  ['banned:"silver age"', ofCard((card) => formats(card, 'bannedFormats').includes('Silver Age'))],
  ['restricted:ll', ofCard((card) => formats(card, 'restrictedFormats').includes('Living Legend'))],
  [
    'legal:cc class:pirate type:instant',
    all(isLegal('Classic Constructed'), isOf('Pirate'), isType('Instant')),
  ],
  ['f:sa class:bard', all(isLegal('Silver Age'), isOf('Bard'))],
  ['rarity:majestic', ofVariant(({ rarity }) => rarity === 'Majestic')],
  [
    'rarity>=majestic set:wtr',
    all(
      isIn('WTR'),
      ofVariant(({ rarity }) => HIGH.includes(rarity)),
    ),
  ],
  ['is:promo', ofVariant(({ rarity }) => rarity === 'Promo')],
  ['finish:cold', isFoiled('Cold')],
  ['foil:gold', isFoiled('Gold')],
  [
    'finish:rainbow set:arc',
    ofVariant(({ foiling, identifier }) => foiling === 'Rainbow' && identifier.startsWith('ARC')),
  ],
  ['is:foil', ofVariant(({ foiling }) => foiling !== undefined)],
  ['not:foil -is:sealed', isFoiled(undefined)],
  ['edition:unlimited', ofVariant(({ edition }) => edition === 'Unlimited')],
  ['edition:first', ofVariant(({ edition }) => FIRST.includes(edition ?? ''))],
  ['edition:alpha -is:sealed', ofVariant(({ edition }) => edition === 'Alpha')],
  [
    'cold foil 1st edition',
    ofVariant(({ foiling, edition }) => foiling === 'Cold' && FIRST.includes(edition ?? '')),
  ],
  ['rainbow foil', isFoiled('Rainbow')],
  [
    'edition:first finish:cold',
    ofVariant(({ foiling, edition }) => foiling === 'Cold' && FIRST.includes(edition ?? '')),
  ],
  ['treatment:ea', hasTreatment('Extended Art')],
  ['treatment:"full art"', hasTreatment('Full Art')],
  ['treatment:aa', hasTreatment('Alternate Art')],
  ['treatment:ab', hasTreatment('Alternate Border')],
  ['treatment:at', hasTreatment('Alternate Text')],
  ['artist:"sergey gurskiy"', ofPrinting(({ artists }) => artists.includes('Sergey Gurskiy'))],
  ['is:token', isType('Token')],
  ['year:2022', releasedIn('2022-01-01', '2022-12-31')],
  ['date>=2022-06 date<2023', releasedIn('2022-06-01', '2022-12-31')],
];
const HIGH: string[] = ['Majestic', 'Marvel', 'Legendary', 'Fabled'];

function formats(card: Card, field: 'legalFormats' | 'bannedFormats' | 'restrictedFormats'): string[] {
  return card[field] ?? [];
}

function isLegal(format: string) {
  return ofCard(
    (card) =>
      formats(card, 'legalFormats').includes(format) && !formats(card, 'bannedFormats').includes(format),
  );
}

describe('a filter finds what the source has', () => {
  it.each(SETS)('%s', (query, holds) => {
    const isLeftOut = new Set(index.search(parseQuery(`is:sealed or number:${TWICE}`)).productIds());
    const { root } = parseQuery(query);
    const found = new Set(matching(root).filter((id) => !isLeftOut.has(id)));
    const expected = [...sources].flatMap(([id, source]) => (holds(source) ? id : []));
    expect([...found].filter((id) => !expected.includes(id)).map(shown)).toEqual([]);
    expect(expected.filter((id) => !found.has(id)).map(shown)).toEqual([]);
    expect(expected.length).toBeGreaterThan(0);
  });

  it('by every number that is printed', () => {
    const missing = cards.flatMap((card) =>
      card.printings.flatMap(({ identifier }) => {
        const best = index.search(parseQuery(identifier)).productIds().slice(0, 10);
        const has = (id: string) =>
          sources.get(id)!.printings.some(({ printing }) => printing.identifier === identifier);
        return identifier === TWICE || best.some((id) => sources.has(id) && has(id)) ? [] : [identifier];
      }),
    );
    expect([...new Set(missing)]).toEqual([]);
  });
});

/** All products, also beyond those that a search can reach. */
function matching(root: ReturnType<typeof parseQuery>['root']): string[] {
  return index
    .matchingVariants(root)
    .ids()
    .map((variantId) => productOf.get(variantId)!);
}

const productOf = new Map<string, string>();
beforeAll(async () => {
  const { entries } = await catalogueIndex();
  for (const { productId, variants } of entries) {
    for (const { variantId } of variants) productOf.set(variantId, productId);
  }
});

function shown(id: string): string {
  return sources.get(id)?.printings.map(({ card, printing }) => `${printing.print} ${card.name}`)[0] ?? id;
}
