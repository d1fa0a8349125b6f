import {
  type CardFace,
  type CatalogueProduct,
  type CatalogueVariant,
  EDITIONS,
  type Edition,
  FINISHES,
  type Finish,
  type Legality,
  PRODUCT_TYPES,
  type ProductType,
} from '../domain/catalogue.ts';
import { NOT_A_CARD, type ProductKey, productIdOf, variantIdOf, vendorImageUrl } from './catalogue-file.ts';

/** A card as the game has it, whatever source it is read from. */
export interface SourceCard {
  name: string;
  types: readonly string[];
  subtypes: readonly string[];
  classes: readonly string[];
  talents?: readonly string[];
  functionalText?: string;
  pitch?: number;
  cost?: number;
  defense?: number;
  power?: number;
  intellect?: number;
  life?: number;
  /** Values that are no number, such as "XX" and "*". */
  specialCost?: string;
  specialDefense?: string;
  specialPower?: string;
  specialLife?: string;
  keywords?: readonly string[];
  legalFormats?: readonly string[];
  bannedFormats?: readonly string[];
  restrictedFormats?: readonly string[];
}

/** One printing of one card face. */
export interface Face {
  card: SourceCard;
  /** The printing's code, e.g. `WTR001-Alpha-Rainbow`; no two faces have the same. */
  print: string;
  identifier: string;
  isBack: boolean;
  vendorProductId: number | null;
  variantName: string;
  /** Null where the set was printed in one edition only, as Everfest was. */
  edition: Edition | null;
  finish: Finish;
  rarity: string;
  isExpansionSlot: boolean;
  treatments: readonly string[];
  artists: readonly string[];
  setCode: string;
  setName: string;
  /** The picture for a product that the vendor does not list. */
  imageUrl: string;
}

/** Compares by code unit, so that the order is the same under every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A set and edition that is sold in packs. */
export interface SealedSet {
  setType: string;
  setCode: string;
  setName: string;
  edition: Edition | null;
  releaseDate: string | null;
}

export interface BuiltProduct {
  key: ProductKey;
  product: CatalogueProduct;
}

const PITCH_COLOUR = new Map([
  [1, 'Red'],
  [2, 'Yellow'],
  [3, 'Blue'],
]);
const RARITY_ORDER = [
  'Fabled',
  'Legendary',
  'Marvel',
  'Majestic',
  'Super Rare',
  'Rare',
  'Common',
  'Basic',
  'Token',
  'Promo',
];
const FACE_BREAK = '\n\n---\n\n';

/**
 * All products of the catalogue: the cards by number, then the sealed products by set type. Release dates are by the
 * set's name. `cards` are those by which names are told apart: all of the game, where the faces are not.
 */
export function buildProducts(
  faces: Face[],
  releaseDates: ReadonlyMap<string, string>,
  sealedSets: SealedSet[],
  cards: Iterable<SourceCard> = faces.map(({ card }) => card),
): BuiltProduct[] {
  const dates = new Map(releaseDates);
  for (const { setName, releaseDate } of sealedSets) if (releaseDate) dates.set(setName, releaseDate);
  const displayName = namer(cards);
  const products = [...groupFaces(faces)]
    .map(([key, group]) => ({ key, product: toProduct(key, group, dates, displayName) }))
    .sort(
      ({ product: a }, { product: b }) =>
        compareText(a.number!, b.number!) || compareText(a.variants[0]!.fcId, b.variants[0]!.fcId),
    );
  const sealed = sealedSets
    .toSorted((a, b) => compareText(a.setType, b.setType))
    .flatMap((set) => PRODUCT_TYPES.map((type) => toSealed(set, type)));
  return [...products, ...sealed];
}

/**
 * Faces by the product they belong to, the main face first. The vendor sells both faces of a card, and tokens
 * printed back to back, as one product. Where cards under one vendor id can't be faces of one card, the id is a
 * mistake in the source: the main face keeps it, and the others count as not listed.
 */
function groupFaces(faces: Face[]): Map<ProductKey, Face[]> {
  const groups = new Map<ProductKey, Face[]>();
  const unlisted = faces.filter((face) => face.vendorProductId === null);
  const listed = groupBy(
    faces.filter((face) => face.vendorProductId !== null),
    (face) => face.vendorProductId!,
  );
  for (const [vendorProductId, group] of listed) {
    const kept = facesOfOneCard(group.toSorted(compareFaces));
    groups.set(`vendor:${vendorProductId}`, kept);
    unlisted.push(...group.filter((face) => !kept.includes(face)));
  }
  for (const [key, group] of groupUnlisted(unlisted))
    groups.set(`print:${key}`, group.toSorted(compareFaces));
  return groups;
}

