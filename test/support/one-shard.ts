import { randomUUID } from 'node:crypto';
import type { Database, Param, StatementListener } from '../../src/db/client.ts';
import { REFERENCE_TABLES, TENANT_TABLES } from '../../src/db/placement.ts';
import { SUB_ACCOUNTS } from '../../src/db/queries/sub-accounts.ts';
import { EXCEPTIONS, isOfProduct, METRICS } from './tenancy.ts';
import { FUNCTIONS_OF_ACCOUNT } from './written-statements.ts';

/** On Citus a statement of an account is planned for the one shard that has its rows. */

const TENANT_TABLE = new RegExp(`\\b(from|join|into|update) "?(${TENANT_TABLES.join('|')})\\b`);

interface SentStatement {
  text: string;
  params: readonly Param[];
}

/** A function that is worked for one account; its own statements are looked at where they are written. */
const FUNCTION_OF_ACCOUNT = new RegExp(`\\b(${[...FUNCTIONS_OF_ACCOUNT.keys()].join('|')})\\(`);

/** The accounts of a platform may be on other nodes than it is. */
const OF_ACCOUNTS_BELOW = [SUB_ACCOUNTS];

/** Whether it is of one account: of all are the exceptions, each with its reason. */
export function isOfAnAccount(text: string): boolean {
  const isOfSeveral = METRICS.includes(text) || OF_ACCOUNTS_BELOW.includes(text);
  return (
    (TENANT_TABLE.test(text) || FUNCTION_OF_ACCOUNT.test(text)) &&
    !isOfSeveral &&
    !EXCEPTIONS.some(([, isIt]) => isIt(text))
  );
}

/** What is wrong with how Citus plans the statement; null where one shard works each part of it. It is not executed. */
export async function breachOfOneShard(
  db: Database,
  { text, params }: SentStatement,
): Promise<string | null> {
  const shards = await shardsOf(db, { text, params }).catch((error: Error) => error.message);
  if (Array.isArray(shards) && shards.length > 0 && shards.every((count) => count === 1)) return null;
  return `${shards}: ${text.replace(/\s+/g, ' ').trim()}`;
}

/** What a `select` of accounts puts on all nodes, as a client: Citus explains none that has parameters, so only the `select` is planned. */
const ONTO_ALL_NODES = new RegExp(
  `^\\s*insert into (?:${REFERENCE_TABLES.join('|')}) \\([^)]*\\)\\s+(select .*) returning .*$`,
  's',
);

/** How many shards work on each part of it. */
async function shardsOf(db: Database, { text, params }: SentStatement): Promise<number[]> {
  const rows = await db.query<Record<string, string>>(
    `explain ${text.replace(ONTO_ALL_NODES, '$1')}`,
    params,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  // The coordinator would work it, statement by statement.
  if (FUNCTION_OF_ACCOUNT.test(text) && !plan.startsWith('Custom Scan (Citus Adaptive)')) return [0];
  // Rows that the coordinator makes of a parameter are sent where their account is.
  if (/INSERT\/SELECT method: pull to coordinator/.test(plan) && !plan.includes('Task Count')) return [1];
  return [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
}

/** A value of each type that a statement takes, where it is not the empty array; a text may be made a number or JSON of. */
const VALUES: Record<string, string> = {
  uuid: randomUUID(),
  text: '1',
  integer: '1',
  bigint: '1',
  numeric: '1',
  'double precision': '1',
  date: '2026-01-01',
  'timestamp with time zone': '2026-01-01T00:00:00Z',
  json: '[]',
  jsonb: '[]',
};

/** Parameters with which the statement can be planned: those that are true or false are so in one and the other, since a plan leaves out what they rule out. */
export function anyParams(db: Database, text: string): Promise<Param[][]> {
  return db.transaction(async (tx) => {
    await tx.query(`prepare written as ${text}`);
    const [prepared] = await tx.query<{ types: string[] }>(
      `select array_to_json(parameter_types::text[]) as types from pg_prepared_statements where name = 'written'`,
    );
    await tx.query('deallocate written');
    const { types } = prepared!;
    const given = (isTrue: boolean) =>
      types.map((type) => (type === 'boolean' ? isTrue : (VALUES[type] ?? '{}')));
    return types.includes('boolean') ? [given(true), given(false)] : [given(true)];
  });
}

/** What sees statements as they are sent, and says later what is wrong with how they are planned. */
export function newOneShardCheck() {
  const known = new Set<string>();
  let sent: SentStatement[] = [];

  /** Keeps the first of each of the product's statements. */
  const oneShardListener: StatementListener = (text, params) => {
    if (known.has(text) || !isOfAnAccount(text) || !isOfProduct()) return;
    known.add(text);
    sent.push({ text, params });
  };

  /**
   * What is wrong with the statements since the last call.
   * @param open gives a database of this version, which plans them
   */
  async function takeBreachesOfOneShard(open: () => Promise<Database>): Promise<string[]> {
    const taken = sent;
    sent = [];
    if (taken.length === 0) return [];
    const db = await open();
    const breaches: string[] = [];
    for (const statement of taken) {
      const breach = await breachOfOneShard(db, statement);
      if (breach !== null) breaches.push(breach);
    }
    return breaches;
  }

  return { oneShardListener, takeBreachesOfOneShard };
}

/** Of all that the suites send. */
export const { oneShardListener, takeBreachesOfOneShard } = newOneShardCheck();
