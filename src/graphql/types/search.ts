import { LIMITS } from '../../domain/limits.ts';
import { DEFAULT_SORTS } from '../../domain/orders.ts';
import { FILTER_FIELDS, type FilterField } from '../../domain/search/product-filter.ts';
import type { Facet, FacetField, Suggestion } from '../../domain/search/search-index.ts';
import { withCommas } from '../../lib/text.ts';
import {
  type FoundProducts,
  listProducts,
  type Matches,
  suggestSearches,
} from '../../services/products/search.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import { nullOnlyByError } from '../semantic-non-null.ts';
import type { SchemaParts } from './refs.ts';

/** Of each facet; there are 30 classes, 111 sets and 10 rarities, and fewer of the rest. */
const MAX_FACETS = {
  class: 50,
  set: 200,
  rarity: 20,
  finish: 20,
  edition: 20,
  treatment: 20,
} satisfies Record<FacetField, number>;

/** The search of products, and what a text may become. */
export function addSearch(parts: SchemaParts): void {
  addProductSearch(parts);
  addSearchMatch(parts);
  addSuggest(parts);
}

function addProductSearch(parts: SchemaParts): void {
  const { builder, enums, ProductType, SearchMatchType } = parts;
  const FacetsType = addFacets(parts);
  const FilterInput = addFilter(parts);
  const [PRODUCT_CONNECTION, PRODUCT_EDGE] = connectionNames('Product');
  builder.queryFields((t) => ({
    products: t.connection(
      {
        type: ProductType,
        ...nullOnlyByError,
        description: 'The products that match, or all of them.',
        args: {
          query: t.arg.string({
            description:
              'Words, a card number, or filters such as `class:ninja`; all products where it is left out.',
          }),
          filter: t.arg({ type: FilterInput, description: 'What is to match beside the query.' }),
          sort: t.arg({
            type: enums.ProductSort,
            defaultValue: DEFAULT_SORTS.products,
            description: 'Order.',
          }),
          reverse: t.arg.boolean({
            defaultValue: false,
            description: 'The same order from its other end; not of relevance.',
          }),
        },
        resolve: async (_root, { query, filter, sort, reverse, ...args }, { context }) => {
          const asked = { query, filter, sort: sort ?? DEFAULT_SORTS.products, reverse: reverse ?? false };
          const search = await listProducts(context, asked);
          const connection = await connectionOf(args, search.order, search.page, () => search.count);
          return Object.assign(connection, { search });
        },
      },
      {
        ...PRODUCT_CONNECTION,
        fields: (f) => ({
          didYouMean: f.string({
            nullable: true,
            description:
              'The query as the best match spells it; null when it is right as it is or finds nothing.',
            resolve: ({ search }) => search.didYouMean(),
          }),
          facets: f.field({
            type: FacetsType,
            description: `How the products that match are spread, also those beyond the ${withCommas(LIMITS.searchResults)} that can be reached.`,
            resolve: ({ search }) => search,
          }),
        }),
      },
      {
        ...PRODUCT_EDGE,
        fields: (f) => ({
          matches: f.field({
            type: [SearchMatchType],
            description: `What of the query the product matches, and where: its words, then its other parts in their order; the first ${LIMITS.searchMatches}.`,
            extensions: { maxItems: LIMITS.searchMatches },
            // The page is that of `searchProducts`.
            resolve: ({ node, page }) => (page as FoundProducts).reasons(node),
          }),
        }),
      },
    ),
  }));
}

function addFilter({ builder }: SchemaParts) {
  const descriptions: Record<FilterField, string> = {
    class: 'Classes, e.g. `Ninja`.',
    set: 'Sets by code or name, e.g. `WTR`.',
    rarity: 'Rarities, e.g. `Majestic`.',
    finish: 'Finishes, e.g. `Cold Foil`.',
    edition: 'Editions, e.g. `1st`.',
    treatment: 'Treatments, e.g. `Extended Art`.',
  };
  return builder.inputType('ProductFilter', {
    description: `What products are to match: all that is given, of each list any of its 1 to ${LIMITS.filterValues} values, as the filter of that name takes them and facets tell them; all of it in one variant.`,
    fields: (t) => ({
      ...(Object.fromEntries(
        FILTER_FIELDS.map((field) => [field, t.stringList({ description: descriptions[field] })]),
      ) as Record<FilterField, ReturnType<typeof t.stringList<false>>>),
      sealed: t.boolean({ description: 'Only what is sealed, or only cards.' }),
    }),
  });
}

function addSuggest(parts: SchemaParts): void {
  const SuggestionType = addSuggestion(parts);
  parts.builder.queryFields((t) => ({
    suggest: t.field({
      type: [SuggestionType],
      description: 'What the text of a search may become as it is typed, the likeliest first.',
      extensions: { maxItems: LIMITS.suggestions },
      args: {
        text: t.arg.string({
          required: true,
          description: `What is typed so far, at most ${LIMITS.searchQueryCharacters} characters.`,
        }),
        first: t.arg.int({
          defaultValue: LIMITS.defaultSuggestions,
          description: `At most so many, 1 to ${LIMITS.suggestions}.`,
        }),
      },
      resolve: (_root, { text, first }, { context }) => suggestSearches(context, text, first ?? undefined),
    }),
  }));
}

function addSearchMatch({ SearchMatchType }: SchemaParts): void {
  SearchMatchType.implement({
    description: 'A part of a query that a product, or what is held, matches.',
    fields: (t) => ({
      typed: t.exposeString('typed', { description: 'The part of the query.' }),
      field: t.exposeString('field', { description: 'The field that matches, e.g. `name`.' }),
      value: t.exposeString('value', {
        description: 'What the field says; of words in lower case and without punctuation.',
      }),
      place: t.exposeInt('place', {
        nullable: true,
        description: 'Which word of the value, from 1; null where it is the whole.',
      }),
    }),
  });
}

function addSuggestion({ builder, enums }: SchemaParts) {
  return builder.objectRef<Suggestion>('SearchSuggestion').implement({
    description: 'What the text of a search may become.',
    fields: (t) => ({
      text: t.exposeString('text', { description: 'The whole text, with its end completed.' }),
      kind: t.expose('kind', { type: enums.SuggestionKind, description: 'What it is completed by.' }),
      completion: t.exposeString('completion', { description: 'The name, field or value alone.' }),
    }),
  });
}

function addFacets({ builder }: SchemaParts) {
  const FacetType = builder.objectRef<Facet>('Facet').implement({
    description: 'One value of a filter, and how many products have it.',
    fields: (t) => ({
      value: t.exposeString('value', { description: 'As the filter takes it, e.g. `WTR`.' }),
      label: t.exposeString('label', { description: 'For people, e.g. `Welcome to Rathe`.' }),
      count: t.exposeInt('count', { description: 'Number of products.' }),
    }),
  });
  return builder.objectRef<Matches>('ProductFacets').implement({
    description: 'How the products that match are spread.',
    fields: (t) => {
      const facet = (field: FacetField, description: string) =>
        t.field({
          type: [FacetType],
          description,
          extensions: { maxItems: MAX_FACETS[field] },
          resolve: (matches) => matches.facet(field, MAX_FACETS[field]),
        });
      return {
        class: facet('class', 'By class, most first.'),
        set: facet('set', `By set, most first; the first ${MAX_FACETS.set}.`),
        rarity: facet('rarity', 'By rarity, most first.'),
        finish: facet('finish', 'By finish, most first.'),
        edition: facet('edition', 'By edition, most first.'),
        treatment: facet('treatment', 'By treatment, most first.'),
      };
    },
  });
}
