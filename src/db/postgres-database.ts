import { addressOf } from './address.ts';
import type { Database, OpenDatabase, StatementListener } from './client.ts';
import { accountDatabases, databaseOn, NOTIFY, type Options, once } from './database-on.ts';
import { type Asker, type Drivers, pooledDriver, serviceAsker, sharedDriver } from './drivers.ts';
import { newListening } from './listening.ts';
import { createNotifier } from './notifier.ts';
import { OPERATION_USE, type Operation } from './operation.ts';
import { newPools, type Pool, type Pools } from './pool.ts';
import type { TellPrimary } from './primary.ts';
import { readingDrivers } from './reading.ts';
import { type ReplicaOptions, Replicas } from './replicas.ts';
import type { PoolUse } from './turns.ts';

/** A PostgreSQL behind bounded pools; with `?pgbouncer=true` in its address, one behind PgBouncer in transaction mode. */
export function postgresDatabase(
  url: string,
  listener?: StatementListener,
  operationMillis: number = OPERATION_USE.millis,
  replicaOptions?: ReplicaOptions,
  tellPrimary?: TellPrimary,
): OpenDatabase {
  const address = addressOf(url, tellPrimary);
  const replicas = replicaOptions && new Replicas(address, replicaOptions);
  const lossListeners: (() => void)[] = [];
  const { alone, shared, housekeeping, urgent } = newPools(address, () => {
    for (const tell of lossListeners) tell();
  });
  const listening = newListening(address);
  const service = pooledDriver(urgent, serviceAsker());
  const { notify, drain } = createNotifier((...message) => service.rows(NOTIFY, message, {}));
  const forService: Options = { kind: 'postgres', identity: alone, listener, notify, operationMillis };
  const databaseOf = (pool: Pool) => {
    const asker = serviceAsker();
    const own = pooledDriver(pool, asker);
    return databaseOn({ own, hot: sharedDriver(shared, () => own, asker) }, forService);
  };
  const own = {
    housekeeping: databaseOf(housekeeping),
    urgent: databaseOn({ own: service, hot: service }, forService),
  };
  const options = { ...forService, ...own };
  const databaseFor = (asker: Asker, behind: Database = own.housekeeping) => {
    const driversOn = (pools: Pick<Pools, 'alone' | 'shared'>, operation?: Operation): Drivers => {
      const own = pooledDriver(pools.alone, asker, operation);
      const unscoped = () => pooledDriver(pools.alone, { ...asker, scope: null }, operation);
      return { own, hot: sharedDriver(pools.shared, unscoped, asker, operation) };
    };
    const driversFor = (operation?: Operation) => driversOn({ alone, shared }, operation);
    const readersFor = (operation: Operation, primary: Drivers) =>
      readingDrivers(replicas!, primary, (pools) => driversOn(pools, operation));
    return databaseOn(driversFor(), { ...options, behind, driversFor, readersFor: replicas && readersFor });
  };
  return {
    ...databaseFor(serviceAsker()),
    ...accountDatabases(forService, (asker) => pooledDriver(housekeeping, asker), databaseFor),
    pools: {
      alone: alone.usage,
      shared: shared.usage,
      housekeeping: housekeeping.usage,
      ...poolsOf(replicas),
    },
    ...(replicas && { readUse: replicas.use }),
    onLost: (listener) => void lossListeners.push(listener),
    check: once(() => own.urgent.query('select 1')),
    listen(channel, onMessage, onConnect) {
      const stop = listening.add({ channel, onMessage, onConnect });
      return async () => stop();
    },
    async close() {
      await drain();
      listening.close();
      await Promise.all([alone, shared, housekeeping, urgent].map((pool) => pool.close()));
      await replicas?.close();
    },
  };
}

function poolsOf(replicas: Replicas | undefined): Record<string, PoolUse> {
  const all = replicas?.use.replicas ?? [];
  return Object.fromEntries(
    all.flatMap(({ server, pools: { alone, shared } }) => [
      [`alone ${server}`, alone.usage],
      [`shared ${server}`, shared.usage],
    ]),
  );
}
