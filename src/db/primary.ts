import { setTimeout as sleep } from 'node:timers/promises';
import { serverName } from '../lib/server-urls.ts';
import { sqlState } from './errors.ts';

/** The others may be slow to answer, or gone; of two that take changes the one that was promoted last is meant. */
const OTHERS_MILLIS = 300;

/** What a server is. */
export interface Seen {
  /** The same for a primary and its standbys, and for no other database. */
  database: string;
  /** The same of two addresses that lead to one server. */
  startedAt: string;
  /**
   * Null where it takes no changes: a standby, or one that is set to read only. A server starts a new timeline when it is
   * promoted.
   */
  timeline: number | null;
}

export type Look = (serverUrl: string) => Promise<Seen>;

/** Told, with a line for the log, when a server has taken the place of another, and of one that takes changes and is left alone; `host:port`. */
export type TellPrimary = (server: string, line: string) => void;

/**
 * Which of several servers takes changes, the others being its standbys: looked for when a connection is opened after one
 * was lost or refused. Whoever asks meanwhile waits for the same answer.
 *
 * A primary that comes back when a standby has taken its place is not taken again, as long as this process has seen the
 * new one, or both of them answer: what is written to the old one would be lost. Nor is a copy that was not promoted, though the
 * one that it was made of is gone, nor a server of another database than the first that was found, as that of an address that
 * was mistaken, or what `pg_upgrade` has made: those take a restart.
 */
export class Primary {
  readonly #serverUrls: readonly string[];
  readonly #look: Look;
  readonly #tell: TellPrimary;
  #known: string | undefined;
  /** Known last, whether or not a connection to it has failed since. */
  #last: { url: string; startedAt: string } | undefined;
  #finding: Promise<string> | undefined;
  #database: string | undefined;
  #newestTimeline = 0;
  /** Why a server that takes changes is left alone, as was told. */
  readonly #leftAlone = new Map<string, string>();

  constructor(serverUrls: readonly string[], look: Look, tell: TellPrimary = () => {}) {
    this.#serverUrls = serverUrls;
    this.#look = look;
    this.#tell = tell;
  }

