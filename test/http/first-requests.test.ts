import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { behindConnections, connectionTaken } from '../../src/lib/first-requests.ts';
import { asNewAccount, describeOnOneDatabase, NOW } from '../harness.ts';

describeOnOneDatabase('the first requests of new connections', (database) => {
  const start = () => {
    const config = { ...loadConfig({}), tokenLimitPerMinute: 0 };
    return createApp({ config, db: database(), now: () => NOW, logger: pino({ level: 'silent' }) });
  };
  const newConnection = () => {
    const socket = { remoteAddress: '10.9.0.1' };
    connectionTaken(socket);
    return { incoming: { socket } as never };
  };

  it('are not begun, nor counted, where the client has left meanwhile', async () => {
    const app = start();
    const { token } = await asNewAccount(database(), async (request) => app.fetch(request));
    const ask = (signal: AbortSignal) => {
      const headers = { Authorization: `Bearer ${token}` };
      return app.fetch(
        new Request('http://cardledger.test/collection', { headers, signal }),
        newConnection(),
      );
    };
    const remaining = async () =>
      Number((await ask(new AbortController().signal)).headers.get('RateLimit-Remaining'));
    const before = await remaining();
    const leaving = new AbortController();
    const left = ask(leaving.signal);
    leaving.abort();
    expect((await left).headers.get('RateLimit-Remaining')).toBeNull();
    expect(await remaining()).toBe(before - 1);
  });

  it('are behind probes that come on further ones, which wait for nothing', async () => {
    const app = start();
    const order: string[] = [];
    const ask = (name: string, path: string) =>
      app.fetch(new Request(`http://cardledger.test${path}`), newConnection()).then(() => order.push(name));
    // Some microtasks more than a probe takes: all are behind it only where they wait.
    const requests = Array.from({ length: 3 }, () => ask('request', '/collection'));
    for (let i = 0; i < 100; i++) await Promise.resolve();
    await Promise.all([...requests, ask('probe', '/healthz')]);
    expect(order).toEqual(['probe', 'request', 'request', 'request']);
  });

  it('are none behind a probe on the same connection', async () => {
    const connection = newConnection();
    await start().fetch(new Request('http://cardledger.test/healthz'), connection);
    expect(behindConnections((connection.incoming as { socket: object }).socket)).toBeUndefined();
  });
});
