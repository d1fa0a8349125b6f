import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Connection } from '../../src/db/connection.ts';
import { EMBEDDED_LIMIT_MILLIS } from '../../src/db/embedded-connection.ts';
import { maintain } from '../../src/db/embedded-maintenance.ts';
import { openServer } from '../../src/db/embedded-server.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';
import { serviceTurn } from '../../src/db/turns.ts';
import { emptyDump, freshServer } from '../support/pglite-template.ts';

it('closes what is being opened anew, before it says that it is closed', async () => {
  let open = () => {};
  let opened = Promise.resolve();
  const told: string[] = [];
  const server = await openServer(
    { loadDataDir: await emptyDump() },
    { beforeOpening: () => opened, onProgress: (message) => void told.push(message) },
  );
  opened = new Promise((resolve) => {
    open = resolve;
  });
  await server.use(serviceTurn(), async (connection) => connection.discard());
  while (told.length === 0) await turn();
  let isClosed = false;
  const closing = server.close().then(() => {
    isClosed = true;
  });
  for (let i = 0; i < 100; i++) await turn();
  expect(isClosed).toBe(false);
  open();
  await closing;
  expect(told).toEqual([expect.stringContaining('has ended and is opened anew')]);
  expect(process.getActiveResourcesInfo()).not.toContain('Worker');
});

it('gives its maintenance longer than the statements of requests', async () => {
  const server = await freshServer();
  onTestFinished(() => server.close());
  const limits: number[] = [];
  await maintain({
    use: (turn, work) =>
      server.use(turn, async (connection) => {
        const send: Connection['send'] = (...args) => {
          limits.push(connection.limitMillis);
          return connection.send(...args);
        };
        const result = await work(
          new Proxy(connection, {
            get: (_, name) => (name === 'send' ? send : Reflect.get(connection, name, connection)),
            set: (_, name, value) => Reflect.set(connection, name, value, connection),
          }),
        );
        return result;
      }),
  });
  expect(limits.length).toBeGreaterThan(0);
  for (const limit of limits) expect(limit).toBeGreaterThan(EMBEDDED_LIMIT_MILLIS);
  expect(await server.use(serviceTurn(), async ({ limitMillis }) => limitMillis)).toBe(EMBEDDED_LIMIT_MILLIS);
});

it('lets what is done beside requests wait for long, as behind the first reading of the market', async () => {
  const server = await freshServer();
  onTestFinished(() => server.close());
  const db = pgliteDatabase(server);
  const reading = db.housekeeping.transaction((tx) => tx.query('select pg_sleep(4)'));
  const settling = db.housekeeping.query('select 1 as done');
  const ofRequests = [db.query('select 1'), db.check()];
  for (const one of ofRequests) await expect(one).rejects.toMatchObject({ problem: 'Unavailable' });
  expect(await settling).toEqual([{ done: 1 }]);
  await reading;
});
