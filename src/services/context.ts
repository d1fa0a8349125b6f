import type { Database } from '../db/client.ts';
import type { TokenGrant } from '../domain/credentials.ts';
import { ClientLeft } from '../domain/errors.ts';
import { inTurns, turnOf } from '../lib/in-turns.ts';
import type { Networks } from '../lib/networks.ts';
import type { Parts } from '../lib/parts.ts';
import type { Payer } from '../lib/processor-time.ts';

/** Who asks: known from the access token. */
export interface Caller {
  /** uuid */
  accountId: string;
  /** Of a user whom a platform's identity provider signed in, that one's issuer. */
  clientId: string;
  /** What the token may do where that is not all of the account: only read it, or also keep accounts below it. */
  scope?: 'read' | 'platform';
  /** The platform (uuid) that the account is below, where it acts for it, or gave out the token. */
  platformId?: string;
}

/** The platform (uuid) with whose accounts, its own too, the caller shares what all of them may have at a time. */
export function platformAbove({ accountId, platformId, scope }: Caller): string | undefined {
  return platformId ?? (scope === 'platform' ? accountId : undefined);
}

/** Told of what happens while a request is answered, for its line in the log, the metrics and its trace. */
export interface Observation {
  /** A GraphQL operation begins; the function that it gives is called at the operation's end. */
  operation(kind: string, name: string | undefined): (failed: boolean) => void;
}

/** The work that the service does for an account, and its budget (docs/decisions.md#work). */
export interface AccountWork extends Payer {
  /** The same of milliseconds of the database: it counts for the budget, not for whose turn it is in the process. */
  payDatabase(millis: number): void;
  /** Throws `RateLimited` where the budget is used up. */
  assertLeft(): void;
  /** The same, for who can wait. */
  readonly isUsedUp: boolean;
  /** Resolves when something of it is left, or nobody waits any more. */
  untilLeft(isOver: () => boolean): Promise<void>;
  /** In milliseconds; undefined where nothing bounds it. */
  left(): { limit: number; remaining: number } | undefined;
}

/** That of an account (a uuid); what is done for it counts for the platform (a uuid) that it is below, too. */
export type WorkOf = (accountId: string, platformId?: string) => AccountWork;

/** Access tokens for the accounts below a platform. */
export interface Tokens {
  /** Counts one for the account. Throws `RateLimited`. */
  count(accountId: string): void;
  issue(caller: Caller, grant: TokenGrant): Promise<string>;
}

/** The key of a write, by which it is done once. */
export interface Idempotency {
  readonly key: string;
  /** Set where the answer is that to an earlier request with the same key. */
  replayed: boolean;
}

/** What every verb is given. */
export interface Context {
  db: Database;
  caller: Caller;
  now: () => Date;
  observation?: Observation;
  /** Left out where a command asks. */
  work?: AccountWork;
  /** Left out where a command asks. */
  tokens?: Tokens;
  /** Where addresses that the caller names may lead; to public ones only where it is left out. */
  outboundNetworks?: Networks;
  /** Told when nobody waits for the answer any more; left out where nobody can leave. */
  leaving?: AbortSignal;
  /** Kept where an answer is made of several readings. */
  seen?: Seen;
  /** Of a write that may be sent again. */
  idempotency?: Idempotency;
  /**
   * Where what is done has a cost: adds the points of what is about to be read, by its size (domain/read-points.ts).
   * Throws where that is more than may be.
   */
  charge?(points: number): void;
}

type Waiting = Pick<Context, 'work' | 'leaving'>;

/**
 * What is to be waited for before something is read that takes long, if anything. Throws, or rejects, where the client has
 * left: 30 searches for nobody would take seconds.
 */
export function turnToRead({ work, leaving }: Waiting): Promise<void> | undefined {
  const turn = turnOf(work);
  if (turn) return turn.then(() => assertAwaited(leaving));
  assertAwaited(leaving);
  return undefined;
}

/** Reads one piece when it is its turn, at once where there is time. Throws, or rejects, where the client has left. */
export function readInTurn<T>(asker: Waiting, read: () => T): T | Promise<T> {
  const turn = turnToRead(asker);
  return turn ? turn.then(read) : read();
}

/**
 * Reads in parts, beside all others. Rejects where the client has left by the next turn: not for what others wait for, too, nor where anything
 * is being written.
 */
export function readInTurns<T>({ work, leaving }: Waiting, parts: Parts<T>): Promise<T> {
  return inTurns(parts, work, () => assertAwaited(leaving));
}

/** Throws where the client has left. */
export function assertAwaited(leaving: AbortSignal | undefined): void {
  if (leaving?.aborted) throw new ClientLeft();
}

/**
 * What the amounts read so far are made of: revisions of the market data, and the account's currency and cost basis. More
 * than one of any, and an answer would mix old amounts with new ones.
 */
export class Seen {
  /** What one statement saw, another did not find any more. */
  isTorn = false;
  /** The different values of each. */
  readonly madeOf = new Map<keyof MadeOf, Set<number | string>>();

  get isMixed(): boolean {
    if (this.isTorn) return true;
    for (const { size } of this.madeOf.values()) if (size > 1) return true;
    return false;
  }

  note(what: keyof MadeOf, value: number | string): void {
    const known = this.madeOf.get(what);
    if (known) known.add(value);
    else this.madeOf.set(what, new Set([value]));
  }
}

/** What an amount may be made of. */
const MADE_OF = [
  'marketRevision',
  'historyRevision',
  'indexRevision',
  'pullRatesRevision',
  'currency',
  'costBasis',
] as const;

type MadeOf = { [What in (typeof MADE_OF)[number]]?: number | string | null };

/** Notes what rows with amounts are made of, and gives the rows. */
export function observed<Row extends MadeOf>({ seen }: Context, rows: Row[]): Row[] {
  if (!seen) return rows;
  for (const row of rows) {
    for (const what of MADE_OF) {
      const value = row[what];
      if (value !== undefined && value !== null) seen.note(what, value);
    }
  }
  return rows;
}
