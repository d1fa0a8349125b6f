import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf } from './address.ts';
import { type Address, type Connection, newConnection } from './connection.ts';
import { DATABASE_IDENTITY, STARTED_AT } from './identity.ts';
import { newReplicaPools, type ReplicaPools } from './pool.ts';
import type { ReadIndex } from './read-index.ts';

const CHECK_MILLIS = 1000;
const CHECK_LIMIT_MILLIS = 500;
/** How long a reader waits for a replica that is about to have what it must have. */
export const WAIT_MILLIS = 20;
/** One that has not what the primary had so long ago is left out. */
export const MOST_LAG_MILLIS = 1000;
/** Between two looks at how far it is: while readers wait, and when one has waited in vain. */
const LOOK_PAUSE_MILLIS = 1;
const IDLE_LOOK_PAUSE_MILLIS = 20;
const MAX_SAMPLES = 120;

const REPLAYED = `pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint`;
/** How far it is, and which server that is said of. */
export const LOOK = `select ${REPLAYED} as lsn, ${STARTED_AT} as "startedAt"`;
/** As `Checked`. Its timeline is known when it has put something of it on the disk, which after a failover may take as long as a checkpoint. */
export const CHECK = `
  select pg_is_in_recovery() as "isStandby", ${STARTED_AT} as "startedAt",
    ${DATABASE_IDENTITY} as database, ${REPLAYED} as lsn, greatest(
    (select timeline_id from pg_control_checkpoint()),
    (select min_recovery_end_timeline from pg_control_recovery())
  ) as timeline, exists (select from pg_extension where extname = 'citus') as "isCitus"`;

export interface Checked extends ReadIndex {
  isStandby: boolean;
  /** To a millionth of a second: the same of two addresses that lead to one server, whatever they call it. */
  startedAt: string;
  isCitus: boolean;
}

/** Why nobody reads from a replica. */
export interface LeftOut {
  kind:
    | 'gone'
    | 'no standby'
    | 'of a Citus'
    | 'another database'
    | 'another timeline'
    | 'same server'
    | 'lagging';
  reason: string;
}

/** Told when a replica is left out, and with null when it is not (any more). */
export type TellReplica = (server: string, leftOut: LeftOut | null) => void;

/** What the others know that it has to: the primary's log, and which of them, if any, is the server that started then. */
export interface Surroundings {
  primary: () => Promise<ReadIndex>;
  sameServer: (startedAt: string, than: Replica) => Replica | undefined;
}

/** From where a reader reads, as long as that is still the server that was seen to have what it must have. */
export interface Lease {
  readonly replica: Replica;
  isGood(): boolean;
}

interface Waiter {
  lsn: number;
  settle(hasIt: boolean): void;
}

/** A standby that readers may read from, which is looked at each second, and whenever somebody waits for it. */
export class Replica {
  /** `host:port`, and `/database` behind it where another has the same. */
  readonly server: string;
  readonly pools: ReplicaPools;
  /** Operations that were given to it, and those of them that went on on the primary. */
  reads = 0;
  leftReads = 0;
  /** Since when the primary has had what this has not, in milliseconds. */
  lagMillis = 0;
  readonly #address: Address;
  readonly #surroundings: Surroundings;
  readonly #tell: TellReplica;
  /** Undefined before the first check. */
  #leftOut: LeftOut | null | undefined;
  /** What it was when it was looked at last; null when that is not sure any more. */
  #seen: Checked | null = null;
  /** What a reader has waited for in vain; nobody waits again before it is there. */
  #vainLsn = -1;
  /** Another one when its connections may lead to a server that was started anew, which may be behind what it was. */
  #epoch = 0;
  #connection: Connection | undefined;
  #checking: Promise<void> | undefined;
  #isDoubted = false;
  #isLooking = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #waiters = new Set<Waiter>();
  #samples: { lsn: number; atMillis: number }[] = [];

