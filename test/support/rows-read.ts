import type { Database } from '../../src/db/client.ts';
import type { SentStatement } from '../harness.ts';

/** How many rows of a table the database looks at for a statement, which it executes: those that it leaves out are among them. */
export async function rowsRead(
  db: Database,
  table: string,
  { text, params }: SentStatement,
): Promise<number> {
  const explain = `explain (analyze, costs off, timing off, format json) ${text}`;
  const [row] = await db.query<{ 'QUERY PLAN': unknown }>(explain, params);
  const plan = row!['QUERY PLAN'];
  return rowsOf(typeof plan === 'string' ? JSON.parse(plan) : plan, new RegExp(`^${table}(_\\d+)?$`));
}

/** Of a plan with all that is in it: on Citus those of the nodes are, which have parts of the table, with a number behind the name. */
function rowsOf(plan: unknown, table: RegExp): number {
  if (typeof plan !== 'object' || plan === null) return 0;
  const below = Object.values(plan).reduce<number>((sum, part) => sum + rowsOf(part, table), 0);
  const node = plan as Record<string, string | number>;
  if (!table.test(String(node['Relation Name'] ?? ''))) return below;
  const count = (what: string) => Number(node[what] ?? 0);
  const removed = count('Rows Removed by Filter') + count('Rows Removed by Index Recheck');
  return below + Math.round((count('Actual Rows') + removed) * count('Actual Loops'));
}
