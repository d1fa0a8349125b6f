import type { Database } from '../../src/db/client.ts';
import type { SentStatement } from '../harness.ts';

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** How many rows of a table the database looks at for a statement, which it executes: those that it leaves out are among them. */
export async function rowsRead(
  db: Database,
  table: string,
  { text, params }: SentStatement,
): Promise<number> {
  const explain = `explain (analyze, costs off, timing off, format json) ${text}`;
  const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] | string }>(explain, params);
  const plan = row!['QUERY PLAN'];
  const [{ Plan }] = typeof plan === 'string' ? (JSON.parse(plan) as [{ Plan: PlanNode }]) : plan;
  return rowsOf(Plan, table);
}

function rowsOf(node: PlanNode, table: string): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan, table), 0);
  if (node['Relation Name'] !== table) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + Math.round((node['Actual Rows'] + removed) * node['Actual Loops']);
}
