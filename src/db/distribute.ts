import { assertNodesAnswer, namingNodes, nodeProblems } from './citus-nodes.ts';
import { letSettingsThrough } from './citus-settings.ts';
import type { Database } from './client.ts';
import { QUERY_CANCELED } from './errors.ts';
import {
  inTurn,
  LOCK_PATIENCE,
  type LockPatience,
  lockingFor,
  MigrationError,
  type Tell,
  tellingWhile,
  withLockPatience,
} from './migration-turn.ts';
import {
  isCitus,
  isPlaced,
  type Missing,
  misplaced,
  missingFunctions,
  missingTables,
  type Placed,
  placedTables,
  takenAlong,
} from './placed.ts';

/** Citus, the distributed PostgreSQL: which node has which rows (docs/operations.md#citus). */

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
    await db.transaction(assertPlaceable);
    await inTurn(db, letSettingsThrough, tell);
    await inTurn(db, tellOfTypes, tell);
    return withLockPatience(lockPatience, () =>
      inTurn(db, (tx) => placeTables(tx, db, { lockPatience, tell }), tell),
    );
  });
}

/** Throws `MigrationError` where something was placed by hand from which it cannot go on. */
async function assertPlaceable(tx: Database): Promise<void> {
  const placed = await placedTables(tx);
  assertInPlace(placed);
  refuse(takenAlong(await missingTables(tx, placed), placed));
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
  if (names.length === 0) {
    const functions = await giveFunctions(tx);
    if (functions > 0) tell(`Gave the nodes ${functions} functions that change accounts.`);
    return 0;
  }
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
  await giveFunctions(tx);
  return names.length;
}

/** Gives nodes the functions that they lack, and how many that were. */
async function giveFunctions(tx: Database): Promise<number> {
  const missing = await missingFunctions(tx);
  for (const { name, isOfAccount } of missing) {
    const how = isOfAccount ? `, 'of_account', colocate_with => 'account'` : '';
    await tx.query(`select create_distributed_function('${name}'${how})`);
  }
  return missing.length;
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

function assertInPlace(placed: ReadonlyMap<string, Placed>): void {
  refuse(misplaced(placed));
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new MigrationError(problems.join(' '));
}
