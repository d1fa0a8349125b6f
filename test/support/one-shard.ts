import type { Database, Param, StatementListener } from '../../src/db/client.ts';
import { TENANT_TABLES } from '../../src/db/placement.ts';
import { EXCEPTIONS, isOfProduct, METRICS } from './tenancy.ts';

/** On Citus a statement of an account is planned for the one shard that has its rows. */

const TENANT_TABLE = new RegExp(`\\b(from|join|into|update) "?(${TENANT_TABLES.join('|')})\\b`);

interface SentStatement {
  text: string;
  params: readonly Param[];
}

/** Whether it is of one account: of all are the exceptions, each with its reason. */
export function isOfAnAccount(text: string): boolean {
  return TENANT_TABLE.test(text) && !EXCEPTIONS.some(([, isIt]) => isIt(text)) && !METRICS.includes(text);
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

/** How many shards work on each part of it. */
async function shardsOf(db: Database, { text, params }: SentStatement): Promise<number[]> {
  const rows = await db.query<Record<string, string>>(`explain ${text}`, params);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  // Rows that the coordinator makes of a parameter are sent where their account is.
  if (/INSERT\/SELECT method: pull to coordinator/.test(plan) && !plan.includes('Task Count')) return [1];
  return [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
}

const known = new Set<string>();
let sent: SentStatement[] = [];

/** Keeps the first of each of the product's statements. */
export const oneShardListener: StatementListener = (text, params) => {
  if (known.has(text) || !isOfAnAccount(text) || !isOfProduct()) return;
  known.add(text);
  sent.push({ text, params });
};

/**
 * What is wrong with the statements since the last call.
 * @param open gives a database of this version, which plans them
 */
export async function takeBreachesOfOneShard(open: () => Promise<Database>): Promise<string[]> {
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
