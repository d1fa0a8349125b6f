import { mutualProblems, nodeProblems, refusalProblems } from './citus-nodes.ts';
import { haveSettings, mayRoleLogIn } from './citus-settings.ts';
import type { Database } from './client.ts';
import { MigrationError } from './migration-turn.ts';
import { isCitus, misplaced, missingFunctions, missingTables, placedTables, takenAlong } from './placed.ts';

const UNPLACED_SHARDS = `
  select s.logicalrelid::text as name, count(*) as count
  from pg_dist_shard s left join pg_dist_placement p on p.shardid = s.shardid and p.shardstate = 1
    left join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary' and n.isactive
  group by s.logicalrelid, s.shardid having count(n.nodeid) = 0`;

/** What is wrong with the nodes and with what is on them, in a sentence each, with what to do. Null where the database is no Citus. */
export async function placementProblems(db: Database): Promise<string[] | null> {
  try {
    if (!(await isCitus(db))) return null;
    const nodes = await db.transaction(nodeProblems);
    const tables = await db.transaction(tableProblems);
    const ofNodesThatAnswer =
      nodes.length === 0 ? [...(await mutualProblems(db)), ...(await refusalProblems(db))] : [];
    return [...tables, ...nodes, ...ofNodesThatAnswer];
  } catch (error) {
    if (error instanceof MigrationError) return [error.message];
    throw error;
  }
}

const WORKERS = `
  select count(*) as count from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards and groupid <> 0`;

const IDLE_WORKERS = `
  select n.nodename || ':' || n.nodeport as node from pg_dist_node n
  where n.noderole = 'primary' and n.isactive and n.shouldhaveshards and n.groupid <> 0
    and exists (select from pg_dist_partition where partmethod = 'h')
    and not exists (select from pg_dist_placement p join pg_dist_shard s on s.shardid = p.shardid
      join pg_dist_partition t on t.logicalrelid = s.logicalrelid and t.partmethod = 'h' where p.groupid = n.groupid)
  order by n.nodeid`;

/** What is not wrong, but to be known. */
export async function placementWarnings(db: Database): Promise<string[]> {
  if (!(await isCitus(db))) return [];
  const [workers] = await db.query<{ count: number }>(WORKERS);
  if (workers!.count === 0)
    return [
      'No worker has been added: all rows are on the coordinator. Add workers by "select citus_add_node(…)", and move shards to them by "select citus_rebalance_start()".',
    ];
  return (await db.query<{ node: string }>(IDLE_WORKERS)).map(
    ({ node }) =>
      `The worker ${node} has no rows of accounts yet: move shards to it by "select citus_rebalance_start()".`,
  );
}

async function tableProblems(tx: Database): Promise<string[]> {
  const placed = await placedTables(tx);
  const missing = await missingTables(tx, placed);
  const { names: local } = missing;
  const functions = local.length > 0 ? [] : await missingFunctions(tx);
  const isLetThrough = (await haveSettings(tx)) && (await mayRoleLogIn(tx));
  const unplaced = await tx.query<{ name: string }>(UNPLACED_SHARDS);
  return [
    ...misplaced(placed),
    ...takenAlong(missing, placed),
    ...(local.length > 0
      ? [
          `${local.length === 1 ? '1 table is' : `${local.length} tables are`} on the coordinator alone (${local.join(', ')}): run "cardledger distribute".`,
        ]
      : []),
    ...(functions.length > 0
      ? [
          `Nodes are not given what changes accounts (${functions.map(({ name }) => nameOf(name)).join(', ')}), so the coordinator has to work it: run "cardledger distribute".`,
        ]
      : []),
    ...(isLetThrough
      ? []
      : [
          `Nodes lack the role or the settings with which accounts see their rows there: run "cardledger distribute".`,
        ]),
    ...unplaced.map(
      ({ name }) => `A shard of ${name} is on no node that is there: bring its node back, or restore it.`,
    ),
  ];
}

/** @param signature with the types of its parameters, of which there are many */
function nameOf(signature: string): string {
  return signature.replace(/\(.*/s, '');
}