/** Main face first: front, plainest finish, rarest, hero, lowest number. */
function compareFaces(a: Face, b: Face): number {
  return (
    Number(a.isBack) - Number(b.isBack) ||
    FINISHES.indexOf(a.finish) - FINISHES.indexOf(b.finish) ||
    RARITY_ORDER.indexOf(a.rarity) - RARITY_ORDER.indexOf(b.rarity) ||
    Number(isHero(b.card)) - Number(isHero(a.card)) ||
    compareText(a.identifier, b.identifier) ||
    compareText(a.print, b.print)
  );
}

function isHero(card: SourceCard): boolean {
  return card.types.some((type) => type === 'Hero');
}

function facesOfOneCard(group: Face[]): Face[] {
  const main = group[0]!;
  const mainVariants = new Set(
    group.filter((face) => face.card === main.card).map((face) => face.variantName),
  );
  return group.filter(
    (face) =>
      face.card === main.card ||
      face.identifier === main.identifier ||
      (face.setCode === main.setCode &&
        face.rarity === main.rarity &&
        face.card.name !== main.card.name &&
        mainVariants.has(face.variantName)),
  );
}

/** As the vendor would list them: one product for a card number and treatment, with its finishes and editions. */
function groupUnlisted(faces: Face[]): Map<string, Face[]> {
  const groups = groupBy(
    faces.filter((face) => !face.isBack),
    productPrint,
  );
  for (const back of faces.filter((face) => face.isBack)) {
    const front =
      groups.get(productPrint(back)) ??
      [...groups.values()].find((group) => group[0]!.identifier === back.identifier);
    if (front === undefined) groups.set(back.print, [back]);
    else front.push(back);
  }
  return groups;
}

/** The printing code without finish, edition and side: `OMN243-Cold-Extended Art` gives `OMN243-Extended Art`. */
function productPrint(face: Face): string {
  const own = new Set(['Alpha', 'First', 'Unlimited', 'Rainbow', 'Cold', 'Gold', 'Back']);
  return face.print
    .split('-')
    .filter((part) => !own.has(part))
    .join('-');
}

function toProduct(
  key: ProductKey,
  group: Face[],
  releaseDates: Map<string, string>,
  displayName: (card: SourceCard) => string,
): CatalogueProduct {
  const main = group[0]!;
  const cards = [...new Set(group.map((face) => face.card))];
  const variants = toVariants(key, group);
  const vendorProductId = vendorIdOf(key);
  return {
    productId: productIdOf(key),
    vendorProductId,
    name: cards.map(displayName).join(' // '),
    number: main.identifier,
    otherNumbers: distinct(group.map(({ identifier }) => identifier)).filter((n) => n !== main.identifier),
    imageUrl: vendorProductId === null ? main.imageUrl : vendorImageUrl(vendorProductId),
    description: cards.flatMap((face) => face.functionalText ?? []).join(FACE_BREAK),
    setCode: main.setCode,
    setName: main.setName,
    releaseDate: releaseDates.get(main.setName) ?? null,
    sealed: null,
    ...faceOf(main.card),
    rarity: variants[0]!.rarity,
    otherFaces: cards.slice(1).map(faceOf),
    keywords: distinct(cards.flatMap(({ keywords }) => keywords ?? [])),
    legality: legalityOf(cards),
    variants,
  };
}

function faceOf(card: SourceCard): CardFace {
  return {
    cardType: joined(card.types),
    cardSubType: joined(card.subtypes),
    class: joined(card.classes.filter((name) => name !== 'NotClassed')),
    cost: valueText(card.cost, card.specialCost),
    defenseValue: valueText(card.defense, card.specialDefense),
    pitchValue: valueText(card.pitch),
    talent: joined(card.talents ?? []),
    power: valueText(card.power, card.specialPower),
    intellect: valueText(card.intellect),
    life: valueText(card.life, card.specialLife),
  };
}

