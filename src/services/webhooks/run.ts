import type { Database, Param } from '../../db/client.ts';
import {
  DELIVERED,
  DUE_STREAMS,
  FAILED,
  type FailedRow,
  GIVE_BACK_WEBHOOK,
  PENDING_OF_STREAM,
  type PendingDelivery,
  RECOVERED,
  type TakenWebhook,
} from '../../db/queries/webhook-deliveries.ts';
import { retryPauseMillis, signedHeaders } from '../../domain/webhooks.ts';
import { OutboundError, sendOut } from '../../lib/outbound.ts';
import { workFor } from '../../lib/processor-time.ts';
import type { AddressesOf } from '../../lib/public-address.ts';
import type { AccountWork } from '../context.ts';

/** Requests to one webhook at once. */
const STREAMS_AT_ONCE = 8;
const TIMEOUT_MILLIS = 15_000;
/** Of an answer, of which nothing but the status is used. */
const MOST_BYTES = 64 * 1024;
/** So long a process begins new attempts for one, then others have their turn. With the last attempt it is less than the lease. */
const TURN_MILLIS = 10_000;
/** One whose answers take longer on average is slow: it waits for its turn among those that are. */
const SLOW_MILLIS = 2000;
const STREAMS = 100;
const DELIVERIES = 50;

const GONE = 410;

export interface RunOptions {
  /** The name of the lease by which the webhook is taken. */
  lease: string;
  /** Of its account: once nothing of that is left the rest waits. */
  work: AccountWork;
  addressesOf: AddressesOf;
  userAgent: string;
  now: () => Date;
  /** Ends it: what is under way is as if it had not begun. */
  signal: AbortSignal;
  /** Told of each attempt. */
  onAttempt: (outcome: 'delivered' | 'failed') => void;
  /** Told where the webhook is switched off. */
  onDisabled: (webhook: TakenWebhook, reason: string) => void;
}

/**
 * Delivers what waits for a webhook that was taken, and gives it back: each stream in its order, several beside each other.
 */
export async function runWebhook(db: Database, webhook: TakenWebhook, options: RunOptions): Promise<void> {
  const run = new Run(db, webhook, options);
  const hasMore = await run.deliver();
  await run.giveBack(hasMore);
}

class Run {
  readonly #db: Database;
  readonly #webhook: TakenWebhook;
  readonly #options: RunOptions;
  readonly #endsAt = performance.now() + TURN_MILLIS;
  #failures: number;
  #attempts = 0;
  #attemptMillis = 0;
  #isOff = false;

  constructor(db: Database, webhook: TakenWebhook, options: RunOptions) {
    this.#db = db;
    this.#webhook = webhook;
    this.#options = options;
    this.#failures = webhook.failures;
  }

  get #isOver(): boolean {
    const { signal, work } = this.#options;
    return this.#isOff || signal.aborted || work.isUsedUp || performance.now() > this.#endsAt;
  }

  get #key(): [accountId: string, id: string] {
    return [this.#webhook.accountId, this.#webhook.id];
  }

  async #query<Row>(text: string, params: Param[]): Promise<Row[]> {
    const rows = await this.#db.query<Row>(text, params);
    workFor(this.#options.work);
    return rows;
  }

  /** Gives whether there may be more that is due. */
  async deliver(): Promise<boolean> {
    for (let after = ''; ; ) {
      const rows = await this.#query<{ stream: string }>(DUE_STREAMS, [...this.#key, after, STREAMS]);
      if (rows.length === 0 && after === '') return false;
      await this.#inTurns(rows.map(({ stream }) => stream));
      if (this.#isOver) return true;
      after = rows.length < STREAMS ? '' : rows.at(-1)!.stream;
    }
  }

  async giveBack(hasMore: boolean): Promise<void> {
    const isSlow = this.#attemptMillis > SLOW_MILLIS * this.#attempts;
    const params = [...this.#key, '', this.#options.lease, isSlow, hasMore];
    await this.#query(GIVE_BACK_WEBHOOK, params);
  }

  async #inTurns(streams: string[]): Promise<void> {
    const next = async () => {
      for (let stream = streams.shift(); stream !== undefined && !this.#isOver; stream = streams.shift())
        await this.#deliverStream(stream);
    };
    await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, next));
  }

  async #deliverStream(stream: string): Promise<void> {
    const params = [...this.#key, stream, DELIVERIES];
    for (const delivery of await this.#query<PendingDelivery>(PENDING_OF_STREAM, params)) {
      if (this.#isOver || !(await this.#attempt(delivery))) return;
    }
  }

  /** Gives whether what comes behind it in its stream may follow. */
  async #attempt(delivery: PendingDelivery): Promise<boolean> {
    const { onAttempt, signal } = this.#options;
    const began = performance.now();
    const answer = await this.#send(delivery);
    workFor(this.#options.work);
    if (signal.aborted) return false;
    this.#attempts++;
    this.#attemptMillis += performance.now() - began;
    const isDelivered = 'status' in answer && answer.status >= 200 && answer.status < 300;
    onAttempt(isDelivered ? 'delivered' : 'failed');
    return isDelivered ? this.#delivered(delivery, answer.status) : this.#failed(delivery, answer);
  }

  async #send({ id, payload }: PendingDelivery): Promise<Answer> {
    const { url, secret, previousSecret } = this.#webhook;
    const { addressesOf, userAgent, now, signal } = this.#options;
    const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...signedHeaders({ id, body: payload }, secrets, now()),
    };
    const limits = { timeoutMillis: TIMEOUT_MILLIS, maxBytes: MOST_BYTES, stopping: signal };
    try {
      const request = { method: 'POST', headers, body: payload, ...limits } as const;
      const { status } = await sendOut(new URL(url), addressesOf, request);
      return { status };
    } catch (error) {
      if (error instanceof OutboundError) return { error: error.message };
      throw error;
    }
  }

  async #delivered({ id }: PendingDelivery, status: number): Promise<boolean> {
    const [webhook] = await this.#query<{ status: string }>(DELIVERED, [...this.#key, id, status]);
    this.#isOff ||= webhook?.status !== 'Active';
    if (this.#failures > 0) await this.#query(RECOVERED, this.#key);
    this.#failures = 0;
    return true;
  }

  async #failed({ id, attempts }: PendingDelivery, answer: Answer): Promise<boolean> {
    const { onDisabled } = this.#options;
    const status = 'status' in answer ? answer.status : null;
    const pause = retryPauseMillis(attempts + 1);
    const params = [...this.#key, id, status, reasonOf(answer).slice(0, MOST_REASON), pause, status === GONE];
    const [webhook] = await this.#query<FailedRow>(FAILED, params);
    this.#failures++;
    if (webhook?.disabledReason) onDisabled(this.#webhook, webhook.disabledReason);
    this.#isOff ||= webhook?.status !== 'Active';
    return pause === null;
  }
}

type Answer = { status: number } | { error: string };

const MOST_REASON = 500;

function reasonOf(answer: Answer): string {
  if ('error' in answer) return answer.error;
  const { status } = answer;
  return status >= 300 && status < 400
    ? `the answer was ${status}: redirects are not followed`
    : `the answer was ${status}`;
}
