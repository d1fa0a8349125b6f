import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../src/config.ts';
import type { OpenDatabase } from '../../src/db/client.ts';
import { openDatabase } from '../../src/db/open.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { dateOf } from '../../src/domain/dates.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { loadShippedData } from '../../src/first-run.ts';
import { projectPath } from '../../src/paths.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { setLimits } from '../../src/services/accounts/set-limits.ts';
import { type ClientCredentials, createClient } from '../../src/services/clients/create.ts';
import { revalue } from '../../src/services/collections/valued.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { Filler, type Owner, type Part } from '../bench/compare/fill.ts';
import { parentOf } from '../bench/compare/servers.ts';
import { MAIN, NODE_FLAGS } from '../support/bundle.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { freePort, startPostgres } from '../support/postgres-server.ts';
import type { Attack } from './attack.ts';
import { ProcessorParts } from './processor-parts.ts';
import { LOOP_TURNS, type Turn, turnsIn } from './turns.ts';

/** The service with its default limits, on a database of its own that is filled for the attacks. */
export interface Target {
  port: number;
  quiet: Owner[];
  /** By the name of the attack: each has an account of its own, so that no budget of one shields the next. */
  noisy: ReadonlyMap<string, Noisy>;
  variantIds: string[];
  /** What all of them are below, if anything. */
  platform?: ClientCredentials;
  /** Of the service. */
  pid(): number;
  /** The long turns of the loops of its processes, up to now. */
  turns(): Promise<Turn[]>;
  /** The address of its database; null where that is embedded. */
  databaseUrl: string | null;
  /** Of PostgreSQL, whose children the back ends are; null on the embedded database. */
  postmaster: number | null;
  /** Of the processors; the service and its database have theirs. */
  parts: ProcessorParts;
  /** Waits until it is ready again; starts it anew, and gives false, where it has ended or does not recover. */
  recovers(): Promise<boolean>;
  /** The last lines of its log that say something beside the requests. */
  complaints(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Who plays an attack: an account, or several below a platform of their own. */
export interface Noisy {
  owners: Owner[];
  platform?: ClientCredentials;
}

export interface TargetOptions {
  embedded: boolean;
  /** Whether all accounts are below one. */
  platform: boolean;
  workers: number;
  /** In the collection of an attack on a large one. */
  transactions: number;
  /** What accounts they are played by. */
  attacks: readonly Pick<Attack, 'name' | 'stock' | 'accounts'>[];
  /** How long it may take to be ready again. */
  recoveryMillis: number;
}

const QUIET = { collections: 10, transactions: 4550, variants: 150 };
const QUIET_ACCOUNTS = 9;
const START_MILLIS = 60_000;

export async function startTarget(options: TargetOptions): Promise<Target> {
  const parts = new ProcessorParts();
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-hostile-'));
  const { environment, databaseUrl, stock, postmaster, close } = await (options.embedded
    ? embedded
    : onPostgres)(folder, options, parts);
  const port = await freePort();
  const logFile = join(folder, 'log');
  const turnsFile = join(folder, 'turns');
  let child: ChildProcess | undefined;
  process.once('exit', () => child?.kill('SIGKILL'));
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const start = async () => {
    const log = await open(logFile, 'a');
    child = spawn(process.execPath, [...NODE_FLAGS, MAIN], {
      cwd: projectPath('.'),
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        PORT: String(port),
        WORKERS: String(options.workers),
        DEMO: '0',
        DATA_DIR: folder,
        // By the environment, as workers have it of their parent.
        NODE_OPTIONS: `--import=${LOOP_TURNS}`,
        LOOP_TURNS_FILE: turnsFile,
        // The noisy one receives its messages on this machine.
        OUTBOUND_NETWORKS: '127.0.0.0/8',
        ...environment,
      },
      stdio: ['ignore', log.fd, log.fd],
    });
    await log.close();
    parts.give('service', child.pid!);
    if (!(await isReadyWithin(START_MILLIS, port, isRunning))) throw new Error('The service did not start.');
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!isRunning()) return;
    const exited = once(child!, 'exit');
    child!.kill(signal);
    await exited;
  };
  await start();
  return {
    ...stock,
    parts,
    port,
    databaseUrl,
    postmaster,
    pid: () => child!.pid!,
    turns: () => turnsIn(turnsFile),
    async recovers() {
      if (await isReadyWithin(options.recoveryMillis, port, isRunning)) return true;
      await end('SIGKILL');
      await start();
      return false;
    },
    async complaints() {
      const lines = (await readFile(logFile, 'utf8')).split('\n');
      return lines.filter((line) => line !== '' && !line.includes('"requestId"')).slice(-10);
    },
    async stop() {
      await end('SIGTERM');
      await close();
      await rm(folder, { recursive: true });
    },
  };
}

