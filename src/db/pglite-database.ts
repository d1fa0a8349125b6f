import type { Database, OpenDatabase, StatementListener } from './client.ts';
import { accountDatabases, databaseOn, NOTIFY, type Options, once } from './database-on.ts';
import { type Asker, type Drivers, pooledDriver, serviceAsker } from './drivers.ts';
import type { EmbeddedServer } from './embedded-server.ts';
import { createNotifier, messagesOf } from './notifier.ts';
import { OPERATION_USE, type Operation } from './operation.ts';

/** What the embedded database is asked beside requests: another of those, such as the first reading of the market, may take it for seconds. */
const BESIDE_WAIT_MILLIS = 60_000;

/** An embedded database: a pool of one connection, for which all take turns. */
export function pgliteDatabase(
  server: EmbeddedServer,
  listener?: StatementListener,
  operationMillis: number = OPERATION_USE.millis,
): OpenDatabase {
  const service = pooledDriver(server, serviceAsker());
  const { notify, drain } = createNotifier((...message) => service.rows(NOTIFY, message, {}));
  const forService: Options = { kind: 'pglite', identity: server, listener, notify, operationMillis };
  const patient = pooledDriver(server, { ...serviceAsker(), waitMillis: BESIDE_WAIT_MILLIS });
  // Behind what the others ask: who waits for it would fail with them otherwise.
  const beside = databaseOn({ own: patient, hot: patient }, forService);
  const own = { housekeeping: beside, urgent: beside };
  const checking = databaseOn({ own: service, hot: service }, forService);
  const options = { ...forService, ...own };
  const databaseFor = (asker: Asker, behind: Database = beside) => {
    const driversFor = (operation?: Operation): Drivers => ({
      own: pooledDriver(server, asker, operation),
      hot: pooledDriver(server, { ...asker, scope: null }, operation),
    });
    return databaseOn(driversFor(), { ...options, behind, driversFor });
  };
  return {
    ...databaseFor(serviceAsker()),
    ...accountDatabases(
      forService,
      (asker) => pooledDriver(server, { ...asker, waitMillis: BESIDE_WAIT_MILLIS }),
      databaseFor,
    ),
    onLost: () => {},
    check: once(() => checking.query('select 1')),
    listen: (channel, onMessage, onConnect) =>
      server.listen({
        channel,
        onPayload: (payload) => messagesOf(payload).forEach(onMessage),
        onConnect,
      }),
    async close() {
      await drain();
      await server.close();
    },
  };
}
