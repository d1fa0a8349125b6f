import { setImmediate as turn } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { newCollection } from '../http/support.ts';

/** How many turns the event loop has while `work` goes on, and what it gives. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ turns: number; result: T }> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns++) await turn();
  return { turns, result: await over };
}

describeOnDatabases('others have their turns while', (database) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await newTestApp(database());
    await app.graphql('{ products(query: "snatch", first: 1) { totalCount } }');
  });

  it('an operation searches 21 times, and gets what one search gives', async () => {
    const negations = '-a -b -c -d -e -f -g -h -i -j -k -l -m -n -o -p -q -r -s -t -u -v -w -x -y -z';
    const search = `products(query: "${negations}", first: 1) { totalCount facets { class { count } } edges { matches { value } node { id } } }`;
    const one = await app.graphql<{ s: unknown }>(`{ s: ${search} }`);
    const query = `{ ${Array.from({ length: 20 }, (_, i) => `s${i}: ${search.replace('-z', `-z${i}`)}`).join(' ')} s: ${search} }`;
    const { turns, result } = await turnsDuring(app.graphql<{ s: unknown }>(query));
    expect(Object.keys(result)).toHaveLength(21);
    expect(result.s).toEqual(one.s);
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it('the 5,000 rows of a file are checked', async () => {
    const collectionId = await newCollection(app);
    const rows = Array.from({ length: 5000 }, (_, i) => `2025-03-01,Purchase,2,${i}.50,USD,MST131,Normal`);
    const csv = ['occurredDate,action,quantity,unitAmount,currency,number,variantName', ...rows].join('\n');
    const { turns, result } = await turnsDuring(
      app.graphql<{ importTransactions: object }>(
        'mutation ($input: ImportTransactionsInput!) { importTransactions(input: $input) { ... on ImportTransactionsPayload { transactionCount errorCount } } }',
        { input: { collectionId, dryRun: true, csv } },
      ),
    );
    expect(result.importTransactions).toEqual({ transactionCount: 5000, errorCount: 0 });
    expect(turns).toBeGreaterThanOrEqual(100);
  });
});
