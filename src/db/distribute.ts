import { TENANT_ROLE } from './account-scope.ts';
import {
  assertNodesAnswer,
  mutualProblems,
  NODE_NAME,
  namingNodes,
  nodeProblems,
  OLDEST_CITUS,
  withinBounds,
} from './citus-nodes.ts';
import type { Database } from './client.ts';
import { QUERY_CANCELED } from './errors.ts';
import {
  inTurn,
  LOCK_PATIENCE,
  type LockPatience,
  lockingFor,
  MIGRATION_LOCK,
  MigrationError,
  type Tell,
  tellingWhile,
  withLockPatience,
} from './migration-turn.ts';
import { COORDINATOR_TABLES, REFERENCE_TABLES, TENANT_TABLES } from './placement.ts';

/** Citus, the distributed PostgreSQL: which node has which rows (docs/operations.md#citus). */

/** No row where the database does not have the extension; a server that does not load it is refused by each connection. */
const CITUS = `select extversion as version from pg_extension where extname = 'citus'`;

/** The tables that are placed already. */
const PLACED = `
  select c.relname as name, p.partmethod as method, p.repmodel as model, p.colocationid as colocation,
    column_to_column_name(p.logicalrelid, p.partkey) as "column"
  from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where c.relnamespace = current_schema()::regnamespace`;

const TABLES = `
  select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`;

/** $1 names of tables, as JSON: the references from them and to them. */
const FOREIGN_KEYS = `
  select format('%I', t.relname) as name, format('%I', c.conname) as constraint, pg_get_constraintdef(c.oid) as definition,
    format('%I', r.relname) as referenced
  from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_class r on r.oid = c.confrelid
  where c.contype = 'f' and t.relnamespace = current_schema()::regnamespace
    and (t.relname in (select jsonb_array_elements_text($1::text::jsonb))
      or r.relname in (select jsonb_array_elements_text($1::text::jsonb)))
  order by t.relname, c.conname`;

/**
 * What migrations made that workers do not have yet; of those that are worked for one account, also what is not given to the node
 * that has it.
 */
const MISSING_FUNCTIONS = `
  select p.oid::regprocedure::text as name, p.proargnames[1] = 'of_account' as "isOfAccount" from pg_proc p
  left join pg_dist_object o on o.classid = 'pg_proc'::regclass and o.objid = p.oid
  where p.pronamespace = current_schema()::regnamespace
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    and (o.objid is null or p.proargnames[1] = 'of_account' and o.distribution_argument_index is null)
  order by p.oid`;

/**
 * Functions of migrations that workers do not have yet and that give values of a type which is no table's row, such as `holding_change`. By them Citus tells
 * workers of that type, which it cannot within a transaction that also places the tables whose rows others take beside it.
 */
const FUNCTIONS_OF_TYPES = `
  select p.oid::regprocedure::text as name
  from pg_proc p join pg_type t on t.oid = p.prorettype left join pg_type e on e.oid = t.typelem
    join pg_class r on r.oid in (t.typrelid, e.typrelid)
  where p.pronamespace = current_schema()::regnamespace and r.relkind = 'c' and r.relnamespace = p.pronamespace
    and not exists (select from unnest(p.proargtypes::oid[]) as takes(type)
      join pg_type a on a.oid = takes.type join pg_class c on c.oid = a.typrelid where c.relkind in ('r', 'p'))
    and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)
  order by p.oid`;

/**
 * Of the database on every node, so that a transaction's account, role and deadlines hold on the workers as well, and these plan as
 * each session of ours does: compiling a statement there takes half a second. Not of each transaction: elsewhere nothing is to be set.
 */
