import { describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { fillDemoAccount } from '../../src/demo.ts';
import { NOW, newTestApp, ownDatabase, statementsOf, type TestApp } from '../harness.ts';
import { tableUnder } from '../support/readme-blocks.ts';
import { screens } from '../support/screens.ts';

describe.skipIf(!inject('postgresUrl'))('docs/screens.md', () => {
  const table = new Map(
    tableUnder('docs/screens.md', '### What they take').map(([link, points, statements]) => [
      /\[(.*)\]/.exec(link!)![1]!,
      [points, statements].map((cell) => Number(cell!.replace(',', ''))),
    ]),
  );

  it('has a row for each of the ten screens', () => {
    expect([...table.keys()]).toEqual(screens().map(({ title }) => title));
    expect(table.size).toBe(10);
  });

  it('tells what each costs, and how many statements it takes', async () => {
    const db = await ownDatabase('postgres');
    try {
      const other = await demoApp(db);
      const app = await demoApp(db);
      // What a node reads once for all accounts is there.
      for (const { query, variables } of screens())
        await other.send('POST', '/graphql', { query, variables: variables(await lastCollection(other)) });
      const collectionId = await lastCollection(app);
      const measured = [];
      for (const { title, query, variables } of screens()) {
        const body = { query, variables: variables(collectionId) };
        const { result, statements } = await statementsOf(() => app.send('POST', '/graphql', body));
        expect([title, result.body.errors]).toEqual([title, undefined]);
        expect([title, JSON.stringify(result.body.data)]).not.toEqual([
          title,
          expect.stringMatching(/"message":|"nodes":\[\]/),
        ]);
        measured.push([title, [result.body.extensions.cost.requested, statements.length]]);
      }
      expect(measured).toEqual([...table]);
    } finally {
      await db.close();
    }
  });
});

async function demoApp(db: OpenDatabase): Promise<TestApp> {
  const app = await newTestApp(db);
  const caller = { accountId: app.accountId, clientId: 'cli_demo' };
  await fillDemoAccount({ db, caller, now: () => NOW });
  return app;
}

/** The goal, which is of the set of the checklist. */
async function lastCollection(app: TestApp): Promise<string> {
  const { collections } = await app.graphql<{ collections: { nodes: { id: string }[] } }>(
    '{ collections(last: 1) { nodes { id } } }',
  );
  return collections.nodes[0]!.id;
}
