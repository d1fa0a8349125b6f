import type { Owner, Stock } from './fill.ts';
import { load, percentile, sendOnce, wireRequest } from './load.ts';
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
  const summaries = (sort: string) =>
    graphql(
      large,
      `query ($id: ID!, $sort: TransactionSummarySort) { collection(id: $id) {
        transactionSummaries(first: 50, sort: $sort) { nodes { id quantity gain { value } variant { id variantName } } } } }`,
      { id, sort },
    );
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
        name: 'transactions of a collection of 100,000, first page',
        request: transactions(null),
        wanted: '',
      },
      { name: 'the last page', request: transactions(deep), wanted: '≤ 1.2 × the first' },
    ],
    [
      {
        name: 'summaries by gain, 10,000 variants, first page',
        request: summaries('GAIN'),
        wanted: '≤ 15 ms',
      },
    ],
    [
      {
        name: 'summaries by name, 10,000 variants, first page',
        request: summaries('ALPHABETICAL'),
        wanted: '',
      },
    ],
    [
      {
        name: 'collections, 200 of 5,000 variants, by time',
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
  return growth;
}