  /** Its address. Fails where none of the servers takes changes, or it cannot be told which of several is meant. */
  find(): Promise<string> {
    if (this.#known !== undefined) return Promise.resolve(this.#known);
    return this.#found();
  }

  /** A connection to this one failed. */
  doubt(serverUrl: string): void {
    if (this.#known === serverUrl) this.#known = undefined;
  }

  /** It answers, and refused a change: it stays the one that is read from, unless another takes changes by now. */
  async review(serverUrl: string): Promise<void> {
    if (this.#known !== serverUrl) return;
    await this.#found().catch(() => {});
  }

  /** Whether another has taken its place. */
  hasLeft(serverUrl: string): boolean {
    return this.#known !== undefined && this.#known !== serverUrl;
  }

  #found(): Promise<string> {
    this.#finding ??= this.#findNow().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  async #findNow(): Promise<string> {
    const answers = new Map<string, Seen>();
    const looks = this.#serverUrls.map(async (serverUrl) => {
      const seen = await this.#look(serverUrl);
      answers.set(serverUrl, seen);
      const unfit = this.#unfitness({ url: serverUrl, ...seen });
      if (unfit) throw new Error(unfit);
    });
    const all = Promise.allSettled(looks);
    await Promise.any(looks).then(
      () => Promise.race([all, sleep(OTHERS_MILLIS, undefined, { ref: false })]),
      () => {},
    );
    // In the order of the address, not in that of the answers.
    const seen = this.#serverUrls.flatMap((url) => {
      const answer = answers.get(url);
      return answer ? [{ url, ...answer }] : [];
    });
    const chosen = this.#choose(seen);
    if (chosen) this.#take(chosen);
    for (const one of seen) this.#tellIfLeftAlone(one, chosen);
    if (!chosen) throw noPrimary(this.#serverUrls, await all);
    return chosen.url;
  }

  /** Why it is not to be written to, whatever the others are. */
  #unfitness({ url, database, timeline, startedAt }: Answer): string | null {
    if (timeline === null) return 'takes no changes';
    if (this.#database !== undefined && database !== this.#database) return ANOTHER_DATABASE;
    if (timeline < this.#newestTimeline) return REPLACED;
    const isPromoted = timeline > this.#newestTimeline;
    const isLast = !this.#last || url === this.#last.url || startedAt === this.#last.startedAt;
    return isPromoted || isLast ? null : NOT_PROMOTED;
  }

  /** Undefined where none of them will do. */
  #choose(seen: readonly Answer[]): Answer | undefined {
    const fit = seen.filter((one) => this.#unfitness(one) === null);
    if (this.#database === undefined && fit.length > 0) assertOne('database', seen, TWO_DATABASES);
    const timeline = Math.max(...fit.map((one) => one.timeline!));
    const newest = fit.filter((one) => one.timeline === timeline);
    const known = newest.find(({ url }) => url === this.#last?.url);
    if (!known) assertOne('startedAt', newest, TWO_SERVERS);
    return known ?? newest[0];
  }

  #take({ url, database, startedAt, timeline }: Answer): void {
    const before = this.#last;
    this.#known = url;
    this.#last = { url, startedAt };
    this.#database = database;
    this.#newestTimeline = timeline!;
    if (!before || before.url === url || before.startedAt === startedAt) return;
    const server = serverName(url);
    this.#tell(
      server,
      `${server} is written to from now on: it has taken the place of ${serverName(before.url)}`,
    );
  }

  /** Once, as long as it is for the same reason. */
  #tellIfLeftAlone(one: Answer, chosen: Answer | undefined): void {
    const { url, timeline, startedAt } = one;
    if (timeline === null || startedAt === chosen?.startedAt) return void this.#leftAlone.delete(url);
    const reason = this.#unfitness(one);
    if (reason === null || this.#leftAlone.get(url) === reason) return;
    this.#leftAlone.set(url, reason);
    const server = serverName(url);
    this.#tell(server, `${server} takes changes, and is left alone: ${reason}`);
  }
}

interface Answer extends Seen {
  url: string;
}

const REPLACED = 'another has taken its place';
const ANOTHER_DATABASE =
  'it is of another database than the one that was found first; where it is to take its place, as after pg_upgrade, restart the service';
const NOT_PROMOTED =
  'it was never promoted, and is on the timeline of the one that was written to, as a copy of it is; where it is to take its place, restart the service';

const TWO_DATABASES =
  'are of different databases: take the one that is not meant out of DATABASE_URL, or end it';
const TWO_SERVERS =
  'both take changes, and neither was promoted after the other: end the one that is not to be written to';

/** Nobody knows which of two that differ in it is meant. */
function assertOne(what: 'database' | 'startedAt', seen: readonly Answer[], otherwise: string): void {
  const [first] = seen;
  const other = seen.find((one) => one[what] !== first![what]);
  if (other) throw undecided([first!, other], otherwise);
}

const UNDECIDED = 'CONNECT_UNDECIDED';

/** Two servers answer, and it cannot be told which is meant; the message says what to do. */
export function isUndecided(error: unknown): boolean {
  return sqlState(error) === UNDECIDED;
}

function undecided(two: readonly Answer[], what: string): Error {
  const message = `${two.map(({ url }) => serverName(url)).join(' and ')} ${what}.`;
  return Object.assign(new Error(message), { code: UNDECIDED });
}

function noPrimary(serverUrls: readonly string[], looks: readonly PromiseSettledResult<void>[]): Error {
  const reasons = looks.map((look, i) => {
    const { host } = new URL(serverUrls[i]!);
    return `${host}: ${look.status === 'rejected' ? look.reason.message : ''}`;
  });
  const message = `None of the servers of the database takes changes (${reasons.join('; ')}).`;
  return Object.assign(new Error(message), { code: 'CONNECT_NO_PRIMARY' });
}