  constructor(url: string, server: string, surroundings: Surroundings, tell: TellReplica) {
    this.server = server;
    // Behind PgBouncer no connection ends where a server does.
    const assertServer = () => assertStarted(this.#seen?.startedAt ?? '');
    this.#address = { ...addressOf(url), readOnly: true, assertServer };
    this.#surroundings = surroundings;
    this.#tell = tell;
    this.pools = newReplicaPools(
      this.#address,
      () => this.#seen !== null,
      () => this.#doubt(),
    );
    this.#check();
  }

  get isLeftOut(): boolean {
    return this.#leftOut !== null;
  }

  /** When its server was started, while that is known and it follows the primary, if from afar. */
  get startedAt(): string | undefined {
    return this.#seen?.startedAt;
  }

  get inUse(): number {
    return this.pools.alone.usage.inUse + this.pools.shared.usage.inUse;
  }

  /** Whether it was seen to have all of it. */
  has(index: ReadIndex): boolean {
    return this.#mayHave(index) && this.#seen!.lsn >= index.lsn;
  }

  /** Resolves when it has it: with false where that takes too long, or others have waited in vain already. */
  reached(index: ReadIndex): Promise<boolean> {
    if (!this.#mayHave(index) || this.#seen!.lsn < this.#vainLsn) return Promise.resolve(false);
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#vainLsn = Math.max(this.#vainLsn, index.lsn);
        waiter.settle(false);
      };
      const timer = setTimeout(giveUp, WAIT_MILLIS);
      const waiter: Waiter = {
        lsn: index.lsn,
        settle: (hasIt) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(hasIt);
        },
      };
      this.#waiters.add(waiter);
      void this.#look();
    });
  }

  lease(): Lease {
    const epoch = this.#epoch;
    return { replica: this, isGood: () => this.#epoch === epoch };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const connection = this.#connection;
    this.#connection = undefined;
    await Promise.all([connection?.close(), this.pools.close()]);
  }

  #mayHave({ database, timeline }: ReadIndex): boolean {
    const seen = this.#seen;
    return this.#leftOut === null && seen?.database === database && seen.timeline === timeline;
  }

  /** A connection was lost: what was seen may have been of a server that is gone, and the next is looked at first. */
  #doubt(): void {
    if (this.#isClosed) return;
    this.#forget();
    this.#isDoubted = true;
    this.#check();
  }

  #forget(): void {
    this.#epoch++;
    this.#seen = null;
    this.#vainLsn = -1;
    for (const waiter of this.#waiters) waiter.settle(false);
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.discard();
  }

  #check(): void {
    clearTimeout(this.#timer);
    this.#checking ??= this.#checkNow().finally(() => {
      this.#checking = undefined;
      if (this.#isClosed) return;
      if (this.#isDoubted) this.#check();
      else this.#timer = setTimeout(() => this.#check(), CHECK_MILLIS).unref();
    });
  }

  async #checkNow(): Promise<void> {
    this.#isDoubted = false;
    // Without the primary nobody knows what there is to have, and nobody reads here.
    const index = await this.#surroundings.primary().catch(() => null);
    const checked = await this.#ask<Checked>(CHECK).catch((error: Error) => error);
    if (this.#isClosed || this.#isDoubted) return;
    if (checked instanceof Error)
      this.#leaveOut({ kind: 'gone', reason: `it cannot be read: ${checked.message}` });
    else {
      const unfit = unfitness(checked, index) ?? this.#twice(checked);
      if (unfit) this.#leaveOut(unfit);
      else if (index) this.#follow(checked, index);
    }
  }

  /** It would have a share of the readers, and of connections, for each of its addresses. */
  #twice({ startedAt }: Checked): LeftOut | null {
    const other = this.#surroundings.sameServer(startedAt, this);
    return other ? { kind: 'same server', reason: `it is the same server as ${other.server}` } : null;
  }

  #follow(checked: Checked, index: ReadIndex): void {
    if (this.#seen && this.#seen.startedAt !== checked.startedAt) this.#forget();
    this.#seen = checked;
    this.#measureLag(checked, index);
    const lag = `it lags by ${(this.lagMillis / 1000).toFixed(1)} s`;
    this.#setLeftOut(this.lagMillis < MOST_LAG_MILLIS ? null : { kind: 'lagging', reason: lag });
  }

  #measureLag({ lsn }: Checked, index: ReadIndex): void {
    const now = performance.now();
    this.#samples.push({ lsn: index.lsn, atMillis: now });
    this.#samples = this.#samples.filter((sample) => sample.lsn > lsn);
    // Of a long lag every other one will do.
    if (this.#samples.length > MAX_SAMPLES) this.#samples = this.#samples.filter((_, i) => i % 2 === 0);
    const [oldest] = this.#samples;
    this.lagMillis = oldest ? now - oldest.atMillis : 0;
  }

  /** Nothing of it is waited for any more. */
  #leaveOut(leftOut: LeftOut): void {
    this.#forget();
    this.#samples = [];
    this.#setLeftOut(leftOut);
    this.pools.discardAll();
  }

  #setLeftOut(leftOut: LeftOut | null): void {
    const before = this.#leftOut;
    this.#leftOut = leftOut;
    if (before === undefined || before?.kind !== leftOut?.kind) this.#tell(this.server, leftOut);
  }

  /** Looks how far it is, again and again, as long as somebody waits for that, or has waited in vain. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (
        this.#seen &&
        this.#leftOut === null &&
        (this.#waiters.size > 0 || this.#seen.lsn < this.#vainLsn)
      ) {
        const seen = this.#seen;
        const { lsn, startedAt } = await this.#ask<Pick<Checked, 'lsn' | 'startedAt'>>(LOOK);
        if (this.#seen !== seen) continue;
        if (startedAt !== seen.startedAt) return this.#doubt();
        this.#seen = { ...seen, lsn };
        for (const waiter of this.#waiters) if (waiter.lsn <= lsn) waiter.settle(true);
        const pause = this.#waiters.size > 0 ? LOOK_PAUSE_MILLIS : IDLE_LOOK_PAUSE_MILLIS;
        if (this.#waiters.size > 0 || lsn < this.#vainLsn) await sleep(pause, undefined, { ref: false });
      }
    } catch {
      // The connection is lost, of which is told where that is.
    } finally {
      this.#isLooking = false;
    }
  }

  async #ask<Row>(text: string): Promise<Row> {
    const connection = this.#connection ?? this.#open();
    const { rows } = await connection.send(text);
    return rows[0] as Row;
  }

  #open(): Connection {
    const connection = newConnection(this.#address, {
      onClosed: () => {
        if (this.#connection !== connection) return;
        this.#forget();
        // Otherwise that fails, and says why.
        if (!this.#checking) this.#check();
      },
    });
    connection.limitMillis = CHECK_LIMIT_MILLIS;
    this.#connection = connection;
    return connection;
  }
}

/** Fails on a server that was started at another time. */
function assertStarted(startedAt: string): string {
  return `select (case when ${STARTED_AT} = '${startedAt}' then '1' else 'another server answers' end)::integer`;
}

/** Why nothing of it may be read, however far it is. @param index of the primary, null where that does not answer */
export function unfitness(checked: Checked, index: ReadIndex | null): LeftOut | null {
  if (!checked.isStandby)
    return { kind: 'no standby', reason: 'it is no standby (any more), and takes changes of its own' };
  if (checked.isCitus)
    return {
      kind: 'of a Citus',
      reason: 'it is of a Citus, and does not know how far the standbys of the workers are',
    };
  if (!index) return null;
  if (checked.database !== index.database)
    return { kind: 'another database', reason: 'it is a replica of another database' };
  if (checked.timeline === index.timeline) return null;
  const timelines = `it is on timeline ${checked.timeline}, and the primary on ${index.timeline}`;
  return { kind: 'another timeline', reason: `${timelines}: it has not followed a promotion (yet)` };
}
