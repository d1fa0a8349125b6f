import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createFreeTurns } from '../../src/admission.ts';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { Unknown } from '../../src/lib/processor-time.ts';
import { describeOnOneDatabase, NOW } from '../harness.ts';

describeOnOneDatabase('answers that are nobody’s work', (database) => {
  /** In which order they are answered, of an address for which the service has worked for a long time, another one and a probe. */
  it('wait where much was done for their address, but not what watches the service', async () => {
    const app = createApp({
      config: loadConfig({}),
      db: database(),
      now: () => NOW,
      logger: pino({ level: 'silent' }),
    });
    const answered: string[] = [];
    const ask = async (name: string, remoteAddress: string, path: string) => {
      const incoming = { socket: { remoteAddress } } as never;
      await app.fetch(new Request(`http://cardledger.test${path}`), { incoming });
      answered.push(name);
    };
    const names = new Set<string>();
    // Until the first has had its time: then it waits also where there is some left.
    for (let i = 0; i < 5000 && !names.has('another'); i += 50) {
      answered.length = 0;
      const crowd = Array.from({ length: 50 }, () => ask('crowd', '10.9.0.1', '/collection'));
      await Promise.all([
        ...crowd,
        ask('probe', '10.9.0.1', '/healthz'),
        ask('another', '10.9.0.2', '/collection'),
      ]);
      for (const name of answered.slice(0, answered.indexOf('crowd'))) names.add(name);
    }
    expect(names).toEqual(new Set(['probe', 'another']));
  });

  it('wait by account, or platform, wherever they are asked for from', async () => {
    const turn = createFreeTurns();
    const done: string[] = [];
    const take = async (name: string, sender: { accountId?: string; platformId?: string }, millis = 0) => {
      const before = new Unknown();
      before.pay(millis);
      await turn({ address: randomUUID(), accountId: undefined, ...sender }, before);
      done.push(name);
    };
    await take('much', { accountId: 'a' }, 10_000);
    await take('much', { accountId: 'b', platformId: 'p' }, 10_000);
    done.length = 0;
    await Promise.all([
      take('of the account', { accountId: 'a' }),
      take('below the platform', { accountId: 'c', platformId: 'p' }),
      take('of another', { accountId: 'd' }),
      take('of nobody', {}),
    ]);
    expect(new Set(done.slice(0, 2))).toEqual(new Set(['of another', 'of nobody']));
  });
});
