import type { Owner, Stock } from './fill.ts';
import { NUMBER, type RequestParts } from './load.ts';

/** Who is measured. */
export type ServerName = 'product' | 'floor' | 'postgraphile' | 'mercurius';

/** What a workload sends to one kind of server, and how its answers are read for the comparison. */
interface Side {
  requests: RequestParts[];
  /** The answer in the shape that all are compared in; numbers are compared to the cent. */
  read: (body: never) => unknown;
}

export interface Workload {
  name: string;
  sides: Partial<Record<ServerName, Side>>;
  /** Reads of one thing are compared; what writes differ in (ids) is not. */
  target: { floor?: number; postgraphile?: number };
}

/** Access tokens by the account's id. */
export type Tokens = ReadonlyMap<string, string>;

/** The tokens of the owners, from the product's server. */
export async function tokensOf(port: number, owners: readonly Owner[], scope = 'default'): Promise<Tokens> {
  const tokens = new Map<string, string>();
  for (const { accountId, clientId, clientSecret } of owners) {
    const response = await fetch(`http://127.0.0.1:${port}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    });
    tokens.set(accountId, ((await response.json()) as { access_token: string }).access_token);
  }
  return tokens;
}

interface Catalogue {
  /** All products that have variants, by chance. */
  productIds: string[];
  variantIds: string[];
  /** One-word searches that full text answers with the same products. */
  words: string[];
}

/** A request of GraphQL. */
export const graphql = (
  query: string,
  variables: object,
  headers: Record<string, string> = {},
): RequestParts => ({
  method: 'POST',
  path: '/graphql',
  headers: { Accept: 'application/json', ...headers },
  body: JSON.stringify({ query: query.replace(/\s+/g, ' ').trim(), variables }),
});

/** The same with a number in its body that is another one each time. */
const numbered = (request: RequestParts): RequestParts => ({
  ...request,
  body: request.body!.replace(/}$/, `,"extensions":{"number":"${NUMBER}"}}`),
});

export const bearer = (tokens: Tokens, accountId: string) => ({
  Authorization: `Bearer ${tokens.get(accountId)}`,
});

export const NESTED = `query Nested {
  collections(first: 10) { nodes { id name marketValue { value }
    transactionSummaries(first: 10, sort: MARKET_VALUE) { nodes { quantity invested { value } marketValue { value }
      variant { id variantName fcId marketPrice { value } product { id name number imageUrl } } } } } }
}`;

const NESTED_POSTGRAPHILE = `query Nested($account: UUID!) {
  allCollections(condition: { accountId: $account, deleted: false }, orderBy: ROW_ID_ASC, first: 10) { nodes { rowId name marketValue
    valuedHoldingsByAccountIdAndCollectionId(first: 10, orderBy: [MARKET_VALUE_DESC, VARIANT_ID_DESC]) { nodes { quantity invested marketValue
      variantByVariantId { rowId name fcId
        pricesByVariantId(condition: { source: "VendorMarket" }, first: 1) { nodes { amount } }
        productByProductId { rowId name number imageUrl } } } } } }
}`;

const NESTED_MERCURIUS = NESTED.replace('query Nested', 'query Nested($account: ID!)')
  .replace('collections(', 'collections(account: $account, ')
  .replace('MARKET_VALUE', '"MARKET_VALUE"');

const PRODUCT = `query Product($id: ID!) {
  product(id: $id) { id name number imageUrl description class rarity
    variants { id variantName fcId marketPrice { value } } }
}`;

const PRODUCT_POSTGRAPHILE = `query Product($id: String!) {
  productByRowId(rowId: $id) { rowId name number imageUrl description class rarity
    variantsByProductId(orderBy: [POSITION_ASC, ROW_ID_ASC]) { nodes { rowId name fcId
      pricesByVariantId(condition: { source: "VendorMarket" }, first: 1) { nodes { amount } } } } }
}`;

const CREATED = `transaction { id occurred action quantity unitAmount { value }
  variant { id variantName fcId product { id name number imageUrl } } }`;
const CREATE = `mutation Create($input: CreateTransactionInput!) {
  createTransaction(input: $input) { ... on CreateTransactionPayload { ${CREATED} } ... on Error { message } }
}`;
const CREATE_MERCURIUS = `mutation Create($account: ID!, $input: CreateTransactionInput!) {
  createTransaction(account: $account, input: $input) { ${CREATED} }
}`;
const CREATE_POSTGRAPHILE = `mutation Create($input: RecordTransactionInput!) {
  recordTransaction(input: $input) { result { rowId occurred action quantity unitAmount
    variantByVariantId { rowId name fcId productByProductId { rowId name number imageUrl } } } }
}`;

// biome-ignore lint/suspicious/noExplicitAny: the shapes of four servers' answers
type Body = any;
type Read = (body: Body) => unknown;

const readVariant: Read = (v) => ({
  id: v.id,
  name: v.variantName,
  fcId: v.fcId,
  price: v.marketPrice?.value ?? null,
  product: v.product,
});
const readVariantPostgraphile: Read = (v) => ({
  id: v.rowId,
  name: v.name,
  fcId: v.fcId,
  price: v.pricesByVariantId?.nodes[0]?.amount ?? null,
  product: v.productByProductId && withId(v.productByProductId),
});

function withId({ rowId, ...rest }: Body) {
  return { id: rowId, ...rest };
}

const readNested: Read = ({ data }) =>
  data.collections.nodes.map((c: Body) => ({
    id: c.id,
    name: c.name,
    marketValue: c.marketValue.value,
    summaries: c.transactionSummaries.nodes.map((s: Body) => ({
      quantity: s.quantity,
      invested: s.invested.value,
      marketValue: s.marketValue.value,
      variant: readVariant(s.variant),
    })),
  }));

const readNestedPostgraphile: Read = ({ data }) =>
  data.allCollections.nodes.map((c: Body) => ({
    id: c.rowId,
    name: c.name,
    marketValue: c.marketValue,
    summaries: c.valuedHoldingsByAccountIdAndCollectionId.nodes.map((s: Body) => ({
      quantity: s.quantity,
      invested: s.invested,
      marketValue: s.marketValue,
      variant: readVariantPostgraphile(s.variantByVariantId),
    })),
  }));

const readProduct: Read = ({ data: { product } }) => ({
  ...product,
  variants: product.variants.map((v: Body) => {
    const { product: _, ...variant } = readVariant(v) as Body;
    return variant;
  }),
});
const readProductPostgraphile: Read = ({ data }) => {
  const { variantsByProductId, ...product } = withId(data.productByRowId);
  return {
    ...product,
    variants: variantsByProductId.nodes.map((v: Body) => {
      const { product: _, ...variant } = readVariantPostgraphile(v) as Body;
      return variant;
    }),
  };
};

/** Actions in GraphQL are in capitals. */
const inWords = (action: string) => action[0] + action.slice(1).toLowerCase();

const readCreated: Read = ({ occurred, action, quantity, unitAmount, variant }) => {
  const { price: _, ...rest } = readVariant(variant) as Body;
  return {
    occurred: occurred.slice(0, 10),
    action: inWords(action),
    quantity,
    amount: unitAmount.value,
    variant: rest,
  };
};
const readCreatedPostgraphile: Read = ({ data }) => {
  const { occurred, action, quantity, unitAmount, variantByVariantId } = data.recordTransaction.result;
  const { price: _, ...variant } = readVariantPostgraphile(variantByVariantId) as Body;
  return { occurred, action, quantity, amount: unitAmount, variant };
};
const readCreatedRest: Read = (t) => ({
  occurred: t.occurred.slice(0, 10),
  action: t.action,
  quantity: t.quantity,
  amount: t.unitAmount.value,
  variant: {
    id: t.variantId,
    name: t.variantName,
    fcId: t.fcId,
    product: { id: t.productId, name: t.productName, number: t.number, imageUrl: t.imageUrl },
  },
});

const asIs: Read = (body) => body;

/** Without the words that tell of a price nobody knows: the floor has the amounts alone. */
const readSummaries: Read = ({ results, ...rest }) => ({
  ...rest,
  results: results.map(({ warning: _, ...summary }: Body) => summary),
});

/** How many accounts send requests, but for cold ones. */
const CALLERS = 16;
/** How many products are asked for again and again. */
const HOT = 500;

function nested(
  name: string,
  target: Workload['target'],
  owners: readonly Owner[],
  tokens: Tokens,
): Workload {
  return {
    name,
    target,
    sides: {
      product: {
        requests: owners.map(({ accountId }) => graphql(NESTED, {}, bearer(tokens, accountId))),
        read: readNested,
      },
      floor: {
        requests: owners.map(({ accountId }) => ({ method: 'GET', path: `/nested/${accountId}` })),
        read: asIs,
      },
      postgraphile: {
        requests: owners.map(({ accountId }) => graphql(NESTED_POSTGRAPHILE, { account: accountId })),
        read: readNestedPostgraphile,
      },
      mercurius: {
        requests: owners.map(({ accountId }) => graphql(NESTED_MERCURIUS, { account: accountId })),
        read: readNested,
      },
    },
  };
}

function product(name: string, target: Workload['target'], ids: readonly string[], tokens: Tokens): Workload {
  const callers = [...tokens.keys()].slice(0, CALLERS);
  return {
    name,
    target,
    sides: {
      product: {
        requests: ids.map((id, i) => graphql(PRODUCT, { id }, bearer(tokens, callers[i % callers.length]!))),
        read: readProduct,
      },
      floor: { requests: ids.map((id) => ({ method: 'GET', path: `/product/${id}` })), read: asIs },
      postgraphile: {
        requests: ids.map((id) => graphql(PRODUCT_POSTGRAPHILE, { id })),
        read: readProductPostgraphile,
      },
      mercurius: { requests: ids.map((id) => graphql(PRODUCT, { id })), read: readProduct },
    },
  };
}

/** With another body each time, on all sides that have bodies. */
function cold({ sides, ...workload }: Workload): Workload {
  const numberedSides = Object.entries(sides).map(([name, side]) => [
    name,
    { ...side, requests: side.requests.map((request) => (request.body ? numbered(request) : request)) },
  ]);
  return { ...workload, sides: Object.fromEntries(numberedSides) };
}

/** The workloads that are compared. */
export function comparedWorkloads(stock: Stock, tokens: Tokens, catalogue: Catalogue): Workload[] {
  const callers = stock.owners.slice(0, CALLERS);
  const places = callers.flatMap(({ accountId, collectionIds }) =>
    collectionIds.map((collectionId) => ({ accountId, collectionId })),
  );
  const entries = places.map((place, i) => ({
    ...place,
    entry: {
      variantId: catalogue.variantIds[(i * 37) % catalogue.variantIds.length]!,
      occurredDate: '2026-01-31',
      action: 'Purchase',
      quantity: 1 + (i % 3),
      unitAmount: { currency: 'USD', value: 1.25 },
    },
  }));
  const inCapitals = (entry: (typeof entries)[number]['entry']) => ({ ...entry, action: 'PURCHASE' });
  const { productIds, words } = catalogue;
  return [
    nested('GraphQL nested, hot', { floor: 1.4, postgraphile: 3.5 }, callers, tokens),
    cold(nested('GraphQL nested, cold', {}, stock.owners, tokens)),
    product('GraphQL one product, hot', { floor: 1.3, postgraphile: 4 }, productIds.slice(0, HOT), tokens),
    cold(product('GraphQL one product, cold', {}, productIds, tokens)),
    {
      name: 'GraphQL create transaction',
      target: { floor: 0.6, postgraphile: 2 },
      sides: {
        product: {
          requests: entries.map(({ accountId, collectionId, entry }) =>
            graphql(CREATE, { input: { collectionId, ...inCapitals(entry) } }, bearer(tokens, accountId)),
          ),
          read: ({ data }: Body) => readCreated(data.createTransaction.transaction),
        },
        floor: {
          requests: entries.map(({ accountId, collectionId, entry }) => ({
            method: 'POST',
            path: `/transaction/${accountId}/${collectionId}`,
            body: JSON.stringify(entry),
          })),
          read: readCreatedRest,
        },
        postgraphile: {
          requests: entries.map(({ accountId, collectionId, entry: { unitAmount, ...entry } }) =>
            graphql(CREATE_POSTGRAPHILE, {
              input: {
                accountId,
                collectionId,
                ...entry,
                amount: unitAmount.value,
                ofCurrency: unitAmount.currency,
              },
            }),
          ),
          read: readCreatedPostgraphile,
        },
        mercurius: {
          requests: entries.map(({ accountId, collectionId, entry }) =>
            graphql(CREATE_MERCURIUS, { account: accountId, input: { collectionId, ...entry } }),
          ),
          read: ({ data }: Body) => readCreated(data.createTransaction.transaction),
        },
      },
    },
    {
      name: 'REST page of 50 summaries',
      target: { floor: 1.1 },
      sides: {
        product: {
          requests: places.map(({ accountId, collectionId }) => ({
            method: 'GET',
            path: `/collection/${collectionId}/transaction-summary`,
            headers: bearer(tokens, accountId),
          })),
          read: readSummaries,
        },
        floor: {
          requests: places.map(({ accountId, collectionId }) => ({
            method: 'GET',
            path: `/summaries/${accountId}/${collectionId}`,
          })),
          read: readSummaries,
        },
      },
    },
    {
      name: 'REST create transaction',
      target: { floor: 0.8 },
      sides: {
        product: {
          requests: entries.map(({ accountId, collectionId, entry }) => ({
            method: 'POST',
            path: `/collection/${collectionId}/transaction`,
            headers: bearer(tokens, accountId),
            body: JSON.stringify(entry),
          })),
          read: readCreatedRest,
        },
        floor: {
          requests: entries.map(({ accountId, collectionId, entry }) => ({
            method: 'POST',
            path: `/transaction/${accountId}/${collectionId}`,
            body: JSON.stringify(entry),
          })),
          read: readCreatedRest,
        },
      },
    },
    {
      name: 'product search, one word',
      target: { floor: 0.8 },
      sides: {
        product: {
          requests: words.map((word, i) => ({
            method: 'GET',
            path: `/product/search?q=${word}`,
            headers: bearer(tokens, callers[i % callers.length]!.accountId),
          })),
          read: foundProducts,
        },
        floor: {
          requests: words.map((word) => ({ method: 'GET', path: `/search/${word}` })),
          read: foundProducts,
        },
      },
    },
  ];
}

/** What is found, whatever the order: relevance is more than SQL's rank. */
function foundProducts({ results }: { results: { productId: string }[] }) {
  return [...results].sort((a, b) => (a.productId < b.productId ? -1 : 1));
}

/** An answer with its numbers as texts to the cent, and its objects' keys in one order. */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([name, one]) => [name, comparable(one)]));
  }
  const isAmount = typeof value === 'number' || (typeof value === 'string' && /^-?\d+\.\d+$/.test(value));
  return isAmount
    ? Number(value).toFixed(2)
    : typeof value === 'string' && /^-?\d+$/.test(value)
      ? Number(value).toFixed(2)
      : value;
}
