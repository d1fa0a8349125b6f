import { type Connection, LIFT_DEADLINES, type Result, type SendOptions } from './connection.ts';
import type { Param } from './text-types.ts';

/** The connection within a transaction; it refuses whatever comes when that is over. */
export interface Transaction {
  send: Connection['send'];
  /** From here to the end, statements may take and wait as long as they need. */
  liftTimeouts(): Promise<void>;
}

/**
 * Runs `work` in one database transaction, which starts with these settings. It is committed where `work` and all that it sent succeeded, and otherwise
 * nothing of it is kept; where the connection is lost during the commit, that is not known.
 */
export async function inTransaction<T>(
  connection: Connection,
  settings: readonly string[],
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let isOver = false;
  const send: Transaction['send'] = (text, params, options) =>
    isOver
      ? Promise.reject(new Error('The transaction of this statement is over.'))
      : connection.send(text, params, options);
  const liftTimeouts = async () => {
    connection.limitMillis = 0;
    await send(LIFT_DEADLINES);
  };
  // Not waited for: what `work` sends first goes with it, and fails where it has failed.
  const begun = Promise.all(connection.beginTexts(settings).map((text) => connection.send(text)));
  let refusal: { reason: unknown } | undefined;
  begun.catch((reason) => {
    refusal = { reason };
  });
  try {
    const [result] = await Promise.all([work({ send, liftTimeouts }), begun]);
    isOver = true;
    checkCommitted(await connection.send('commit'));
    return result;
  } catch (error) {
    isOver = true;
    // Where it is known by now that it did not begin as it should, that is why the rest has failed. What comes of `rollback` is no reason.
    const { reason } = refusal ?? { reason: error };
    if (connection.isOpen) await connection.send('rollback').catch(() => connection.discard());
    throw reason;
  }
}

/** A statement of its own; in a transaction where there are settings to be made in one, all sent at once. */
export async function sendAlone(
  connection: Connection,
  settings: readonly string[],
  text: string,
  params: readonly Param[],
  options?: SendOptions,
): Promise<unknown[]> {
  const begin = connection.beginTexts(settings);
  if (begin.length === 1 && begin[0] === 'begin') return (await connection.send(text, params, options)).rows;
  const sent = [
    Promise.all(begin.map((text) => connection.send(text))),
    connection.send(text, params, options),
    connection.send('commit', [], options?.onWork && { onWork: options.onWork }),
  ] as const;
  const [begun, done] = await Promise.allSettled(sent);
  if (begun.status === 'rejected' && done.status === 'fulfilled')
    throw new Error('A transaction did not begin, but its statement was executed.', { cause: begun.reason });
  const [, { rows }, end] = await Promise.all(sent);
  checkCommitted(end);
  return rows;
}

/** The server answers a commit with ROLLBACK where a statement has failed. */
function checkCommitted({ command }: Result): void {
  if (command !== 'COMMIT')
    throw new Error('A statement of the transaction has failed, so nothing is kept of it.');
}
