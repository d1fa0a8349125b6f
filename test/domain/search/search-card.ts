import type { SearchEntry } from '../../../src/domain/search/search-index.ts';

/** A card of which nothing is known but these fields. */
export function searchCard(
  fields: Pick<SearchEntry, 'productId' | 'name'> & Partial<SearchEntry>,
): SearchEntry {
  return {
    number: null,
    setCode: 'WTR',
    setName: 'Welcome to Rathe',
    rarities: [],
    variantNames: [],
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
    description: '',
    price: null,
    sales30: 0,
    isSealed: false,
    ...fields,
  };
}
