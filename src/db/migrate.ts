import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { projectPath } from '../paths.ts';
import { assertNodesAnswer, namingNodes } from './citus-nodes.ts';
import type { Database } from './client.ts';
import { distribute, placeNewTables } from './distribute.ts';
import {
  inTurn,
  LOCK_PATIENCE,
  type LockPatience,
  lockingFor,
  MigrationError,
  type Tell,
  withLockPatience,
} from './migration-turn.ts';
import { isCitus } from './placed.ts';
import { placementWarnings } from './placement-problems.ts';
import { ensureTenantRole } from './tenant-role.ts';

/** The first line of a migration that takes away what nodes of the version before still use. */
const CONTRACTION = '-- contract';
/** How long a contraction waits for such nodes to be replaced. */
const ROLL_OUT_HOURS = 24;

const CREATE_JOURNAL = `create table if not exists migration (
  created_at bigint primary key,
  hash text not null,
  applied_at timestamptz not null default now()
)`;
const JOURNAL = 'select created_at as "createdAt", hash from migration order by created_at';
const ROLL_OUT_END = `
  select applied_at + interval '${ROLL_OUT_HOURS} hours' <= now() as "isPast",
    to_char(applied_at at time zone 'UTC' + interval '${ROLL_OUT_HOURS} hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at
  from migration where created_at = $1`;

export interface MigrationResult {
  applied: number;
  /** Contractions that are not applied yet: the code runs without them. */
  waiting: WaitingContraction[];
  /** Tables that were put on the nodes of a Citus. */
  distributed?: number;
}

export interface WaitingContraction {
  name: string;
  /** When the next start applies it: a time in UTC, by the database's clock. */
  from: string;
}

interface MigrateOptions {
  folder?: string;
  /** Contractions wait for nothing. */
  contract?: boolean;
  lockPatience?: LockPatience;
  /** Told what is waited for where that takes long. */
  tell?: Tell;
}

/**
 * Brings the database to the code's version, each migration in a transaction of its own, so that after a failure the next
 * start goes on with the one that failed. Safe when several nodes start at once. Throws `MigrationError` where the
 * database is newer than the code, has another history, or is in use for long by what a migration cannot run beside.
 */
export async function migrate(
  db: Database,
  {
    folder = projectPath('migrations'),
    contract = false,
    lockPatience = LOCK_PATIENCE,
    tell = () => {},
  }: MigrateOptions = {},
): Promise<MigrationResult> {
  const known = readMigrations(folder);
  const onCitus = await isCitus(db);
  const work = () => bringToVersion(db, known, { onCitus, contract, patience: lockPatience, tell });
  if (!onCitus) return work();
  if ((await missingMigrations(db, folder)) > 0) await db.transaction(assertNodesAnswer);
  return namingNodes(db, work);
}

async function bringToVersion(
  db: Database,
  known: Migration[],
  { contract, ...given }: Omit<HowToApply, 'contracts'> & { contract: boolean },
): Promise<MigrationResult> {
  const { onCitus, patience, tell } = given;
  const isNew = await prepare(db, tell);
  const how = { ...given, contracts: contract || isNew };
  for (let applied = 0; ; applied++) {
    const waiting = await applyNext(db, known, how);
    if (!waiting) continue;
    const distributed = onCitus ? await distribute(db, { lockPatience: patience, tell }) : 0;
    if (distributed > 0) for (const warning of await placementWarnings(db)) tell(warning);
    return { applied, waiting, ...(distributed > 0 && { distributed }) };
  }
}

const HAS_JOURNAL = `select to_regclass('migration') is not null as exists`;

/** Whether no migration was ever applied to it. */
export async function isUntouched(db: Database): Promise<boolean> {
  const [journal] = await db.query<{ exists: boolean }>(HAS_JOURNAL);
  return !journal!.exists || (await db.query(JOURNAL)).length === 0;
}

/** How many migrations the database lacks for this code to work; negative where the database is newer. */
export async function missingMigrations(db: Database, folder = projectPath('migrations')): Promise<number> {
  const known = readMigrations(folder);
  const [journal] = await db.query<{ exists: boolean }>(HAS_JOURNAL);
  const done = journal!.exists ? await db.query<{ createdAt: number }>(JOURNAL) : [];
  const isKnown = new Set(known.map(({ createdAt }) => createdAt));
  const newer = done.filter(({ createdAt }) => !isKnown.has(createdAt));
  if (newer.length > 0) return -newer.length;
  const isDone = new Set(done.map(({ createdAt }) => createdAt));
  const missing = known.filter(
    ({ createdAt, isContraction }) => !isContraction && !isDone.has(createdAt),
  ).length;
  // A worker of a Citus lacks all of them, and is to be told for what it is.
  if (missing > 0) await isCitus(db);
  return missing;
}

