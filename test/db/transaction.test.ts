import { expect, it } from 'vitest';
import type { Connection } from '../../src/db/connection.ts';
import { inTransaction } from '../../src/db/transaction.ts';

type Answer = (text: string) => Promise<{ rows: unknown[]; command: string }>;

/** A connection that answers as it is told; whether it was thrown away. */
function connectionWith(answer: Answer) {
  const state = { discarded: false };
  const connection = {
    isOpen: true,
    limitMillis: 0,
    beginTexts: () => ['begin'],
    send: (text: string) => answer(text),
    discard: () => {
      state.discarded = true;
    },
  } as unknown as Connection;
  return { connection, state };
}

const done = (command: string) => Promise.resolve({ rows: [], command });
const lost = () => Promise.reject(new Error('The connection is lost.'));

it('says why it failed, also where the connection is lost while it is rolled back', async () => {
  let begin: Answer = () => done('BEGIN');
  const { connection, state } = connectionWith((text) => {
    if (text === 'begin') return begin(text);
    return text === 'rollback' ? lost() : done('SELECT');
  });
  const fail = () => Promise.reject(new Error('our own'));
  await expect(inTransaction(connection, [], fail)).rejects.toThrow('our own');
  expect(state.discarded).toBe(true);

  // The answer to its begin is still to come then, and is that it is lost.
  let lose = () => {};
  begin = () =>
    new Promise((_, reject) => {
      lose = () => reject(new Error('The connection is lost.'));
    });
  const failing = inTransaction(connection, [], fail);
  setImmediate(() => lose());
  await expect(failing).rejects.toThrow('our own');
});

it('says why it did not begin, where what came behind that failed with it', async () => {
  const { connection } = connectionWith((text) => {
    if (text === 'rollback') return done('ROLLBACK');
    return Promise.reject(new Error(text === 'begin' ? 'not allowed' : 'current transaction is aborted'));
  });
  const work = (tx: { send: Connection['send'] }) => tx.send('select 1');
  await expect(inTransaction(connection, [], work)).rejects.toThrow('not allowed');
});

it('rolls back where its work throws at once, and leaves no rejection to nobody', async () => {
  const sent: string[] = [];
  const { connection } = connectionWith((text) => {
    sent.push(text);
    return text === 'begin' ? lost() : done('ROLLBACK');
  });
  const work = () => {
    throw new Error('at once');
  };
  await expect(inTransaction(connection, [], work)).rejects.toThrow('at once');
  expect(sent).toEqual(['begin', 'rollback']);
});