async function isReadyWithin(millis: number, port: number, isRunning: () => boolean): Promise<boolean> {
  const deadline = performance.now() + millis;
  while (performance.now() < deadline && isRunning()) {
    const signal = AbortSignal.timeout(5000);
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal }).catch(() => null);
    if (answer?.ok) return true;
    await sleep(50);
  }
  return false;
}

async function onPostgres(_folder: string, options: TargetOptions, parts: ProcessorParts) {
  const server = await startPostgres();
  const { url } = await loadedPostgresUrl(server.url);
  const db = postgresDatabase(url);
  const stock = await fill(db, options);
  const [backend] = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(backend!.pid);
  parts.give('database', postmaster);
  await db.close();
  return { environment: { DATABASE_URL: url }, databaseUrl: url, stock, postmaster, close: server.stop };
}

async function embedded(folder: string, options: TargetOptions) {
  const db = await openDatabase({ ...loadConfig({ DATA_DIR: folder }), onProgress: () => {} });
  const today = dateOf(new Date());
  await loadShippedData(db, { samplesSince: today, today, progress: noProgress });
  const stock = await fill(db, options);
  await db.close();
  return { environment: {}, databaseUrl: null, stock, postmaster: null, close: async () => {} };
}

async function fill(db: OpenDatabase, { attacks, transactions, platform }: TargetOptions) {
  const filler = new Filler(db);
  const sizes = {
    large: { collections: 1, transactions, variants: transactions / 10 },
    many: { collections: 200, transactions, variants: transactions / 200 },
    small: { collections: 10, transactions: 500, variants: 50 },
  };
  const quiet: Owner[] = [];
  for (let i = 0; i < QUIET_ACCOUNTS; i++) quiet.push(await filler.add(`Quiet ${i}`, QUIET));
  const noisy = new Map<string, Noisy>();
  for (const { name, stock, accounts = 1 } of attacks) {
    const owners: Owner[] = [];
    const part = partOf(sizes[stock], accounts);
    for (let i = 0; i < accounts; i++) owners.push(await filler.add(name, part));
    noisy.set(name, { owners, ...(accounts > 1 && { platform: await above(db, name, owners) }) });
  }
  const all = [...quiet, ...[...noisy.values()].flatMap(({ owners }) => owners)];
  await db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query('analyze');
    for (const { accountId } of all)
      await revalue({ db: tx, caller: { accountId, clientId: '' }, now: () => new Date() }, 'all');
  });
  const variants = await db.query<{ id: string }>(
    'select v.id from variant v join price p on p.variant_id = v.id where p.amount is not null order by md5(v.id) limit 2000',
  );
  const stock = { quiet, noisy, variantIds: variants.map(({ id }) => id) };
  return platform ? { ...stock, platform: await above(db, 'Platform', all) } : stock;
}

/** Of one of the accounts that share it: no collections, but transactions, and as many variants as they allow. */
function partOf(size: Part, accounts: number): Part {
  const transactions = Math.ceil(size.transactions / accounts);
  return {
    ...size,
    transactions,
    variants: Math.min(size.variants, Math.ceil(transactions / size.collections)),
  };
}

/** A platform with these accounts below it. */
async function above(db: OpenDatabase, name: string, owners: readonly Owner[]): Promise<ClientCredentials> {
  const now = new Date();
  const { accountId } = await createAccount(db, { name, now });
  await setLimits(db, { accountId, maxAccounts: LIMITS.maxAccounts });
  for (const owner of owners) {
    await db.query('update account set parent_id = $1 where account_id = $2', [accountId, owner.accountId]);
    await db.query(
      'insert into sub_account (account_id, id, external_id) values ($1, $2::uuid, $2::uuid::text)',
      [accountId, owner.accountId],
    );
  }
  await db.query('update account set account_count = $2 where account_id = $1', [accountId, owners.length]);
  return createClient(db, { accountId, name, now });
}
