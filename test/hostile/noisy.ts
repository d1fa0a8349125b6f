/** The process of the noisy account: plays one attack, with as much at a time as the attack says. */

import { setMaxListeners } from 'node:events';
import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTACKS } from './attacks.ts';
import { type Caller, Client, patiently } from './client.ts';

export interface NoisyOptions {
  attack: string;
  /** The account, or those that it is played by. */
  callers: Caller[];
  variantIds: string[];
  isShort: boolean;
  transactions: number;
}

/** How often the noisy account got what. */
export type Outcomes = Record<string, number>;

export interface Played {
  outcomes: Outcomes;
  /** That this process itself took. */
  processorMillis: number;
}

/** Where it is refused it waits for so long, so that the suite's own process leaves the processors to the service. */
const PAUSE_MILLIS = 50;
const REFUSED = /^(429|503|refused)/;

function failureOf(error: NodeJS.ErrnoException): string {
  return error.code ? `refused ${error.code}` : error.message;
}

const { PRIORITY_LOW } = constants.priority;

async function run({
  attack: name,
  callers,
  variantIds,
  isShort,
  transactions,
}: NoisyOptions): Promise<void> {
  const { start, workers } = ATTACKS.find((attack) => attack.name === name)!;
  const clients = callers.map((caller) => new Client(caller));
  const [first, ...others] = clients;
  await patiently(() => first!.logIn());
  for (const client of others) await patiently(() => client.logIn(first));
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  const noisy = { client: first!, clients, variantIds, isShort, transactions, leaving: leaving.signal };
  const work = await patiently(() => start(noisy));
  const outcomes: Outcomes = {};
  const count = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  let turn = 0;
  let underWay = 0;
  const worker = async () => {
    while (!leaving.signal.aborted) {
      underWay++;
      const outcome = await work(turn++).catch(failureOf);
      underWay--;
      // What it gives up itself when the time is over says nothing.
      if (leaving.signal.aborted) return;
      count(outcome);
      if (REFUSED.test(outcome)) await sleep(PAUSE_MILLIS);
    }
  };
  process.once('message', async (millis: number) => {
    const before = process.cpuUsage();
    for (let i = 0; i < (isShort ? Math.min(workers, 300) : workers); i++) worker();
    await sleep(millis);
    if (underWay > 0) outcomes['under way'] = underWay;
    leaving.abort();
    const { user, system } = process.cpuUsage(before);
    const played: Played = { outcomes, processorMillis: (user + system) / 1000 };
    process.send!(played, () => process.exit());
  });
  process.send!('ready');
}

// In life it runs on another machine: here it has what the service leaves of the processors.
setPriority(Math.min(PRIORITY_LOW, getPriority() + PRIORITY_LOW));
process.on('disconnect', () => process.exit());
process.once('message', (options: NoisyOptions) => run(options));
