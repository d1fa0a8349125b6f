import { setTimeout as sleep } from 'node:timers/promises';
import { serverName } from '../lib/server-urls.ts';

/** The others may be slow to answer, or gone; of two that take changes the one that was promoted last is meant. */
const OTHERS_MILLIS = 300;

/**
 * The timeline of a server that takes changes, null where it does not: a standby, or one that is set to read only. A server
 * starts a new timeline when it is promoted.
 */
export type Look = (serverUrl: string) => Promise<number | null>;

/** Told when another server has taken the place of the one that was written to; both as `host:port`. */
export type TellPrimary = (server: string, before: string) => void;

/**
 * Which of several servers takes changes, the others being its standbys: looked for when a connection is opened after one
 * was lost or refused. Whoever asks meanwhile waits for the same answer.
 *
 * A primary that comes back when a standby has taken its place is not taken again, as long as this process has seen the
 * new one, or both of them answer: what is written to the old one would be lost.
 */
export class Primary {
  readonly #serverUrls: readonly string[];
  readonly #look: Look;
  readonly #tell: TellPrimary;
  #known: string | undefined;
  /** Known last, whether or not a connection to it has failed since. */
  #last: string | undefined;
  #finding: Promise<string> | undefined;
  #newestTimeline = 0;

  constructor(serverUrls: readonly string[], look: Look, tell: TellPrimary = () => {}) {
    this.#serverUrls = serverUrls;
    this.#look = look;
    this.#tell = tell;
  }

  /** Its address. Fails where none of the servers takes changes. */
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
    const timelines = new Map<string, number>();
    const looks = this.#serverUrls.map(async (serverUrl) => {
      const timeline = await this.#look(serverUrl);
      if (timeline === null) throw new Error('takes no changes');
      if (timeline < this.#newestTimeline) throw new Error('another has taken its place');
      timelines.set(serverUrl, timeline);
    });
    const all = Promise.allSettled(looks);
    await Promise.any(looks).then(
      () => Promise.race([all, sleep(OTHERS_MILLIS, undefined, { ref: false })]),
      () => {},
    );
    const [newest] = [...timelines].sort(([, a], [, b]) => b - a);
    if (!newest) throw noPrimary(this.#serverUrls, await all);
    const [serverUrl, timeline] = newest;
    this.#take(serverUrl, timeline);
    return serverUrl;
  }

  #take(serverUrl: string, timeline: number): void {
    const before = this.#last;
    this.#known = this.#last = serverUrl;
    this.#newestTimeline = timeline;
    if (before !== undefined && before !== serverUrl) this.#tell(serverName(serverUrl), serverName(before));
  }
}

function noPrimary(serverUrls: readonly string[], looks: readonly PromiseSettledResult<void>[]): Error {
  const reasons = looks.map((look, i) => {
    const { host } = new URL(serverUrls[i]!);
    return `${host}: ${look.status === 'rejected' ? look.reason.message : ''}`;
  });
  const message = `None of the servers of the database takes changes (${reasons.join('; ')}).`;
  return Object.assign(new Error(message), { code: 'CONNECT_NO_PRIMARY' });
}
