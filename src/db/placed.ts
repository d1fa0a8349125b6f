import { OLDEST_CITUS } from './citus-nodes.ts';
import type { Database } from './client.ts';
import { MigrationError } from './migration-turn.ts';
import { COORDINATOR_TABLES, REFERENCE_TABLES, TENANT_TABLES } from './placement.ts';

/** What of the schema is on the nodes of Citus, and what is not. */

/** No row where the database does not have the extension; a server that does not load it is refused by each connection. */
const CITUS = `select extversion as version from pg_extension where extname = 'citus'`;

const IS_WORKER = 'select groupid <> 0 as "isWorker" from pg_dist_local_group';

/**
 * Whether the database has the extension. Throws `MigrationError` where it is one that this code does not work with, or on a worker.
 */
export async function isCitus(db: Database): Promise<boolean> {
  if (db.kind === 'pglite') return false;
  const [citus] = await db.query<{ version: string }>(CITUS);
  if (!citus) return false;
  if (citus.version.localeCompare(OLDEST_CITUS, 'en', { numeric: true }) < 0)
    throw new MigrationError(
      `The database has the extension citus ${citus.version}, and ${OLDEST_CITUS} or later is needed: install it on every node, restart them, and run "alter extension citus update" in the database on each.`,
    );
  const [group] = await db.query<{ isWorker: boolean }>(IS_WORKER);
  if (group?.isWorker)
    throw new MigrationError(
      'The server of DATABASE_URL is a worker of a Citus, where nothing can be placed: name the coordinator.',
    );
  return true;
}

/** The tables that are placed already. */
const PLACED = `
  select c.relname as name, p.partmethod as method, p.repmodel as model, p.colocationid as colocation,
    column_to_column_name(p.logicalrelid, p.partkey) as "column"
  from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where c.relnamespace = current_schema()::regnamespace`;

const TABLES = `
  select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`;

export interface Placed {
  name: string;
  /** `h` by the hash of a column, `n` not by one. */
  method: string;
  /** Of those without a column, `t` is on every node. */
  model: string;
  colocation: number;
  column: string | null;
}

export async function placedTables(tx: Database): Promise<Map<string, Placed>> {
  return new Map((await tx.query<Placed>(PLACED)).map((table) => [table.name, table]));
}

export interface Missing {
  reference: string[];
  tenant: string[];
  /** All, in the order in which they are placed. */
  names: string[];
}

/** The tables that are there and not placed. */
export async function missingTables(tx: Database, placed: ReadonlyMap<string, Placed>): Promise<Missing> {
  const there = new Set((await tx.query<{ name: string }>(TABLES)).map(({ name }) => name));
  const isMissing = (name: string) => there.has(name) && !isPlaced(placed.get(name));
  const reference = REFERENCE_TABLES.filter(isMissing);
  const tenant = TENANT_TABLES.filter(isMissing);
  return { reference, tenant, names: [...reference, ...tenant] };
}

/** Not so where a reference made Citus know it: its rows are on the coordinator still. */
export function isPlaced(table: Placed | undefined): boolean {
  return table !== undefined && (table.method === 'h' || table.model === 't');
}

/**
 * In a sentence with what to do, where tables with rows have come to be known to Citus by references of one that was placed by hand:
 * functions that take their rows keep them from being placed.
 */
export function takenAlong({ names }: Missing, placed: ReadonlyMap<string, Placed>): string[] {
  const taken = names.filter((name) => placed.has(name));
  if (taken.length === 0) return [];
  return [
    `Citus knows ${taken.join(', ')} by references of a table that was placed by hand: run "select undistribute_table('${taken[0]}', cascade_via_foreign_keys => true)" and then "cardledger distribute".`,
  ];
}

/** What is somewhere else than where it belongs, in a sentence each; what is not placed yet is not. */
export function misplaced(placed: ReadonlyMap<string, Placed>): string[] {
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

const MISSING_FUNCTIONS = `
  select p.oid::regprocedure::text as name, p.proargnames[1] = 'of_account' as "isOfAccount" from pg_proc p
  left join pg_dist_object o on o.classid = 'pg_proc'::regclass and o.objid = p.oid
  where p.pronamespace = current_schema()::regnamespace
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    and (o.objid is null or p.proargnames[1] = 'of_account' and o.distribution_argument_index is null)
  order by p.oid`;

export interface MissingFunction {
  name: string;
  /** Worked for one account, its first parameter. */
  isOfAccount: boolean | null;
}

/**
 * What migrations made that workers do not have yet; of those that are worked for one account, also what is not given to the node
 * that has it.
 */
export function missingFunctions(tx: Database): Promise<MissingFunction[]> {
  return tx.query<MissingFunction>(MISSING_FUNCTIONS);
}
