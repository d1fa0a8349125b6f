import { randomUUID } from 'node:crypto';
import { mutationDocument } from '../../graphql/mutate.ts';
import { csvOf, entry } from './changes.ts';
import type { Place } from './queries.ts';
import { all } from './selections.ts';

/** A request of REST beside the operation of GraphQL that does the same, if there is one: routes have no points of their own. */
export interface Route {
  name: string;
  method: string;
  path: string;
  contentType?: string;
  /** Another each time. */
  body?: () => string;
  graphql?: { text: string; variables?: () => object };
}

const read = (path: string, text?: string): Route => ({
  name: `GET ${path.replace(/_[0-9a-z]{16,}/g, '_…').slice(0, 100)}`,
  method: 'GET',
  path,
  ...(text !== undefined && { graphql: { text } }),
});

const SUMMARY = `${all('TransactionSummary')} variant { ${all('Variant')} marketPrice { value } product { name number imageUrl } }`;
const TRANSACTION = `${all('Transaction')} variant { ${all('Variant')} product { name number imageUrl } }`;

/** @param size transactions of the collection */
export function* routes(place: Place, size: number, accountId: string): Generator<Route> {
  const { collectionId: id, productIds, variantIds } = place;
  const inCollection = (fields: string) => `{ collection(id: "${id}") { ${fields} } }`;
  yield read('/collection?pageSize=200', `{ collections(first: 200) { nodes { ${all('Collection')} } } }`);
  yield read(`/collection/${id}`, inCollection(all('Collection')));
  const page = Math.min(200, size);
  for (const order of ['Chronological', 'Alphabetical']) {
    const list = `transactions(sort: ${order.toUpperCase()},`;
    yield read(
      `/collection/${id}/transaction?sortOrder=${order}&pageSize=200`,
      inCollection(`${list} first: 200) { nodes { ${TRANSACTION} } }`),
    );
    yield read(
      `/collection/${id}/transaction?sortOrder=${order}&pageSize=200&cursor=${size - page}`,
      inCollection(`${list} last: 200) { nodes { ${TRANSACTION} } }`),
    );
  }
  for (const [sort, name] of [
    ['Alphabetical', 'ALPHABETICAL'],
    ['Chronological', 'CHRONOLOGICAL'],
    ['Gain', 'GAIN'],
    ['CardNumber', 'CARD_NUMBER'],
  ] as const) {
    yield read(
      `/collection/${id}/transaction-summary?sort=${sort}&pageSize=200`,
      inCollection(`transactionSummaries(sort: ${name}, first: 200) { nodes { ${SUMMARY} } }`),
    );
  }
  for (const search of [
    'ninja',
    'quantity>2',
    '-zzz',
    '(value>1 or -ninja) -(gain<1 class:guardian)',
    'tag:none',
  ]) {
    yield read(
      `/collection/${id}/transaction-summary?pageSize=1&searchQuery=${encodeURIComponent(search)}`,
      inCollection(
        `transactionSummaries(first: 1, searchQuery: ${JSON.stringify(search)}) { nodes { ${SUMMARY} } }`,
      ),
    );
  }
  const negations = Array.from({ length: 30 }, (_, i) => `-${'aeiou'[i % 5]}${i}`).join(' ');
  for (const search of ['command and conquer', 'comand and conqer', negations, 'a or e or i or o or u']) {
    yield read(
      `/product/search?q=${encodeURIComponent(search)}`,
      `{ products(query: ${JSON.stringify(search)}) { nodes { id name number imageUrl } } }`,
    );
  }
  yield read(
    `/product/${productIds[0]}`,
    `{ product(id: "${productIds[0]}") { ${all('Product')} set { name } variants { ${all('Variant')} marketPrice { value } } } }`,
  );
  yield read(
    '/ev/list?pageSize=200',
    `{ productEvs(first: 200) { nodes { ${all('ProductEv')} productImage } } }`,
  );
  yield read(
    '/ev/breakdown?setType=Wtr1stEdition&productType=Box',
    `{ evBreakdown(setType: "Wtr1stEdition", productType: BOX) { ${all('EvBreakdown')} categories { ${all('EvCategory')} } } }`,
  );
  yield read('/webhook', `{ webhooks { nodes { ${all('Webhook')} } } }`);
  yield {
    name: 'POST /collection/{collectionId}/transaction',
    method: 'POST',
    path: `/collection/${id}/transaction`,
    body: () => JSON.stringify({ ...entry(variantIds[0]!), action: 'Purchase' }),
    graphql: {
      text: mutationDocument('createTransaction'),
      variables: () => ({ input: { collectionId: id, ...entry(variantIds[0]!) } }),
    },
  };
  yield {
    name: 'PUT /collection/{collectionId}',
    method: 'PUT',
    path: `/collection/${id}`,
    body: () =>
      JSON.stringify({ name: randomUUID(), description: '', valued: true, pinned: false, image: 0 }),
    graphql: {
      text: mutationDocument('updateCollection'),
      variables: () => ({ input: { id, name: randomUUID() } }),
    },
  };
  yield {
    name: 'POST /collection/{collectionId}/import of 10,000 rows',
    method: 'POST',
    path: `/collection/${id}/import`,
    contentType: 'text/csv',
    body: () => csvOf(variantIds, 50),
    graphql: {
      text: mutationDocument('previewImport'),
      variables: () => ({ input: { collectionId: id, csv: csvOf(variantIds, 50) } }),
    },
  };
  yield read(`/account/${accountId}/export`);
}
