import type { Owner, Stock } from './fill.ts';
import { Connection, load, parsed, percentile, type RequestParts, sendOnce, wireRequest } from './load.ts';
import type { RunningServer } from './servers.ts';
import type { Tokens } from './workloads.ts';

/** What a request costs as the lists grow, one request at a time. */
export interface Growth {
  name: string;
  medianMillis: number;
  p99Millis: number;
  /** Over the median of the one before it, where the two are a pair. */
  ratio?: number;
  wanted: string;
}

const MILLIS = 1500;

export async function measureGrowth(
  { port }: RunningServer,
  { large, many }: Stock,
  tokens: Tokens,
  rounds: number,
): Promise<Growth[]> {
  const graphql = (owner: Owner, query: string, variables: object) => ({
    method: 'POST',
    path: '/graphql',
    headers: { Authorization: `Bearer ${tokens.get(owner.accountId)}`, Accept: 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const send = async (request: Parameters<typeof wireRequest>[0]) => {
    const { status, body } = await sendOnce(port, wireRequest(request));
    if (status !== 200 || body.includes('"errors"')) throw new Error(body);
    return JSON.parse(body).data;
  };
  const id = large.collectionIds[0];
  const transactions = (after: string | null) =>
    graphql(
      large,
      `query ($id: ID!, $after: String, $last: Int, $first: Int) { collection(id: $id) {
        transactions(first: $first, last: $last, after: $after) { nodes { id occurred quantity unitAmount { value }
        variant { id variantName product { id name } } } pageInfo { startCursor } } } }`,
      { id, after, first: 50 },
    );
  const lastPage = await send({
    ...transactions(null),
    body: JSON.stringify({
      query:
        'query ($id: ID!) { collection(id: $id) { transactions(last: 51) { pageInfo { startCursor } } } }',
      variables: { id },
    }),
  });
  const collections = (sort: string) =>
    graphql(
      many,
      `query ($sort: CollectionSort) { collections(first: 50, sort: $sort) { nodes { id name marketValue { value } } } }`,
      { sort },
    );
  const deep = lastPage.collection.transactions.pageInfo.startCursor;
  const pairs = [
    [
      {
        name: 'transactions of a large collection, first page',
        request: transactions(null),
        wanted: '',
      },
      { name: 'the last page', request: transactions(deep), wanted: '≤ 1.2 × the first' },
    ],
    [
      {
        name: '200 collections, by time',
        request: collections('CHRONOLOGICAL'),
        wanted: '',
      },
      { name: 'by value', request: collections('VALUE'), wanted: '≤ 2 × by time' },
    ],
  ];
  const growth: Growth[] = [];
  for (const pair of pairs) {
    const times = pair.map((): number[] => []);
    for (let round = 0; round <= rounds; round++) {
      for (const [i, { request }] of pair.entries()) {
        await send(request);
        const options = { connections: 1, millis: MILLIS, offset: 0 };
        const measured = await load(port, [wireRequest(request)], options);
        if (round > 0) times[i]!.push(...measured.times);
      }
    }
    const medians = times.map((list) =>
      percentile(
        list.sort((a, b) => a - b),
        0.5,
      ),
    );
    for (const [i, { name, wanted }] of pair.entries()) {
      growth.push({
        name,
        medianMillis: medians[i]!,
        p99Millis: percentile(times[i]!, 0.99),
        ...(i > 0 && { ratio: medians[i]! / medians[0]! }),
        wanted,
      });
    }
  }
  const pages = new SummaryPages(port, large, tokens);
  for (const sort of SORTS) growth.push(...(await pages.measure(sort, rounds)));
  return growth;
}

interface Sort {
  name: string;
  graphql: string;
  rest: string;
  isWanted?: true;
}

const SORTS: Sort[] = [
  { name: 'gain', graphql: 'GAIN', rest: 'Gain', isWanted: true },
  { name: 'market value', graphql: 'MARKET_VALUE', rest: 'MarketValue' },
  { name: 'name', graphql: 'ALPHABETICAL', rest: 'Alphabetical' },
];

/** First pages of each round, each after a write of the collection. */
const COLD_PAGES = 20;
const FURTHER_PAGES = 10;

const SUMMARIES = `query ($id: ID!, $sort: TransactionSummarySort, $after: String) { collection(id: $id) {
  transactionSummaries(first: 50, sort: $sort, after: $after) {
    nodes { id quantity gain { value } variant { id variantName } } pageInfo { endCursor } } } }`;

/** Pages of the summaries of one collection: the first after a write of it, so that no node has it in memory. */
class SummaryPages {
  readonly #connection: Connection;
  readonly #headers: Record<string, string>;
  readonly #id: string;
  #variantId = '';

  constructor(port: number, { accountId, collectionIds }: Owner, tokens: Tokens) {
    this.#connection = new Connection(port);
    this.#headers = { Authorization: `Bearer ${tokens.get(accountId)}`, Accept: 'application/json' };
    this.#id = collectionIds[0]!;
  }

  async measure({ name, graphql, rest, isWanted }: Sort, rounds: number): Promise<Growth[]> {
    const first: number[] = [];
    const further: number[] = [];
    const positions: number[] = [];
    for (let i = 0; i <= rounds * COLD_PAGES; i++) {
      const page = (after: string | null) => this.#page(graphql, after);
      if (i > 0) await this.#write();
      let { millis, cursor } = await page(null);
      if (i > 0) first.push(millis);
      for (let n = 1; n <= FURTHER_PAGES; n++) {
        ({ millis, cursor } = await page(cursor));
        further.push(millis);
        const path = `/collection/${this.#id}/transaction-summary?sort=${rest}&cursor=${n * 50}`;
        positions.push((await this.#send({ method: 'GET', path })).millis);
      }
    }
    return [
      figures(`summaries by ${name}, first page after a write`, first, isWanted && '≤ 15 ms'),
      figures('further pages, by cursor', further, isWanted && '≤ 3 ms'),
      figures('further pages of REST, by position', positions, isWanted && '≤ 3 ms'),
    ];
  }

  async #page(sort: string, after: string | null) {
    const body = JSON.stringify({ query: SUMMARIES, variables: { id: this.#id, sort, after } });
    const { millis, text } = await this.#send({ method: 'POST', path: '/graphql', body });
    const { nodes, pageInfo } = JSON.parse(text).data.collection.transactionSummaries;
    this.#variantId = nodes[0]?.variant.id ?? this.#variantId;
    return { millis, cursor: pageInfo.endCursor as string };
  }

  async #write(): Promise<void> {
    const entry = {
      variantId: this.#variantId,
      occurredDate: '2026-01-31',
      action: 'Purchase',
      quantity: 1,
      unitAmount: { currency: 'USD', value: 1.25 },
    };
    const path = `/collection/${this.#id}/transaction`;
    await this.#send({ method: 'POST', path, body: JSON.stringify(entry) });
  }

  async #send(request: RequestParts): Promise<{ millis: number; text: string }> {
    const wire = wireRequest({ ...request, headers: this.#headers });
    const start = performance.now();
    const response = await this.#connection.send(wire);
    const millis = performance.now() - start;
    const { status, body: text } = parsed(response);
    if (status >= 300 || text.includes('"errors"')) throw new Error(text.slice(0, 1000));
    return { millis, text };
  }
}

function figures(name: string, times: number[], wanted = ''): Growth {
  times.sort((a, b) => a - b);
  return { name, medianMillis: percentile(times, 0.5), p99Millis: percentile(times, 0.99), wanted };
}