const SETTINGS = { jit: 'off', random_page_cost: '1.1', 'citus.propagate_set_commands': 'local' };
const AS_STORED = Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`);
/** Whether the database has these, on the node that is asked. */
const hasStored = (settings: string) => `
  select count(*) > 0 as "isSet" from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
  where d.datname = current_database() and s.setrole = 0 and s.setconfig @> '{${settings}}'`;
/** A node that does not answer says nothing of it: it is told of elsewhere. */
const HAVE_SETTINGS = `
  select coalesce(bool_and(not success or result = 't'), true) as "isSet" from run_command_on_all_nodes($command$
    ${hasStored(AS_STORED.join())} $command$)`;
const alter = ([name, value]: [string, string]) =>
  `execute format('alter database %I set ${name} = %L', current_database(), '${value}');`;
/** On each node by itself, so that each says what it lacks. */
const PUT_SETTINGS = `
  select ${NODE_NAME} as node, r.success as "isDone", r.result
  from run_command_on_all_nodes($command$ do $$ begin
    set local citus.enable_ddl_propagation = off; ${Object.entries(SETTINGS).map(alter).join(' ')} end $$ $command$) r
    left join pg_dist_node n using (nodeid)
  order by r.nodeid`;
/** Whether sessions here have begun with what lets a transaction's settings through. */
const LETS_THROUGH = hasStored('citus.propagate_set_commands=local');
/** A session that began without it goes on with it. */
const GO_ON_WITH_SETTING = `select set_config('citus.propagate_set_commands', 'local', false)`;
/**
 * They began without the setting, and accounts would see none of their rows on the workers. Not those of nodes that start and wait
 * for their turn: they have done nothing on a worker, and set it themselves.
 */
const END_OTHER_SESSIONS = `
  select count(pg_terminate_backend(a.pid)) from pg_stat_activity a
  where a.datname = current_database() and a.usename = current_user and a.application_name = 'cardledger'
    and a.pid <> pg_backend_pid()
    and not exists (select 1 from pg_locks l
      where l.pid = a.pid and l.locktype = 'advisory' and l.objid = ${MIGRATION_LOCK} and not l.granted)`;

const MAY_ROLE_LOG_IN = `select rolcanlogin as "canLogIn" from pg_roles where rolname = '${TENANT_ROLE}'`;
const LET_ROLE_LOG_IN = `
  do $$ begin
    alter role ${TENANT_ROLE} login;
  exception when insufficient_privilege then
    raise insufficient_privilege using message =
      'on Citus the role ${TENANT_ROLE} logs in on the workers: let an administrator run "alter role ${TENANT_ROLE} login"';
  end $$`;

interface Placed {
  name: string;
  /** `h` by the hash of a column, `n` not by one. */
  method: string;
  /** Of those without a column, `t` is on every node. */
  model: string;
  colocation: number;
  column: string | null;
}

/** Whether the database has the extension. Throws `MigrationError` where it is one that this code does not work with. */
export async function isCitus(db: Database): Promise<boolean> {
  if (db.kind === 'pglite') return false;
  const [citus] = await db.query<{ version: string }>(CITUS);
  if (!citus) return false;
  if (citus.version.localeCompare(OLDEST_CITUS, 'en', { numeric: true }) < 0)
    throw new MigrationError(
      `The database has the extension citus ${citus.version}, and ${OLDEST_CITUS} or later is needed: install it on every node, restart them, and run "alter extension citus update" in the database on each.`,
    );
  return true;
}

interface DistributeOptions {
  lockPatience?: LockPatience;
  /** Told what goes on where it takes long. */
  tell?: Tell;
}

/**
 * Puts every table of the database on the nodes where it belongs, all at once: where it fails, nothing is changed. Gives how many
 * were put there: 0 where that was done before. Throws `MigrationError` where the database cannot be distributed.
 */
export async function distribute(
  db: Database,
  { lockPatience = LOCK_PATIENCE, tell = () => {} }: DistributeOptions = {},
): Promise<number> {
  if (!(await isCitus(db)))
    throw new MigrationError(
      'The database does not have the extension citus: run "create extension citus" in it as a superuser, on each node (docs/operations.md, "Citus").',
    );
  return namingNodes(db, async () => {
    await inTurn(db, letSettingsThrough, tell);
    await inTurn(db, tellOfTypes, tell);
    return withLockPatience(lockPatience, () =>
      inTurn(db, (tx) => placeTables(tx, db, { lockPatience, tell }), tell),
    );
  });
}

async function letSettingsThrough(tx: Database): Promise<void> {
  await tx.query(GO_ON_WITH_SETTING);
  const [role] = await tx.query<{ canLogIn: boolean }>(MAY_ROLE_LOG_IN);
  if (!role?.canLogIn) await tx.query(LET_ROLE_LOG_IN);
  // The connections to workers that this session opens here begin without the settings, and end with the transaction.
  await tx.query('set local citus.max_cached_conns_per_worker = 0');
  const [settings] = await withinBounds(tx, () => tx.query<{ isSet: boolean }>(HAVE_SETTINGS));
  if (settings!.isSet) return;
  await assertNodesAnswer(tx);
  const [before] = await tx.query<{ isSet: boolean }>(LETS_THROUGH);
  const put = await tx.query<{ node: string; isDone: boolean; result: string }>(PUT_SETTINGS);
  // Also where it is not made on all: the next time they would be taken for sessions that began with it.
  if (!before!.isSet) await tx.query(END_OTHER_SESSIONS);
  const failed = put.filter(({ isDone }) => !isDone);
  if (failed.length > 0)
    throw new MigrationError(
      `The settings of the database cannot be made on ${failed.map(({ node, result }) => `${node} (${result.trim()})`).join(' and ')}: its owner there is to be the user of DATABASE_URL.`,
    );
}

async function tellOfTypes(tx: Database): Promise<void> {
  const functions = await tx.query<{ name: string }>(FUNCTIONS_OF_TYPES);
  if (functions.length === 0) return;
  await assertNodesAnswer(tx);
  for (const { name } of functions) await tx.query(`select create_distributed_function('${name}')`);
}

/** Within a migration of a database that is distributed already: places the tables that it has just made. */
export async function placeNewTables(tx: Database): Promise<void> {
  const placed = await placedTables(tx);
  if (!isPlaced(placed.get('account'))) return;
  assertInPlace(placed);
  await placeMissing(tx, await missingTables(tx, placed));
}

async function placedTables(tx: Database): Promise<Map<string, Placed>> {
  return new Map((await tx.query<Placed>(PLACED)).map((table) => [table.name, table]));
}

/** None makes the coordinator known, which takes rows then. */
const NO_NODE_TAKES_ROWS = `
  select count(*) > 0 and not coalesce(bool_or(shouldhaveshards and isactive), false) as "isNone"
  from pg_dist_node where noderole = 'primary'`;

async function placeTables(
  tx: Database,
  db: Database,
  { lockPatience, tell }: Required<DistributeOptions>,
): Promise<number> {
  const placed = await placedTables(tx);
  assertInPlace(placed);
  const missing = await missingTables(tx, placed);
  const { names } = missing;
  if (names.length === 0) return placeMissing(tx, missing);
  await assertNodesAnswer(tx);
  const [takers] = await tx.query<{ isNone: boolean }>(NO_NODE_TAKES_ROWS);
  if (takers!.isNone)
    throw new MigrationError(
      `No node takes rows yet: add a worker, by "select citus_add_node('worker-host', 5432)", and run this again.`,
    );
  // What nobody waits for any more ends, and lets others have their turn.
  await tx.query('set local client_connection_check_interval = 5000');
  // All at first, for as long as a request waits: what fails later has moved rows in vain.
  const keys = await referencesOf(tx, names);
  const locked = new Set([...names, ...keys.flatMap(({ name, referenced }) => [name, referenced])]);
  // Of the statement: it waits for one lock after the other.
  await tx.query(`set local statement_timeout = ${lockPatience.timeoutMillis}`);
  await lockingFor(
    'Placing the tables',
    tx.query(`lock table ${[...locked].join(', ')} in access exclusive mode`),
    QUERY_CANCELED,
  );
  await tx.liftTimeouts();
  let at: string | undefined;
  const placing = placeMissing(tx, missing, (name) => {
    at = name;
  });
  const why = async () => {
    const problems = await db.housekeeping.transaction(nodeProblems);
    if (problems.length > 0) return `What is placed waits: ${problems.join(' ')}`;
    return at === undefined ? null : `Placing the table ${at}, ${names.indexOf(at) + 1} of ${names.length}.`;
  };
  return tellingWhile(placing, why, tell);
}

interface Missing {
  reference: string[];
  tenant: string[];
  /** All, in the order in which they are placed. */
  names: string[];
}

/** The tables that are there and not placed. */
async function missingTables(tx: Database, placed: ReadonlyMap<string, Placed>): Promise<Missing> {
  const there = new Set((await tx.query<{ name: string }>(TABLES)).map(({ name }) => name));
  const isMissing = (name: string) => there.has(name) && !isPlaced(placed.get(name));
  const reference = REFERENCE_TABLES.filter(isMissing);
  const tenant = TENANT_TABLES.filter(isMissing);
  return { reference, tenant, names: [...reference, ...tenant] };
}

/** Places them, and what functions workers do not have yet; gives how many tables. */
async function placeMissing(
  tx: Database,
  { reference, tenant, names }: Missing,
  onTable: (name: string) => void = () => {},
): Promise<number> {
  if (names.length > 0) {
    // Of one transaction, since it makes references, and those that tables have are then changed in the same.
    await tx.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
    await withoutReferences(tx, names, async () => {
      for (const name of reference) {
        onTable(name);
        await tx.query(`select create_reference_table('${name}')`);
      }
      for (const name of tenant) {
        onTable(name);
        await tx.query(
          `select create_distributed_table('${name}', 'account_id', colocate_with => '${name === 'account' ? 'none' : 'account'}')`,
        );
      }
      for (const name of names)
        await tx.query(`select truncate_local_data_after_distributing_table('${name}')`);
    });
  }
  for (const { name, isOfAccount } of await tx.query<MissingFunction>(MISSING_FUNCTIONS)) {
    const how = isOfAccount ? `, 'of_account', colocate_with => 'account'` : '';
    await tx.query(`select create_distributed_function('${name}'${how})`);
  }
  return names.length;
}

interface MissingFunction {
  name: string;
  isOfAccount: boolean | null;
}

interface Reference {
  name: string;
  constraint: string;
  definition: string;
  referenced: string;
}

function referencesOf(tx: Database, names: readonly string[]): Promise<Reference[]> {
  return tx.query<Reference>(FOREIGN_KEYS, [JSON.stringify(names)]);
}

/** A table of Citus may refer to one of the coordinator only as long as both are on their way. */
async function withoutReferences(
  tx: Database,
  names: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const keys = await referencesOf(tx, names);
  for (const { name, constraint } of keys)
    await tx.query(`alter table ${name} drop constraint ${constraint}`);
  await work();
  for (const { name, constraint, definition } of keys)
    await tx.query(`alter table ${name} add constraint ${constraint} ${definition}`);
}

/** Not so where a reference made Citus know it: its rows are on the coordinator still. */
function isPlaced(table: Placed | undefined): boolean {
  return table !== undefined && (table.method === 'h' || table.model === 't');
}

function assertInPlace(placed: ReadonlyMap<string, Placed>): void {
  const problems = misplaced(placed);
  if (problems.length > 0) throw new MigrationError(problems.join(' '));
}

/** What is somewhere else than where it belongs, in a sentence each; what is not placed yet is not. */
function misplaced(placed: ReadonlyMap<string, Placed>): string[] {
  const colocation = placed.get('account')?.colocation;
  const isTenant = ({ method, column }: Placed) => method === 'h' && column === 'account_id';
  const wrong: [names: readonly string[], isRight: (table: Placed) => boolean, what: string][] = [
    [REFERENCE_TABLES, ({ model }) => model === 't', 'a reference table'],
    [TENANT_TABLES, isTenant, 'distributed by account_id'],
    [
      TENANT_TABLES,
      (table) => !isTenant(table) || table.colocation === colocation,
      'with the rows of account',
    ],
    [COORDINATOR_TABLES, () => false, 'on the coordinator'],
  ];
  return wrong.flatMap(([names, isRight, what]) =>
    names
      .map((name) => placed.get(name))
      .filter((table) => table !== undefined && isPlaced(table) && !isRight(table))
      .map(
        (table) =>
          `The table ${table!.name} is not ${what}: run "select undistribute_table('${table!.name}', cascade_via_foreign_keys => true)" and then "cardledger distribute".`,
      ),
  );
}

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
    return [...tables, ...nodes, ...(nodes.length === 0 ? await mutualProblems(db) : [])];
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
  const { names: local } = await missingTables(tx, placed);
  const [setting] = await withinBounds(tx, () => tx.query<{ isSet: boolean }>(HAVE_SETTINGS));
  const unplaced = await tx.query<{ name: string }>(UNPLACED_SHARDS);
  const [role] = await tx.query<{ canLogIn: boolean }>(MAY_ROLE_LOG_IN);
  return [
    ...misplaced(placed),
    ...(local.length > 0
      ? [
          `${local.length === 1 ? '1 table is' : `${local.length} tables are`} on the coordinator alone (${local.join(', ')}): run "cardledger distribute".`,
        ]
      : []),
    ...(setting!.isSet && role?.canLogIn
      ? []
      : [
          `Nodes lack the role or the settings with which accounts see their rows there: run "cardledger distribute".`,
        ]),
    ...unplaced.map(
      ({ name }) => `A shard of ${name} is on no node that is there: bring its node back, or restore it.`,
    ),
  ];
}
