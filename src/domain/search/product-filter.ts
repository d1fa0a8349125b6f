import { hasAtMostCharacters } from '../../lib/text.ts';
import { type Breach, validationFailed } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { wordsOf } from './normalise.ts';
import type { QueryNode } from './query.ts';

/** The fields of which facets tell the values. */
export const FILTER_FIELDS = ['class', 'set', 'rarity', 'finish', 'edition', 'treatment'] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

/** What is to be matched beside a query: of each field any of the values, as its filter in the language takes them. */
export type ProductFilter = Partial<Record<FilterField, readonly string[] | null | undefined>> & {
  sealed?: boolean | null | undefined;
};

/** The filters as parts of a query. Throws `ValidationFailed`. */
export function filterNodes(filter: ProductFilter): QueryNode[] {
  const breaches = FILTER_FIELDS.flatMap((field) => breachesOf(field, filter[field]));
  if (breaches.length > 0) throw validationFailed(breaches);
  const nodes = FILTER_FIELDS.flatMap((field): QueryNode[] => {
    const values = filter[field];
    if (values == null) return [];
    const parts = values.map((value) => ({
      kind: 'field' as const,
      field,
      words: wordsOf(value),
      ...NOWHERE,
    }));
    return [{ kind: 'or', parts }];
  });
  const { sealed } = filter;
  if (sealed == null) return nodes;
  const isSealed: QueryNode = { kind: 'flag', flag: 'sealed', ...NOWHERE };
  return [...nodes, sealed ? isSealed : { kind: 'not', part: isSealed }];
}

/** It was not typed. */
const NOWHERE = { from: 0, to: 0 };

function breachesOf(field: FilterField, values: ProductFilter[FilterField]): Breach[] {
  if (values == null) return [];
  if (values.length < 1 || values.length > LIMITS.filterValues)
    return [{ path: ['filter', field], detail: `must have 1 to ${LIMITS.filterValues} values` }];
  return values.flatMap((value, i) => {
    const isRight = hasAtMostCharacters(value, LIMITS.filterValueCharacters) && wordsOf(value).length > 0;
    const detail = `must have 1 to ${LIMITS.filterValueCharacters} characters, and a letter or a digit`;
    return isRight ? [] : [{ path: ['filter', field, i], detail }];
  });
}
