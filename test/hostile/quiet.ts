/**
 * The process of the quiet accounts: each sends its usual mix at a steady rate, whatever becomes of what it sent before,
 * and beside them somebody asks whether the service lives and is ready. Times are from when a request was due.
 */
import { randomInt } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { NESTED } from '../bench/compare/workloads.ts';
import { type Answer, type Caller, Client, patiently } from './client.ts';
import { outcomeOf } from './outcome.ts';

export interface QuietOptions {
  callers: Caller[];
  variantIds: string[];
  /** Requests a second of each account. */
  rate: number;
}

/** What was seen in a phase, in milliseconds. */
export interface Seen {
  times: Record<Kind, number[]>;
  /** How often which kind of request failed how, such as `create 503`. */
  failures: Record<string, number>;
  health: number[];
  ready: number[];
  /** The same of `/healthz` and `/readyz`. */
  healthFailures: Record<string, number>;
  readyFailures: Record<string, number>;
  /** How late this process itself was at the most. */
  ownDelay: number;
}

type Kind = 'nested' | 'page' | 'create' | 'search' | 'dashboard' | 'export' | 'import';
/** A phase may last so long, or from when it is begun to when it is ended. */
export type QuietRequest = { warmUpMillis: number } | { phaseMillis: number } | 'begin' | 'end';

const WORDS = ['dragon', 'snatch', 'command', 'ninja', 'WTR001', 'blood debt', 'comand and conqer'];
const HEALTH_EVERY_MILLIS = 100;
const READY_EVERY_MILLIS = 250;

const DASHBOARD = '{ viewer { dashboard { collectionCount marketValue { decimal } gain { decimal } } } }';
const IMPORT = `mutation ($input: ImportTransactionsInput!) { importTransactions(input: $input) {
  __typename ... on ImportTransactionsPayload { written } ... on Error { message } } }`;

const ASK: Record<Kind, (client: Client, variantIds: readonly string[]) => Promise<Answer>> = {
  nested: (client) => client.graphql(NESTED),
  page: (client) => client.send('GET', `/collection/${anyOf(client.collectionIds)}/transaction-summary`),
  create: (client, variantIds) =>
    client.send('POST', `/collection/${anyOf(client.collectionIds)}/transaction`, {
      variantId: anyOf(variantIds),
      occurredDate: '2025-03-01',
      action: 'Purchase',
      quantity: 1,
      unitAmount: { currency: 'USD', value: 1.25 },
    }),
  // On a new connection each time, as many programs do it.
  search: (client) =>
    client.send('GET', `/product/search?q=${encodeURIComponent(anyOf(WORDS))}`, undefined, {
      Connection: 'close',
    }),
  dashboard: (client) => client.graphql(DASHBOARD),
  export: (client) =>
    client.graphql(`{ collection(id: "${anyOf(client.collectionIds)}") { transactionsCsv { csv } } }`),
  import: (client, variantIds) => {
    const rows = [1, 2, 3].map((quantity) => `2025-03-01,Purchase,${quantity},1.25,USD,${anyOf(variantIds)}`);
    const csv = ['occurredDate,action,quantity,unitAmount,currency,variantId', ...rows].join('\n');
    return client.graphql(IMPORT, { input: { collectionId: anyOf(client.collectionIds), csv } });
  },
};
const KINDS = Object.keys(ASK) as Kind[];

function anyOf<T>(items: readonly T[]): T {
  return items[randomInt(items.length)]!;
}

const failureOf = (error: NodeJS.ErrnoException) => error.code ?? error.message;

function count(failures: Record<string, number>, name: string): void {
  failures[name] = (failures[name] ?? 0) + 1;
}

class Phase {
  readonly seen: Seen = {
    times: { nested: [], page: [], create: [], search: [], dashboard: [], export: [], import: [] },
    failures: {},
    health: [],
    ready: [],
    healthFailures: {},
    readyFailures: {},
    ownDelay: 0,
  };
  readonly #underWay = new Set<Promise<void>>();
  readonly #delay = monitorEventLoopDelay({ resolution: 5 });

  constructor() {
    this.#delay.enable();
  }

  take(work: Promise<void>): void {
    this.#underWay.add(work);
    work.finally(() => this.#underWay.delete(work));
  }

  async ask(kind: Kind, client: Client, variantIds: readonly string[], due: number): Promise<void> {
    const failure = await ASK[kind](client, variantIds).then((answer) => {
      const outcome = outcomeOf(answer);
      return outcome === '200' && !answer.text.includes('"errors":[') ? null : outcome;
    }, failureOf);
    this.seen.times[kind].push(performance.now() - due);
    if (failure !== null) count(this.seen.failures, `${kind} ${failure}`);
  }

  async probe(client: Client, probe: 'health' | 'ready', due: number): Promise<void> {
    const failure = await client
      .send('GET', `/${probe}z`, undefined, { Connection: 'close' })
      .then(({ status }) => (status === 200 ? null : String(status)), failureOf);
    this.seen[probe].push(performance.now() - due);
    if (failure !== null) count(this.seen[`${probe}Failures`], failure);
  }

  /** What was seen, once all is answered. */
  async end(): Promise<Seen> {
    this.#delay.disable();
    this.seen.ownDelay = this.#delay.max / 1e6;
    await Promise.all(this.#underWay);
    return this.seen;
  }
}

let phase = new Phase();

/** Calls `work` every so often with the time at which it was due. */
async function every(millis: number, firstMillis: number, work: (due: number) => void): Promise<never> {
  for (let due = performance.now() + firstMillis; ; due += millis) {
    await sleep(Math.max(0, due - performance.now()));
    work(due);
  }
}

async function run({ callers, variantIds, rate }: QuietOptions): Promise<void> {
  const clients = callers.map((caller) => new Client(caller));
  for (const client of clients) await patiently(() => client.logIn());
  const gap = 1000 / rate;
  for (const [i, client] of clients.entries()) {
    let turn = i;
    every(gap, (gap * i) / clients.length, (due) => {
      phase.take(phase.ask(KINDS[turn++ % KINDS.length]!, client, variantIds, due));
    });
  }
  const probe = new Client({ ...callers[0]!, address: '127.0.0.3' });
  every(HEALTH_EVERY_MILLIS, 0, (due) => phase.take(phase.probe(probe, 'health', due)));
  every(READY_EVERY_MILLIS, 30, (due) => phase.take(phase.probe(probe, 'ready', due)));

  /** The same mix without a pause, so that what grows with use alone has grown. */
  const warmUp = async (millis: number) => {
    const end = performance.now() + millis;
    const own = new Phase();
    await Promise.all(
      clients.map(async (client, i) => {
        for (let turn = i; performance.now() < end; turn++)
          await own.ask(KINDS[turn % KINDS.length]!, client, variantIds, 0);
      }),
    );
    return own.end();
  };
  const begin = () => {
    const before = phase;
    phase = new Phase();
    return before;
  };
  const measure = async (millis: number) => {
    begin();
    await sleep(millis);
    return begin().end();
  };
  const answerTo = (asked: QuietRequest) => {
    if (asked === 'end') return begin().end();
    if (asked !== 'begin')
      return 'warmUpMillis' in asked ? warmUp(asked.warmUpMillis) : measure(asked.phaseMillis);
    begin();
    return 'begun';
  };
  process.on('message', async (asked: QuietRequest) => {
    process.send!(await answerTo(asked));
  });
  process.send!('ready');
}

process.on('disconnect', () => process.exit());
process.once('message', (options: QuietOptions) => run(options));