/** Of all sides: legal where one of them is, and is not banned, which the source has beside it. */
function legalityOf(cards: readonly SourceCard[]): Legality | null {
  if (cards.every(({ legalFormats }) => legalFormats === undefined)) return null;
  const isAllowed =
    ({ bannedFormats = [] }: SourceCard) =>
    (format: string) =>
      !bannedFormats.includes(format);
  return {
    legal: distinct(cards.flatMap((card) => card.legalFormats?.filter(isAllowed(card)) ?? [])),
    banned: distinct(cards.flatMap(({ bannedFormats }) => bannedFormats ?? [])),
    restricted: distinct(cards.flatMap(({ restrictedFormats }) => restrictedFormats ?? [])),
  };
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort(compareText);
}

function vendorIdOf(key: ProductKey): number | null {
  return key.startsWith('vendor:') ? Number(key.slice('vendor:'.length)) : null;
}

/** One variant for each edition and finish; the first face in order stands for those that repeat it. */
function toVariants(key: ProductKey, group: Face[]): CatalogueVariant[] {
  // A back has the finish of its front, whatever its own row says.
  const fronts = group.filter((face) => !face.isBack);
  const byName = groupBy(fronts.length > 0 ? fronts : group, (face) => face.variantName);
  return [...byName]
    .map(([variantName, faces]) => {
      const face = faces[0]!;
      const backs = fronts.length > 0 ? backsOf(face, group) : [];
      const printed = [...faces, ...backs];
      return {
        variantId: variantIdOf(key, variantName),
        variantName,
        fcId: face.print,
        edition: face.edition,
        finish: face.finish,
        rarity: face.rarity,
        isExpansionSlot: face.isExpansionSlot,
        treatments: distinct(printed.flatMap(({ treatments }) => treatments)),
        artists: distinct(printed.flatMap(({ artists }) => artists)),
      };
    })
    .sort(
      (a, b) =>
        EDITIONS.indexOf(a.edition ?? '1st') - EDITIONS.indexOf(b.edition ?? '1st') ||
        FINISHES.indexOf(a.finish) - FINISHES.indexOf(b.finish),
    );
}

/** The backs in its finish and edition, and those that are in none of the fronts'. */
function backsOf(front: Face, group: readonly Face[]): Face[] {
  const isLike = (a: Face, b: Face) => a.finish === b.finish && a.edition === b.edition;
  const fronts = group.filter(({ isBack }) => !isBack);
  return group.filter(
    (back) => back.isBack && (isLike(back, front) || !fronts.some((other) => isLike(back, other))),
  );
}

/** A card's name, with its colour where cards share the name and differ in pitch. */
function namer(cards: Iterable<SourceCard>): (card: SourceCard) => string {
  const pitches = new Map<string, Set<number | undefined>>();
  for (const card of cards) {
    pitches.set(card.name, (pitches.get(card.name) ?? new Set()).add(card.pitch));
  }
  return (card) => {
    const colour = PITCH_COLOUR.get(card.pitch ?? 0);
    return colour && pitches.get(card.name)!.size > 1 ? `${card.name} (${colour})` : card.name;
  };
}

const SEALED_NAME: Record<ProductType, string> = {
  Pack: 'Booster Pack',
  Box: 'Booster Box',
  Case: 'Booster Box Case',
};

function toSealed(set: SealedSet, productType: ProductType): BuiltProduct {
  const fcId = `${set.setType}-${productType}`;
  const key: ProductKey = `sealed:${fcId}`;
  const edition = set.edition === null ? '' : ` [${set.edition} Edition]`;
  const product: CatalogueProduct = {
    productId: productIdOf(key),
    vendorProductId: null,
    name: `${set.setName} ${SEALED_NAME[productType]}${edition}`,
    number: null,
    otherNumbers: [],
    imageUrl: '',
    description: '',
    setCode: set.setCode,
    setName: set.setName,
    releaseDate: set.releaseDate,
    sealed: { setType: set.setType, productType },
    ...NOT_A_CARD,
    variants: [
      {
        variantId: variantIdOf(key, 'Normal'),
        variantName: 'Normal',
        fcId,
        edition: set.edition,
        finish: 'Normal',
        rarity: null,
        isExpansionSlot: false,
        treatments: [],
        artists: [],
      },
    ],
  };
  return { key, product };
}

function joined(values: readonly string[]): string | null {
  return values.length === 0 ? null : values.join(', ');
}

function valueText(value: number | undefined, special?: string): string | null {
  return value === undefined ? (special ?? null) : String(value);
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
