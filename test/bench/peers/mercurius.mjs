import fastify from 'fastify';
import mercurius from 'mercurius';
import postgres from 'postgres';
import { CREATE, NESTED, PRODUCT } from '../compare/statements.ts';

/** Mercurius with graphql-jit, in the hands of somebody who writes one statement for each query, as the floor does. */
const asText = (value) => value;
const sql = postgres(process.env.DATABASE_URL, {
  max: 8,
  fetch_types: false,
  types: {
    bigint: { to: 20, from: [20], serialize: String, parse: Number },
    numeric: { to: 1700, from: [1700], serialize: String, parse: Number },
    date: { to: 1082, from: [1082], serialize: asText, parse: asText },
  },
});
const query = (text, params) => sql.unsafe(text, params, { prepare: true });

const schema = `
  type Money { value: Float! }
  type Product {
    id: ID! name: String! number: String imageUrl: String! description: String! class: String rarity: String
    variants: [Variant!]!
  }
  type Variant { id: ID! variantName: String! fcId: String! marketPrice: Money product: Product! }
  type Summary { quantity: Float! invested: Money marketValue: Money! variant: Variant! }
  type SummaryConnection { nodes: [Summary!]! }
  type Collection { id: ID! name: String! marketValue: Money! transactionSummaries(first: Int, sort: String): SummaryConnection! }
  type CollectionConnection { nodes: [Collection!]! }
  type Transaction { id: ID! occurred: String! action: String! quantity: Int! unitAmount: Money! variant: Variant! }
  input MoneyInput { currency: String! value: Float! }
  input CreateTransactionInput {
    collectionId: ID! variantId: ID! occurredDate: String! action: String! quantity: Int! unitAmount: MoneyInput!
  }
  type CreateTransactionPayload { transaction: Transaction! }
  type Query { collections(account: ID!, first: Int): CollectionConnection! product(id: ID!): Product }
  type Mutation { createTransaction(account: ID!, input: CreateTransactionInput!): CreateTransactionPayload! }`;

const money = (value) => (value === null ? null : { value });

async function collections(accountId) {
  const nodes = [];
  for (const row of await query(NESTED, [accountId])) {
    if (nodes.at(-1)?.id !== row.id) {
      const { id, name, collectionValue } = row;
      nodes.push({ id, name, marketValue: money(collectionValue), transactionSummaries: { nodes: [] } });
    }
    nodes.at(-1).transactionSummaries.nodes.push({
      quantity: row.quantity,
      invested: money(row.invested),
      marketValue: money(row.marketValue),
      variant: {
        id: row.variantId,
        variantName: row.variantName,
        fcId: row.fcId,
        marketPrice: money(row.price),
        product: { id: row.productId, name: row.productName, number: row.number, imageUrl: row.imageUrl },
      },
    });
  }
  return { nodes };
}

async function product(id) {
  const rows = await query(PRODUCT, [id]);
  const variants = rows.map(({ variantId, variantName, fcId, price }) => {
    return { id: variantId, variantName, fcId, marketPrice: money(price) };
  });
  return { ...rows[0], variants };
}

let entered = 0;
const START = `txn_${Date.now().toString(36).padStart(13, '0')}`;

async function createTransaction(accountId, input) {
  const { collectionId, variantId, occurredDate, action, quantity, unitAmount } = input;
  const id = START + String(entered++).padStart(13, '0');
  const { value, currency } = unitAmount;
  const [row] = await query(CREATE, [
    accountId,
    collectionId,
    id,
    variantId,
    occurredDate,
    action,
    quantity,
    value,
    currency,
  ]);
  const variant = {
    id: variantId,
    variantName: row.variantName,
    fcId: row.fcId,
    product: { id: row.productId, name: row.productName, number: row.number, imageUrl: row.imageUrl },
  };
  const occurred = `${row.occurred}T12:00:00Z`;
  return { transaction: { ...row, id, occurred, unitAmount: money(row.unitAmount), variant } };
}

const resolvers = {
  Query: { collections: (_, { account }) => collections(account), product: (_, { id }) => product(id) },
  Mutation: { createTransaction: (_, { account, input }) => createTransaction(account, input) },
};

const app = fastify();
app.register(mercurius, { schema, resolvers, jit: 1, path: '/graphql' });
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
