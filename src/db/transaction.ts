import { type Connection, LIFT_DEADLINES, type Param, type Result } from './connection.ts';

/** The connection within a transaction; it refuses whatever comes when that is over. */
export interface Transaction {
  send: Connection['send'];
  /** From here to the end, statements may take and wait as long as they need. */
  liftTimeouts(): Promise<void>;
}

function beginText(connection: Connection, scope: string | null): string {
  return scope === null ? connection.beginText : `${connection.beginText}; ${scope}`;
}

/**
 * Runs `work` in one database transaction. It is committed where `work` and all that it sent succeeded, and otherwise
 * nothing of it is kept; where the connection is lost during the commit, that is not known.
 */
export async function inTransaction<T>(
  connection: Connection,
  scope: string | null,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let isOver = false;
  const send: Connection['send'] = (text, params) =>
    isOver
      ? Promise.reject(new Error('The transaction of this statement is over.'))
      : connection.send(text, params);
  const liftTimeouts = async () => {
    connection.limitMillis = 0;
    await send(LIFT_DEADLINES);
  };
  // Not waited for: what `work` sends first goes with it, and fails where it has failed.
  const begun = connection.send(beginText(connection, scope));
  try {
    const [result] = await Promise.all([work({ send, liftTimeouts }), begun]);
    isOver = true;
    checkCommitted(await connection.send('commit'));
    return result;
  } catch (error) {
    isOver = true;
    if (connection.isOpen) await connection.send('rollback').catch(() => connection.discard());
    throw error;
  }
}

/** A statement of its own; in a transaction where the account or the deadlines have to be set in one, all sent at once. */
export async function sendAlone(
  connection: Connection,
  scope: string | null,
  text: string,
  params: readonly Param[],
): Promise<unknown[]> {
  const begin = beginText(connection, scope);
  if (begin === 'begin') return (await connection.send(text, params)).rows;
  const sent = [connection.send(begin), connection.send(text, params), connection.send('commit')] as const;
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
