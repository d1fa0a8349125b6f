import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import postgres from 'postgres';
import { CREATE, NESTED, PRODUCT, SEARCH, SUMMARIES } from './statements.ts';

/**
 * The floor: node:http and postgres.js with the best SQL that we know, and nothing else. No authentication, limits,
 * validation, logs or errors; the account comes with the path.
 */
const asText = (value: string) => value;
const sql = postgres(process.env.DATABASE_URL!, {
  max: 8,
  fetch_types: false,
  types: {
    bigint: { to: 20, from: [20], serialize: String, parse: Number },
    numeric: { to: 1700, from: [1700], serialize: String, parse: Number },
    date: { to: 1082, from: [1082], serialize: asText, parse: asText },
  } as unknown as Record<string, postgres.PostgresType>,
});
type Row = Record<string, unknown>;
const query = (text: string, params: (string | number)[]): Promise<Row[]> =>
  sql.unsafe(text, params, { prepare: true });

async function nested(accountId: string) {
  const collections: { id: unknown; summaries: unknown[] }[] = [];
  for (const row of await query(NESTED, [accountId])) {
    let collection = collections.at(-1);
    if (collection?.id !== row.id) {
      collection = { id: row.id, name: row.name, marketValue: row.collectionValue, summaries: [] } as never;
      collections.push(collection!);
    }
    collection!.summaries.push({
      quantity: row.quantity,
      invested: row.invested,
      marketValue: row.marketValue,
      variant: {
        id: row.variantId,
        name: row.variantName,
        fcId: row.fcId,
        price: row.price,
        product: { id: row.productId, name: row.productName, number: row.number, imageUrl: row.imageUrl },
      },
    });
  }
  return collections;
}

async function product(id: string) {
  const rows = await query(PRODUCT, [id]);
  const { variantId, variantName, fcId, price, ...rest } = rows[0]!;
  const variants = rows.map((row) => ({
    id: row.variantId,
    name: row.variantName,
    fcId: row.fcId,
    price: row.price,
  }));
  return { ...rest, variants };
}

async function summaries(accountId: string, collectionId: string) {
  const rows = await query(SUMMARIES, [accountId, collectionId]);
  const hasMore = rows.length > 50;
  const results = rows
    .slice(0, 50)
    .map(({ currency, cashPosition, invested, profit, gain, marketValue, ...row }) => ({
      ...row,
      cashPosition: { currency, value: cashPosition },
      invested: { currency, value: invested },
      profit: { currency, value: profit },
      gain: gain === null ? null : { currency, value: gain },
      marketValue: { currency, value: marketValue },
    }));
  return hasMore ? { results, nextCursor: 50 } : { results };
}

async function search(words: string) {
  const rows = await query(SEARCH, [words]);
  return rows.length > 50 ? { results: rows.slice(0, 50), nextCursor: 50 } : { results: rows };
}

/** Ids that sort by entry order, as cheap as they can be. */
let entered = 0;
const START = `txn_${Date.now().toString(36).padStart(13, '0')}`;

async function create(accountId: string, collectionId: string, body: string) {
  const { variantId, occurredDate, action, quantity, unitAmount } = JSON.parse(body);
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
  const { unitAmount: amount, currency: given, ...rest } = row!;
  return { ...rest, occurred: `${row!.occurred}T12:00:00Z`, unitAmount: { currency: given, value: amount } };
}

function answer(request: IncomingMessage, body: string): Promise<unknown> {
  const [, route, first, second] = request.url!.split('/') as [string, string, string, string];
  switch (route) {
    case 'nested':
      return nested(first);
    case 'product':
      return product(first);
    case 'summaries':
      return summaries(first, second);
    case 'search':
      return search(first);
    default:
      return create(first, second, body);
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    answer(request, body).then(
      (value) => send(response, 200, value),
      (error) => send(response, 500, String(error)),
    );
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
