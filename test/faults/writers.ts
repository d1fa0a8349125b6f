import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './service.ts';

const WRITERS = 8;
const PAUSE_MILLIS = 20;
/** Done; no answer; a token that has expired; Unavailable. */
const EXPECTED = new Set([200, 0, 401, 503]);
/** Also that a statement took as long as an operation may, on a machine that is busy with the fault: the key makes it safe. */
const isExpected = (status: number, text: string) =>
  EXPECTED.has(status) || (status === 422 && text.includes('/problems/TooMuchWork'));

/** What clients were told, who write until they are stopped and repeat each request until it is acknowledged. */
export interface Writers {
  /** Resolves when a request that began after this call is acknowledged, with the milliseconds that it took. */
  nextSuccess(): Promise<number>;
  /** Answers that were no success, by status; 0 where there was no answer. */
  failures: ReadonlyMap<number, number>;
  /** 503 without Retry-After, and the longest time in which any answer came. */
  unhelpful: () => number;
  longestMillis: () => number;
  /** Lets each writer repeat its last request until it is acknowledged, then tells what is there. */
  settle(): Promise<Outcome>;
}

export interface Outcome {
  acknowledged: number;
  /** Acknowledged transactions that are not in the ledger. */
  lost: number;
  /** Transactions in the ledger beside one for each request; and repeated requests that got another answer. */
  doubled: number;
}

/** Clients of one new collection, who take turns with the services. */
export async function startWriters(...services: Service[]): Promise<Writers> {
  const first = services[0]!;
  let token = await first.token();
  const call = async (service: Service, method: string, path: string, body?: unknown, key?: string) => {
    const start = performance.now();
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await answer.text();
    longestMillis = Math.max(longestMillis, performance.now() - start);
    if (answer.status === 503 && !answer.headers.has('Retry-After')) unhelpful++;
    return { status: answer.status, text };
  };
  let longestMillis = 0;
  let unhelpful = 0;
  const created = await call(first, 'POST', '/collection', { name: `Faults ${Date.now()}` });
  const path = `/collection/${JSON.parse(created.text).collectionId}/transaction`;

  const failures = new Map<number, number>();
  const acknowledged = new Map<string, string>();
  const waiting = new Set<(began: number) => void>();
  const run = randomUUID();
  let isStopping = false;
  let count = 0;

  const post = (service: Service, key: string) =>
    call(service, 'POST', path, entryOf(key), key).catch(() => ({ status: 0, text: '' }));
  const write = async (number: number) => {
    while (!isStopping) {
      const key = `${number}-${count++}-${run}`;
      for (let turn = number; ; turn++) {
        const began = performance.now();
        const { status, text } = await post(services[turn % services.length]!, key);
        if (!isExpected(status, text)) throw new Error(`an answer of ${status}: ${text}`);
        if (status === 200) {
          acknowledged.set(key, JSON.parse(text).transactionId);
          for (const tell of waiting) tell(began);
          break;
        }
        failures.set(status, (failures.get(status) ?? 0) + 1);
        if (status === 401) token = await first.token().catch(() => token);
        await sleep(PAUSE_MILLIS);
      }
    }
  };
  /** What a request that was acknowledged is answered again. */
  const repeated = async (key: string): Promise<string> => {
    const { status, text } = await post(first, key);
    if (status === 200) return JSON.parse(text).transactionId;
    if (!isExpected(status, text)) throw new Error(`an answer of ${status}: ${text}`);
    await sleep(PAUSE_MILLIS);
    return repeated(key);
  };
  const running = Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i)));
  running.catch(() => {});

  const ledger = async () => {
    const ids: string[] = [];
    for (let cursor: number | undefined = 0; cursor !== undefined; ) {
      const { status, text } = await call(first, 'GET', `${path}?pageSize=200&cursor=${cursor}`);
      if (status !== 200) throw new Error(`the ledger cannot be read: ${status} ${text}`);
      const page = JSON.parse(text);
      ids.push(...page.results.map(({ transactionId }: { transactionId: string }) => transactionId));
      cursor = page.nextCursor;
    }
    return ids;
  };

  return {
    failures,
    unhelpful: () => unhelpful,
    longestMillis: () => longestMillis,
    nextSuccess() {
      const start = performance.now();
      return new Promise((resolve, reject) => {
        running.catch(reject);
        const tell = (began: number) => {
          if (began < start) return;
          waiting.delete(tell);
          resolve(performance.now() - start);
        };
        waiting.add(tell);
      });
    },
    async settle() {
      isStopping = true;
      await running;
      let others = 0;
      // No more at once than wrote: a crowd of hundreds is refused, and its tries again keep a slow machine, this process with its proxy before all, from anything else.
      const left = acknowledged.entries();
      const repeat = async () => {
        for (const [key, id] of left) if ((await repeated(key)) !== id) others++;
      };
      await Promise.all(Array.from({ length: WRITERS }, repeat));
      const ids = await ledger();
      const there = new Set(ids);
      const lost = [...acknowledged.values()].filter((id) => !there.has(id)).length;
      return {
        acknowledged: acknowledged.size,
        lost,
        doubled: ids.length - acknowledged.size + lost + others,
      };
    },
  };
}

/** A variant that every installation has; each request is another one. */
function entryOf(key: string) {
  const [writer, number] = key.split('-').map(Number) as [number, number];
  return {
    variantId: ['var_bbazf1f2kzz1kq6z', 'var_pg7abcvnksv24vna', 'var_wvw769mp8vs0xtgf'][number % 3],
    occurredDate: '2025-03-01',
    action: number % 5 === 0 ? 'Sale' : 'Purchase',
    quantity: writer + 1,
    unitAmount: { currency: 'USD', value: (number % 1000) / 100 },
  };
}
