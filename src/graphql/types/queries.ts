import { DomainError } from '../../domain/errors.ts';
import { productEvId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Facet, Facets, Reason, Suggestion } from '../../domain/search/search-index.ts';
import { productEvOrder } from '../../services/evs/list.ts';
import {
  type FoundProducts,
  SEARCH_ORDER,
  searchProducts,
  suggestSearches,
} from '../../services/products/search.ts';
import type { Builder } from '../builder.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import type { Enums } from '../enums.ts';
import type { addCatalogueTypes } from './catalogue.ts';
import type { addEvTypes } from './evs.ts';

/** Most ids that one `nodes` field takes. */
const MAX_NODES = 200;
/** Of one product; each part of a query can have some. */
const MAX_MATCHES = 20;
/** Of each facet; there are 30 classes, 111 sets and 10 rarities, and fewer of the rest. */
const MAX_FACETS = {
  class: 50,
  set: 200,
  rarity: 20,
  finish: 20,
  edition: 20,
  treatment: 20,
} satisfies Record<keyof Facets, number>;

/** The queries on the catalogue and on anything by its id. */
export function addCatalogueQueries(
  builder: Builder,
  enums: Enums,
  types: ReturnType<typeof addCatalogueTypes> & ReturnType<typeof addEvTypes>,
) {
  const { ProductType, VariantType, ProductEvType, EvBreakdownType } = types;
  const FacetsType = addFacets(builder);
  const ReasonType = addReason(builder);
  const SuggestionType = addSuggestion(builder, enums);
  const [PRODUCT_CONNECTION, PRODUCT_EDGE] = connectionNames('Product');
  builder.queryFields((t) => ({
    node: t.field({
      type: builder.nodeInterfaceRef(),
      nullable: true,
      description: 'Anything by its global id; null where there is nothing of yours with it.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.node(id),
    }),
    nodes: t.field({
      type: [builder.nodeInterfaceRef()],
      nullable: { list: false, items: true },
      description: 'Anything by its global id, in the order of the ids.',
      args: { ids: t.arg.idList({ required: true, description: `At most ${MAX_NODES} ids.` }) },
      resolve: (_root, { ids }, { loaders }) => {
        if (ids.length > MAX_NODES)
          throw new DomainError('ValidationFailed', `ids: must have at most ${MAX_NODES} ids`);
        return ids.map((id) => loaders.node(id));
      },
    }),
    product: t.field({
      type: ProductType,
      nullable: true,
      description: 'A product; null where there is none with this id.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.product(id),
    }),
    variant: t.field({
      type: VariantType,
      nullable: true,
      description: 'A variant; null where there is none with this id.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      resolve: (_root, { id }, { loaders }) => loaders.variant(id),
    }),
    products: t.connection(
      {
        type: ProductType,
        description: 'The products that match, by relevance.',
        args: {
          query: t.arg.string({
            required: true,
            description: 'Words, a card number, or filters such as `class:ninja`.',
          }),
        },
        resolve: async (_root, { query, ...args }, { context }) => {
          const search = await searchProducts(context, query);
          const connection = await connectionOf(args, SEARCH_ORDER, search.page, () => search.count);
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
            description:
              'How the products that match are spread, also those beyond the 1,000 that can be reached.',
            resolve: ({ search }) => search.facets(),
          }),
        }),
      },
      {
        ...PRODUCT_EDGE,
        fields: (f) => ({
          matches: f.field({
            type: [ReasonType],
            description: `What of the query the product matches, and where, in the order of the query; the first ${MAX_MATCHES}.`,
            extensions: { maxItems: MAX_MATCHES },
            // The page is that of `searchProducts`.
            resolve: ({ node, page }) => (page as FoundProducts).reasons(node).slice(0, MAX_MATCHES),
          }),
        }),
      },
    ),
    suggest: t.field({
      type: [SuggestionType],
      description: 'What the text of a search may become as it is typed, the likeliest first.',
      extensions: { maxItems: LIMITS.suggestions },
      args: {
        text: t.arg.string({
          required: true,
          description: `What is typed so far, at most ${LIMITS.searchQueryCharacters} characters.`,
        }),
        first: t.arg.int({ defaultValue: 10, description: `At most so many, 1 to ${LIMITS.suggestions}.` }),
      },
      resolve: (_root, { text, first }, { context }) => {
        const most = first ?? 10;
        if (most < 1 || most > LIMITS.suggestions)
          throw new DomainError('ValidationFailed', `first: must be from 1 to ${LIMITS.suggestions}`);
        if ([...text].length > LIMITS.searchQueryCharacters)
          throw new DomainError(
            'ValidationFailed',
            `text: must have at most ${LIMITS.searchQueryCharacters} characters`,
          );
        return suggestSearches(context, text, most);
      },
    }),
    productEvs: t.connection(
      {
        type: ProductEvType,
        description: 'The expected values of sealed products.',
        args: {
          sort: t.arg({
            type: enums.ProductEvSort,
            defaultValue: 'OldestReleaseDate',
            description: 'Order.',
          }),
          productType: t.arg({ type: enums.ProductType, description: 'All where it is left out.' }),
        },
        resolve: (_root, { sort, productType, ...args }, { loaders }) => {
          const order = productEvOrder(sort ?? 'OldestReleaseDate');
          const type = productType ?? null;
          return connectionOf(
            args,
            order,
            (request) => loaders.productEvs(type, order, request),
            () => loaders.productEvCount(type),
          );
        },
      },
      ...connectionNames('ProductEv'),
    ),
    evBreakdown: t.field({
      type: EvBreakdownType,
      nullable: true,
      description: 'The expected value of a sealed product by category; null where there is no such product.',
      args: {
        setType: t.arg.string({ required: true, description: 'Set and edition, e.g. `Wtr1stEdition`.' }),
        productType: t.arg({ type: enums.ProductType, required: true, description: 'Pack, box or case.' }),
      },
      resolve: (_root, { setType, productType }, { loaders }) =>
        loaders.evBreakdown(productEvId(setType, productType)),
    }),
  }));
}

