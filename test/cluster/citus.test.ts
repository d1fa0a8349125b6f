import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { accountUuid } from '../../src/domain/credentials.ts';
import { type MortalPostgres, startMortalPostgres } from '../faults/postgres.ts';
import { CLI } from '../support/bundle.ts';
import { type CitusCluster, hasCitus, newCitusDatabase, startCitus } from '../support/citus-server.ts';
import { promote, startSynchronousStandby } from '../support/postgres-pair.ts';
import type { PostgresOptions, PostgresServer } from '../support/postgres-server.ts';
import { setOfServer } from '../support/server-settings.ts';
import { findHaproxy } from './balancer.ts';
import { newAccount, startNodes } from './nodes.ts';
import { isShort, Plays } from './plays.ts';
import { startTraffic } from './traffic.ts';

const ACCOUNTS_OF_WORKER = isShort ? 1 : 2;
const HOUR = 3_600_000;

const haproxy = findHaproxy();

// Citus is no package of Debian's: where the machine has none, this is skipped.
it.skipIf(!haproxy || !hasCitus())(
  'a worker of Citus is killed and comes back, and no client loses anything',
  async () => {
    const workers: MortalPostgres[] = [];
    let options: PostgresOptions = {};
    const citus = await startCitus(async (given) => {
      options = given;
      const worker = await startMortalPostgres(given);
      workers.push(worker);
      return worker;
    });
    onTestFinished(() => citus.stop());
    await setOfServer(citus.superuserUrl, 'citus.recover_2pc_interval', '1s');
    const url = await newCitusDatabase(citus.superuserUrl, 'cardledger_owner');
    const { nodes, balancer, untilAllUp } = await startNodes(haproxy!, { DATABASE_URL: url });
    const accounts = await accountsOfWorkers(url, workers);
    const traffic = await startTraffic(balancer.url, accounts);
    const plays = new Plays(traffic, 5, untilAllUp);

    const killed = (worker: MortalPostgres) => async (share: number) => {
      await worker.kill();
      await sleep(Math.min(share, 20_000));
      await worker.start();
    };
    await plays.play('nothing: three nodes on a coordinator and two workers', async () => {});
    await plays.play('the first worker killed, and started', killed(workers[0]!));
    await plays.play('the second worker killed, and started', killed(workers[1]!));
    await plays.play('a node killed, and started', async () => {
      await nodes[0].end('SIGKILL');
      await nodes[0].start();
    });
    const standby = await startSynchronousStandby(workers[1]!, options);
    onTestFinished(() => standby.stop());
    await plays.play('the second worker gone, its standby promoted and in its place', async () => {
      await workers[1]!.kill();
      await promote(standby);
      await putInPlace(citus, url, workers[1]!, standby);
    });
    await plays.settle(url);
  },
  HOUR,
);

/** As docs/operations.md#citus says. */
async function putInPlace(
  { superuserUrl }: CitusCluster,
  url: string,
  { port }: MortalPostgres,
  standby: PostgresServer,
): Promise<void> {
  const { pathname } = new URL(url);
  await asOperator(
    Object.assign(new URL(superuserUrl), { pathname }).href,
    `select citus_update_node(nodeid, '127.0.0.1', ${standby.port}, force => true, lock_cooldown => 1000)
     from pg_dist_node where nodeport = ${port}`,
  );
}

async function asOperator(superuserUrl: string, statement: string): Promise<void> {
  const db = postgresDatabase(superuserUrl);
  await db.query(statement).finally(() => db.close());
}

/** As many on each. */
async function accountsOfWorkers(url: string, workers: readonly MortalPostgres[]) {
  const db = postgresDatabase(url);
  const found = new Map<number, ReturnType<typeof newAccount>[]>(workers.map(({ port }) => [port, []]));
  for (let tries = 0; tries < 50 && [...found.values()].some(isShortOf); tries++) {
    const account = newAccount(CLI, url);
    const [{ port }] = (await db.query<{ port: number }>(
      `select nodeport as port from citus_shards s
       where s.table_name = 'account'::regclass and shardid = get_shard_id_for_distribution_column('account', $1::uuid)`,
      [accountUuid(account.accountId)],
    )) as [{ port: number }];
    if (isShortOf(found.get(port)!)) found.get(port)!.push(account);
  }
  await db.close();
  expect([...found.values()].filter(isShortOf)).toEqual([]);
  return [...found.values()].flat();
}

const isShortOf = (accounts: readonly unknown[]) => accounts.length < ACCOUNTS_OF_WORKER;
