import { beforeAll, describe, expect, it } from 'vitest';
import { TENANT_TABLES } from '../../src/db/placement.ts';
import { COLLECTION_ID, readTasks } from '../../src/graphql/examples.ts';
import {
  describeOnDatabases,
  newTestApp,
  type SentStatement,
  statementsOf,
  type TestApp,
} from '../harness.ts';
import { goodRequest, newIds, OPERATIONS } from '../http/routes.ts';

const TENANT_TABLE = new RegExp(`\\b(from|join|into|update) "?(${TENANT_TABLES.join('|')})\\b`);

// With TEST_CITUS_URL, which global-setup tells of where it is not set.
describe.skipIf(!process.env.TEST_CITUS_URL)('on Citus', () => {
  describeOnDatabases('a request', (database, kind) => {
    let app: TestApp;
    const sent = new Map<string, SentStatement>();

    beforeAll(async () => {
      if (kind === 'pglite') return;
      app = await newTestApp(database(), { maxAccounts: 100 });
      const ids = await newIds(database(), app);
      const { collectionId } = ids;
      for (const { examples } of await readTasks())
        for (const { query, variables } of examples) {
          if (/^subscription/m.test(query)) continue;
          const filled = variables && JSON.parse(variables.replaceAll(COLLECTION_ID, collectionId));
          await collect(() => app.send('POST', '/graphql', { query, variables: filled }));
        }
      const isLast = ({ method }: { method: string }) => Number(method === 'DELETE');
      for (const operation of OPERATIONS.toSorted((a, b) => isLast(a) - isLast(b))) {
        const { path, body, headers } = goodRequest(operation);
        await collect(() => app.send(operation.method, path(ids), body?.(ids), headers));
      }
    });

    async function collect(work: () => Promise<unknown>): Promise<void> {
      const { statements } = await statementsOf(work);
      for (const statement of statements)
        if (TENANT_TABLE.test(statement.text)) sent.set(statement.text, statement);
    }

    /** How many shards work on each part of the statement. */
    async function shardsOf({ text, params }: SentStatement): Promise<number[]> {
      const rows = await database().query<Record<string, string>>(`explain ${text}`, params);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      // Rows that the coordinator makes of a parameter are sent where their account is.
      if (/INSERT\/SELECT method: pull to coordinator/.test(plan) && !plan.includes('Task Count')) return [1];
      return [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
    }

    // What is worked by several, and never by a request, is listed in docs/operations.md#citus.
    it.skipIf(kind === 'pglite')('is worked by one shard', async () => {
      expect(sent.size).toBeGreaterThan(50);
      const wrong: string[] = [];
      for (const statement of sent.values()) {
        const shards = await shardsOf(statement).catch((error: Error) => [error.message]);
        if (shards.length === 0 || shards.some((count) => count !== 1))
          wrong.push(`${shards}: ${statement.text.replace(/\s+/g, ' ').trim()}`);
      }
      expect(wrong).toEqual([]);
    });
  });
});