interface Migration {
  name: string;
  createdAt: number;
  hash: string;
  statements: string[];
  isContraction: boolean;
}

function readMigrations(folder: string): Migration[] {
  const { entries } = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string }[];
  };
  return readMigrationFiles({ migrationsFolder: folder }).map(({ sql, folderMillis, hash }, i) => ({
    name: entries[i]!.tag,
    createdAt: folderMillis,
    hash,
    statements: sql,
    isContraction: sql[0]!.split('\n', 1)[0]!.trim() === CONTRACTION,
  }));
}

/** Gives whether nothing was ever applied. */
function prepare(db: Database, tell: Tell): Promise<boolean> {
  const made = async (tx: Database) => {
    await ensureTenantRole(tx);
    await tx.query(CREATE_JOURNAL);
    return (await tx.query(JOURNAL)).length === 0;
  };
  return inTurn(db, made, tell);
}

interface HowToApply {
  /** Contractions wait for nothing. */
  contracts: boolean;
  onCitus: boolean;
  patience: LockPatience;
  tell: Tell;
}

/** Applies the next migration, or gives the contractions that are left to wait: others go before them. */
async function applyNext(
  db: Database,
  known: Migration[],
  how: HowToApply,
): Promise<WaitingContraction[] | null> {
  const { contracts, patience, tell } = how;
  const tryIt = async (tx: Database) => {
    const missing = await missingOf(tx, known);
    const free = contracts ? missing[0] : missing.find(({ isContraction }) => !isContraction);
    if (!free) {
      const waiting = await waitingContractions(tx, known, missing);
      if (waiting.length === missing.length) return waiting;
    }
    await apply(tx, free ?? missing[0]!, how);
    return null;
  };
  return withLockPatience(patience, () => inTurn(db, tryIt, tell));
}

/** Those that are not in the journal. The others are to be their beginning, but for contractions that wait. */
async function missingOf(tx: Database, known: Migration[]): Promise<Migration[]> {
  const journal = await tx.query<Pick<Migration, 'createdAt' | 'hash'>>(JOURNAL);
  const isDone = new Set(journal.map(({ createdAt }) => createdAt));
  const expected = known.filter(({ createdAt, isContraction }) => !isContraction || isDone.has(createdAt));
  for (const [i, row] of journal.entries()) checkHistory(expected[i], row, known.length);
  return known.filter(({ createdAt }) => !isDone.has(createdAt));
}

/** Those of the missing contractions for which nodes of the version before may still run. */
async function waitingContractions(
  tx: Database,
  known: Migration[],
  missing: Migration[],
): Promise<WaitingContraction[]> {
  const waiting: WaitingContraction[] = [];
  for (const { name, createdAt } of missing) {
    const before = known.findLast((other) => !other.isContraction && other.createdAt < createdAt);
    if (!before) continue;
    const [end] = await tx.query<{ isPast: boolean; at: string }>(ROLL_OUT_END, [before.createdAt]);
    if (!end!.isPast) waiting.push({ name, from: end!.at });
  }
  return waiting;
}

async function apply(tx: Database, migration: Migration, { onCitus, patience }: HowToApply): Promise<void> {
  // Of the others `migrate` has asked at the start.
  if (onCitus && migration.isContraction) await assertNodesAnswer(tx);
  await tx.query(`set local lock_timeout = ${patience.timeoutMillis}`);
  for (const statement of migration.statements) {
    await lockingFor(`The migration ${migration.name}`, tx.query(statement));
    // At once: what follows may refer from it to tables that are distributed.
    if (onCitus && /^create table\b/im.test(statement)) await placeNewTables(tx);
  }
  await tx.query('insert into migration (created_at, hash) values ($1, $2)', [
    migration.createdAt,
    migration.hash,
  ]);
}

function checkHistory(
  known: Migration | undefined,
  row: Pick<Migration, 'createdAt' | 'hash'>,
  count: number,
): void {
  if (!known) {
    throw new MigrationError(
      `The database is newer than this version of cardledger: it has a migration of ${new Date(row.createdAt).toISOString()} that is not among the ${count} known ones. Start the newer version, or restore a back-up.`,
    );
  }
  if (known.createdAt !== row.createdAt || known.hash !== row.hash) {
    throw new MigrationError(
      `The database's migration of ${new Date(row.createdAt).toISOString()} is not the one that this version of cardledger has in its place. Check that DATABASE_URL names the right database.`,
    );
  }
}
