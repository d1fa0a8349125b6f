import { setTimeout as sleep } from 'node:timers/promises';

/** What a client does with a request until it has an answer, as docs/operations.md#what-a-client-does says. */
export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: as it comes
  body: any;
  /** Whether it was sent more than once as something failed, so that the first try may have done it. */
  isRepeated: boolean;
  /** Whether an earlier try was answered 503: the database may have been lost in the moment of the commit. */
  wasUnavailable: boolean;
}

/** What became of requests; those that were only told to wait have not failed. */
export interface Tally {
  answered: number;
  /** What made clients send a request once more: no answer, or one of 5xx that does not say when to come again. */
  repeated: string[];
  /** Answers of 503 or 429 with `Retry-After`, for which the client waited. */
  toldToWait: number;
  /** Failed again when they were repeated, or got another answer than was to be expected. */
  failed: string[];
  slowestMillis: number;
  /** Which one that was. */
  slowest: string;
  /** The longest time in which no request was answered. */
  longestGapMillis: number;
}

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  idempotencyKey?: string;
  /** What it is, in few words. */
  name: string;
}

const REPEAT_AFTER_MILLIS = 1000;
/** More than the balancer waits for a node; a machine may be busy with much else. */
const TIMEOUT_MILLIS = 150_000;
/** Who is told to wait for longer gives up. */
const PATIENCE_MILLIS = 120_000;

export class Client {
  tally = newTally();
  readonly url: string;
  #lastAnswerAt = performance.now();

  constructor(url: string) {
    this.url = url;
  }

  /** Begins to count anew, and gives what was counted. */
  takeTally(): Tally {
    const { tally } = this;
    this.#noteGap();
    this.tally = newTally();
    return tally;
  }

  /** Null where it failed. */
  async send(token: string, request: Request): Promise<Answer | null> {
    const start = performance.now();
    let isRepeated = false;
    let wasUnavailable = false;
    for (;;) {
      const answer = await this.#try(token, request);
      if (answer.waitSeconds !== null && performance.now() - start < PATIENCE_MILLIS) {
        this.tally.toldToWait++;
        wasUnavailable ||= answer.status === 503;
        await sleep(answer.waitSeconds * 1000);
      } else if (answer.hasFailed && !isRepeated) {
        this.tally.repeated.push(`${answer.status || answer.text}`);
        isRepeated = true;
        await sleep(REPEAT_AFTER_MILLIS);
      } else {
        this.#noteTime(request, performance.now() - start);
        if (answer.hasFailed || answer.waitSeconds !== null) {
          this.#fail(request, answer.status, answer.text);
          return null;
        }
        this.tally.answered++;
        this.#noteGap();
        this.#lastAnswerAt = performance.now();
        return {
          status: answer.status,
          body: answer.text === '' ? null : JSON.parse(answer.text),
          isRepeated,
          wasUnavailable,
        };
      }
    }
  }

  /** Counts an answer that was not to be expected as a failure. */
  fail(request: Request, { status, body }: Answer): void {
    this.#fail(request, status, JSON.stringify(body));
  }

  #fail({ name }: Request, status: number, text: string): void {
    this.tally.failed.push(`${name}: ${status || 'no answer'} ${text.slice(0, 300)}`);
  }

  #noteTime({ name }: Request, millis: number): void {
    if (millis > this.tally.slowestMillis)
      Object.assign(this.tally, { slowestMillis: millis, slowest: name });
  }

  #noteGap(): void {
    const gap = performance.now() - this.#lastAnswerAt;
    this.tally.longestGapMillis = Math.max(this.tally.longestGapMillis, gap);
  }

  async #try(token: string, { method, path, body, idempotencyKey }: Request) {
    try {
      const answer = await fetch(`${this.url}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      });
      const text = await answer.text();
      const { status } = answer;
      // An operation of GraphQL is answered 200 where a field was not available, with the header all the same: but by the last version.
      const retryAfter =
        answer.headers.get('Retry-After') ?? (text.includes('"code":"Unavailable"') ? '1' : null);
      return {
        status,
        text,
        waitSeconds: retryAfter === null ? null : Number(retryAfter),
        hasFailed: status >= 500,
      };
    } catch (error) {
      return { status: 0, text: String((error as Error).cause ?? error), waitSeconds: null, hasFailed: true };
    }
  }
}

function newTally(): Tally {
  return {
    answered: 0,
    repeated: [],
    toldToWait: 0,
    failed: [],
    slowestMillis: 0,
    slowest: '',
    longestGapMillis: 0,
  };
}
