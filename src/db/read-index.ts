import { sharedAnswer } from '../lib/shared-answer.ts';
import { type Address, type Connection, newConnection } from './connection.ts';
import { DATABASE_IDENTITY, TIMELINE_OF } from './identity.ts';

/** What a replica must have replayed, for a reader to be told all that was committed when it was asked. */
export interface ReadIndex {
  /** The same for a primary and its standbys, and for no other database. */
  database: string;
  /** On another timeline the same place in the log is of other changes. */
  timeline: number;
  /** Bytes of the log of changes. */
  lsn: number;
}

const IDENTITY = `
  select ${DATABASE_IDENTITY} as database, current_setting('wal_block_size')::integer as "pageBytes"`;

/**
 * To where changes are put, not to where they are on the disk: with `synchronous_commit = off` a change is acknowledged
 * before it is there.
 */
const INDEX = `
  select ${TIMELINE_OF('lsn')} as timeline, pg_wal_lsn_diff(lsn, '0/0')::bigint as lsn
  from pg_current_wal_insert_lsn() as lsn`;

/** Of a page of the log, at most: what comes next is behind it, and what was replayed ends before it. */
const HEADER_BYTES = 40;
const LIMIT_MILLIS = 1000;

/** Asks the primary, on a connection of its own, one question after the other for all who want to know. */
export function newReadIndex(address: Address) {
  let connection: Connection | undefined;
  let identity: Promise<{ database: string; pageBytes: number }>;

  /** Whatever server is behind another connection may be another one. */
  const open = (): Connection => {
    const own = newConnection(address, { onClosed: () => {} });
    own.limitMillis = LIMIT_MILLIS;
    connection = own;
    identity = own.send(IDENTITY).then(({ rows }) => rows[0] as Awaited<typeof identity>);
    identity.catch(() => own.discard());
    return own;
  };
  const ask = async (): Promise<ReadIndex> => {
    if (connection?.isLeft) connection.discard();
    const own = connection?.isOpen ? connection : open();
    const [{ database, pageBytes }, { rows }] = await Promise.all([identity, own.send(INDEX)]);
    const { timeline, lsn } = rows[0] as { timeline: number; lsn: number };
    const inPage = lsn % pageBytes;
    return { database, timeline, lsn: inPage <= HEADER_BYTES ? lsn - inPage : lsn };
  };
  return {
    /** As of after the call. Fails where the primary does not answer. */
    ask: sharedAnswer(ask),
    close: async () => connection?.close(),
  };
}
