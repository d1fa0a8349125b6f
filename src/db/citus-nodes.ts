import { TENANT_ROLE } from './account-scope.ts';
import type { Database } from './client.ts';
import { settings } from './connection.ts';
import { QUERY_CANCELED, sqlState } from './errors.ts';
import { MigrationError } from './migration-turn.ts';

/** Which nodes of a Citus answer. One that is silent, not gone, would be waited for as long as it is. */

const REACH_MILLIS = 3000;
const ANSWER_MILLIS = 30_000;
/** For what waits for nodes. On connections of its own: one that has gone silent is not noticed. */
const BOUNDS = settings({
  statement_timeout: ANSWER_MILLIS,
  'citus.node_connection_timeout': REACH_MILLIS,
  'citus.max_cached_conns_per_worker': 0,
}).join('; ');

/** What the suites run on. */
export const OLDEST_CITUS = '13.2';

/** Of a node `n`; one that is not among the nodes is the coordinator before a worker knows it. */
export const NODE_NAME = `coalesce(n.nodename || ':' || n.nodeport, 'the coordinator')`;

/** In one text, as commands on nodes give. */
const STATES = `
  select ${NODE_NAME} as node, n.groupid = 0 as "isCoordinator", r.success as answers, r.result,
    split_part(r.result, ' ', 1) as library, split_part(r.result, ' ', 2) as extension
  from run_command_on_all_nodes($command$ select concat(current_setting('citus.version', true), ' ',
      (select extversion from pg_extension where extname = 'citus')) $command$) r
    left join pg_dist_node n using (nodeid)
  order by r.nodeid`;
const NODES_THAT_REFUSE = `
  select ${NODE_NAME} as node, r.result
  from run_command_on_all_nodes('select 1') r left join pg_dist_node n using (nodeid)
  where not r.success order by r.nodeid`;
const INACTIVE_NODES = `
  select nodename || ':' || nodeport as node from pg_dist_node where noderole = 'primary' and not isactive order by nodeid`;
const SILENT_TO_OTHERS = `
  select distinct to_nodename || ':' || to_nodeport as node
  from citus_check_cluster_node_health()
  where result is false or result is null and (from_nodename, from_nodeport) = (to_nodename, to_nodeport) order by 1`;

/** Within a transaction whose deadlines are lifted, then or by this: does what waits for nodes for a bounded time. */
export async function withinBounds<T>(tx: Database, work: () => Promise<T>): Promise<T> {
  await tx.liftTimeouts();
  await tx.query(BOUNDS);
  const done = await work();
  await tx.liftTimeouts();
  await tx.query('set local citus.node_connection_timeout to default');
  return done;
}

/** Within a transaction: what is wrong with the nodes that the coordinator is to work with, in a sentence each. */
export function nodeProblems(tx: Database): Promise<string[]> {
  return withinBounds(tx, async () => {
    const inactive = await tx.query<{ node: string }>(INACTIVE_NODES);
    const states = await tx.query<NodeState>(STATES);
    return [
      ...inactive.map(
        ({ node }) => `The node ${node} is switched off: run "select citus_activate_node(…)" for it.`,
      ),
      ...states.flatMap(({ node, isCoordinator, answers, result, library, extension }) => {
        if (!answers && isCoordinator)
          return `The nodes know the coordinator as ${node}, which does not answer (${result.trim()}): if this server has taken its place, run "select citus_set_coordinator_host('its-host', 5432)" here as a superuser; else check that each node may log in on it.`;
        if (!answers)
          return `The node ${node} does not answer (${result.trim()}): start it, and check that each node may log in on it.`;
        if (library === '')
          return `The node ${node} does not load the library of Citus: add citus to shared_preload_libraries there, and restart it.`;
        if (isOlder(library, OLDEST_CITUS))
          return `The node ${node} loads citus ${library}, and ${OLDEST_CITUS} or later is needed: install it there, restart it, and run "alter extension citus update" in the database.`;
        if (extension === '')
          return `The database on the node ${node} does not have the extension citus: run "create extension citus" in it there, as a superuser.`;
        if (releaseOf(extension) !== releaseOf(library))
          return `The database on the node ${node} has the extension citus ${extension}, and its server loads ${library}: ${adviceOn(extension, library)}.`;
        return [];
      }),
    ];
  });
}

/** Such as 13.2, of `13.2.2` or `13.2-1`: what the extension and the library must have in common. */
function releaseOf(version: string): string {
  return /^\d+\.\d+/.exec(version)?.[0] ?? version;
}

function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}

/** What to do where a database has the extension of another release than its server loads. */
function adviceOn(extension: string, library: string): string {
  return isOlder(extension, library)
    ? 'run "alter extension citus update" in it there, as a superuser'
    : `install citus ${releaseOf(extension)} there again, and restart it`;
}

interface NodeState {
  node: string;
  /** Null of one that is not among the nodes. */
  isCoordinator: boolean | null;
  answers: boolean;
  /** Why not, where it does not answer. */
  result: string;
  /** Versions; empty where there is none. */
  library: string;
  extension: string;
}

/** Of nodes that all answer: those on which requests may not log in, by the role that they have. */
export function refusalProblems(db: Database): Promise<string[]> {
  return db.transaction((tx) =>
    withinBounds(tx, async () => {
      await tx.query(`set local role ${TENANT_ROLE}`);
      const refusing = await tx.query<{ node: string; result: string }>(NODES_THAT_REFUSE);
      await tx.query('reset role');
      return refusing.map(
        ({ node, result }) =>
          `The node ${node} does not let ${TENANT_ROLE} log in (${result.trim()}), so what accounts have there is answered 503: let pg_hba.conf of the node admit it from the others, and run "alter role ${TENANT_ROLE} login" there.`,
      );
    }),
  );
}

/** Of nodes that all answer the coordinator: those that do not answer each other. */
export async function mutualProblems(db: Database): Promise<string[]> {
  try {
    const silent = await db.transaction((tx) =>
      withinBounds(tx, () => tx.query<{ node: string }>(SILENT_TO_OTHERS)),
    );
    return silent.map(
      ({ node }) =>
        `The node ${node} does not answer all others: check that each node reaches it, and may log in on it.`,
    );
  } catch (error) {
    if (sqlState((error as Error).cause) !== QUERY_CANCELED) throw error;
    return [
      `Nodes do not answer each other within ${ANSWER_MILLIS / 1000} s: check that each node reaches all others.`,
    ];
  }
}

/** Within a transaction, which then has changed nothing. Throws `MigrationError` where not all of the nodes answer. */
export async function assertNodesAnswer(tx: Database): Promise<void> {
  const problems = await nodeProblems(tx);
  if (problems.length > 0) throw nodesFail(problems);
}

const nodesFail = (problems: string[], cause?: unknown) =>
  new MigrationError(`${problems.join(' ')} Then run this again; nothing is half done.`, { cause });

/** Where work fails and not all of the nodes answer, it says which. */
export async function namingNodes<T>(db: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    const problems = await db.transaction(nodeProblems).catch(() => []);
    throw problems.length > 0 ? nodesFail(problems, error) : error;
  }
}