function addReason(builder: Builder) {
  return builder.objectRef<Reason>('SearchMatch').implement({
    description: 'A part of a query that a product matches.',
    fields: (t) => ({
      typed: t.exposeString('typed', { description: 'The part of the query.' }),
      field: t.exposeString('field', { description: 'The field that matches, e.g. `name`.' }),
      value: t.exposeString('value', {
        description: 'What the field says, in lower case and without punctuation.',
      }),
      place: t.exposeInt('place', {
        nullable: true,
        description: 'Which word of the value, from 1; null where it is the whole.',
      }),
    }),
  });
}

function addSuggestion(builder: Builder, enums: Enums) {
  return builder.objectRef<Suggestion>('SearchSuggestion').implement({
    description: 'What the text of a search may become.',
    fields: (t) => ({
      text: t.exposeString('text', { description: 'The whole text, with its end completed.' }),
      kind: t.expose('kind', { type: enums.SuggestionKind, description: 'What it is completed by.' }),
      completion: t.exposeString('completion', { description: 'The name, field or value alone.' }),
    }),
  });
}

function addFacets(builder: Builder) {
  const FacetType = builder.objectRef<Facet>('Facet').implement({
    description: 'One value of a filter, and how many products have it.',
    fields: (t) => ({
      value: t.exposeString('value', { description: 'As the filter takes it, e.g. `WTR`.' }),
      label: t.exposeString('label', { description: 'For people, e.g. `Welcome to Rathe`.' }),
      count: t.exposeInt('count', { description: 'Number of products.' }),
    }),
  });
  return builder.objectRef<Facets>('ProductFacets').implement({
    description: 'How the products that match are spread.',
    fields: (t) => {
      const facet = (field: keyof Facets, description: string) =>
        t.field({
          type: [FacetType],
          description,
          extensions: { maxItems: MAX_FACETS[field] },
          resolve: (facets) => facets[field].slice(0, MAX_FACETS[field]),
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
