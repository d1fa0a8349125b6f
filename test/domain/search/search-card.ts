import type { PricedVariant, SearchCard } from './built-index.ts';

/** Fields of an entry; each of the rarities comes in each of the variants, for the price. */
export type CardFields = Partial<SearchCard> & {
  rarities?: readonly string[];
  variantNames?: readonly string[];
  price?: string | null;
};

/** A card of which nothing is known but these fields. */
export function searchCard({
  rarities = [],
  variantNames = [],
  price = null,
  ...fields
}: CardFields & Pick<SearchCard, 'productId' | 'name'>): SearchCard {
  const names = variantNames.length === 0 ? ['Normal'] : variantNames;
  const each = rarities.length === 0 ? [null] : rarities;
  return {
    number: null,
    otherNumbers: [],
    setCode: 'WTR',
    setName: 'Welcome to Rathe',
    releaseDate: null,
    class: null,
    cardType: null,
    cardSubType: null,
    talent: null,
    pitchValue: null,
    cost: null,
    power: null,
    defenseValue: null,
    life: null,
    intellect: null,
    otherFaces: [],
    keywords: [],
    legality: null,
    description: '',
    sales30: 0,
    sealedProductType: null,
    variants: names.flatMap((variantName, i) =>
      each.map((rarity, j) => searchVariant(`${fields.productId}-${i}${j}`, { variantName, rarity, price })),
    ),
    ...fields,
  };
}

const EDITION = /^(1st|Unlimited) Edition /;

/** A variant of which nothing is known but these fields; edition and finish are those of the name. */
export function searchVariant(variantId: string, fields: Partial<PricedVariant> = {}): PricedVariant {
  const variantName = fields.variantName ?? 'Normal';
  return {
    variantId,
    variantName,
    fcId: variantId,
    edition: EDITION.exec(variantName)?.[1] ?? null,
    finish: variantName.replace(EDITION, ''),
    rarity: null,
    treatments: [],
    artists: [],
    price: null,
    eur: null,
    ...fields,
  };
}
