import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { createNotifier, messagesOf } from '../../src/db/notifier.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { describeOnDatabases } from '../harness.ts';
import { eventually } from '../support/eventually.ts';

function listenTo(db: OpenDatabase) {
  const channel = `test_${randomUUID().replace(/\W|\d/g, '')}`;
  const messages: string[] = [];
  const connected = vi.fn<() => void>();
  const stop = db.listen(channel, (message) => messages.push(message), connected);
  onTestFinished(stop);
  return { channel, messages, connected, stop };
}

describeOnDatabases('listening', (database) => {
  it('gets messages in their order, each once', async () => {
    const { channel, messages, connected, stop } = listenTo(database());
    await eventually(() => expect(connected).toHaveBeenCalledOnce());
    for (const message of ['a', 'b', 'a', 'a', 'c']) database().notify(channel, message);
    await eventually(() => expect(messages.at(-1)).toBe('c'));
    expect(new Set(messages)).toEqual(new Set(['a', 'b', 'c']));
    expect(messages.length).toBeLessThan(5);

    await stop();
    database().notify(channel, 'unheard');
    // It is sent at the end of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await database().query('select 1');
    expect(messages.at(-1)).toBe('c');
  });

  it('gets what a transaction tells once it is committed, and nothing of one that is undone', async () => {
    const { channel, messages, connected } = listenTo(database());
    await eventually(() => expect(connected).toHaveBeenCalled());
    const undone = database().transaction(async (tx) => {
      tx.notify(channel, 'undone');
      await tx.transaction(async (inner) => inner.notify(channel, 'undone as well'));
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    let tries = 0;
    await database().transaction(async (tx) => {
      tx.notify(channel, `try ${++tries}`);
      await tx.query('select 1');
      if (tries === 1) throw Object.assign(new Error('lost a race'), { code: '40001' });
    });
    await eventually(() => expect(messages).not.toEqual([]));
    expect(messages).toEqual(['try 2']);
  });
});

describe.skipIf(!inject('postgresUrl'))('listening on PostgreSQL', () => {
  const open = () => {
    const db = postgresDatabase(inject('postgresUrl')!);
    onTestFinished(() => db.close());
    return db;
  };

  it('hears other processes, and goes on when its connection was ended', async () => {
    const [here, there] = [open(), open()];
    const { channel, messages, connected } = listenTo(here);
    await eventually(() => expect(connected).toHaveBeenCalledTimes(1));
    for (let round = 1; round <= 3; round++) {
      there.notify(channel, `before ${round}`);
      await eventually(() => expect(messages.at(-1)).toBe(`before ${round}`));
      await there.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen "${channel}"'`,
      );
      await eventually(() => expect(connected).toHaveBeenCalledTimes(round + 1));
    }
  });

  it('sends what is waiting before it closes', async () => {
    const { channel, messages, connected } = listenTo(open());
    await eventually(() => expect(connected).toHaveBeenCalled());
    const leaving = postgresDatabase(inject('postgresUrl')!);
    leaving.notify(channel, 'first');
    leaving.notify(channel, 'last');
    await leaving.close();
    await eventually(() => expect(messages).toEqual(['first', 'last']));
  });
});

describe('the notifier', () => {
  it('sends together what comes together, each message once', async () => {
    const payloads: string[] = [];
    const notifier = createNotifier(async (_channel, payload) => payloads.push(payload));
    for (const message of ['a', 'b', 'a', 'b', 'c']) notifier.notify('x', message);
    await notifier.drain();
    expect(payloads).toEqual(['a\nb\nc']);
  });

  it('fills payloads up to what PostgreSQL takes, and drops what cannot be sent', async () => {
    const payloads: string[] = [];
    const notifier = createNotifier(async (_channel, payload) => {
      payloads.push(payload);
      if (payloads.length === 1) throw new Error('no connection');
    });
    const messages = Array.from({ length: 300 }, (_, i) => `${i}`.padStart(78, '.'));
    for (const message of messages) notifier.notify('x', message);
    await notifier.drain();
    expect(payloads.map((payload) => Buffer.byteLength(payload))).toEqual([7899, 7899, 7899]);
    expect(payloads.flatMap(messagesOf)).toEqual(messages);
  });
});
