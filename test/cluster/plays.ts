import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { diagnose } from '../../src/services/doctor.ts';
import type { Traffic } from './traffic.ts';

/** `CLUSTER=short` is for every build; otherwise the traffic lasts `CLUSTER_MINUTES`. */
export const isShort = process.env.CLUSTER === 'short';
const SECONDS = isShort ? 14 : 60 * Number(process.env.CLUSTER_MINUTES ?? 5);

/** What is done to a cluster, one after the other, while clients have traffic with it: what they met meanwhile, as tables. */
export class Plays {
  readonly #traffic: Traffic;
  readonly #count: number;
  readonly #untilAllUp: () => Promise<void>;
  readonly #table: object[] = [];
  readonly #repeats: object[] = [];
  readonly #failures: string[] = [];

  /** @param count how many there will be, which share the time, @param untilAllUp what is waited for in each */
  constructor(traffic: Traffic, count: number, untilAllUp: () => Promise<void>) {
    this.#traffic = traffic;
    this.#count = count;
    this.#untilAllUp = untilAllUp;
  }

  async play(what: string, strike: (share: number) => Promise<unknown>): Promise<void> {
    const share = (SECONDS * 1000) / this.#count;
    this.#traffic.takeTally();
    await strike(share);
    await this.#untilAllUp();
    await sleep(share);
    const { answered, repeated, toldToWait, failed, longestGapMillis, slowestMillis, slowest } =
      this.#traffic.takeTally();
    this.#table.push({
      what,
      answered,
      repeated: repeated.length,
      'told to wait': toldToWait,
      'failed after that': failed.length,
      'outage (s)': seconds(longestGapMillis),
      'slowest (s)': `${seconds(slowestMillis)} ${slowest}`,
    });
    this.#repeats.push(...repeated.map((reason) => ({ what, 'repeated after': reason })));
    this.#failures.push(...failed);
  }

  /** Ends the traffic, and holds what is in the database against what clients were told. */
  async settle(databaseUrl: string): Promise<void> {
    const outcome = await this.#traffic.settle();
    this.#failures.push(...this.#traffic.takeTally().failed);
    const db = postgresDatabase(databaseUrl);
    const { differences } = await diagnose(db, { fix: false });
    await db.close();
    const outcomes = [{ ...outcome, 'differences by doctor': differences.length }];
    // biome-ignore lint/suspicious/noConsole: the tables are what the suite is for
    for (const rows of [this.#table, this.#repeats, outcomes]) if (rows.length > 0) console.table(rows);
    expect(this.#failures).toEqual([]);
    expect(outcome).toMatchObject({ lost: 0, doubled: 0, missedEvents: 0, doubledEvents: 0 });
    expect(differences).toEqual([]);
  }
}

const seconds = (millis: number) => (millis / 1000).toFixed(1);
