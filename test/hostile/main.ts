/** `npm run test:hostile`: a noisy account against nine quiet ones; see docs/performance.md#beside-a-noisy-account. */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ClientCredentials } from '../../src/services/clients/create.ts';
import type { Owner } from '../bench/compare/fill.ts';
import { cpuSecondsOfFamily } from '../bench/compare/servers.ts';
import type { Attack } from './attack.ts';
import { attacksFor } from './attacks.ts';
import type { Caller } from './client.ts';
import { type Memory, memoryOf } from './memory.ts';
import type { Played } from './noisy.ts';
import { Player } from './player.ts';
import type { Seen } from './quiet.ts';
import {
  BOUNDS,
  brokenBounds,
  type Figures,
  figuresOf,
  medianP99Alone,
  type Processors,
  type Row,
  table,
} from './report.ts';
import { startTarget, type Target } from './service.ts';
import { longestBetween } from './turns.ts';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    // Of the build machine: a moment of some attacks on small collections, and no bound that depends on the clock.
    short: { type: 'boolean', default: false },
    embedded: { type: 'boolean', default: false },
    // All of them are accounts below one platform.
    platform: { type: 'boolean', default: false },
    // Parts of the names of the attacks to play, separated by commas.
    only: { type: 'string', default: '' },
    seconds: { type: 'string' },
    workers: { type: 'string', default: '1' },
    transactions: { type: 'string' },
  },
});
const isShort = options.short;
const PHASE_MILLIS = Number(options.seconds ?? (isShort ? 0.6 : 10)) * 1000;
const TRANSACTIONS = Number(options.transactions ?? (isShort || options.embedded ? 10_000 : 100_000));
const WARM_UP_MILLIS = isShort ? 1500 : 8000;
/** Requests a second of each quiet account. */
const RATE = isShort ? 1 : 4;
const CLOCK_TICKS_A_SECOND = 100;
/** For memory to come back. */
const SETTLE_MILLIS = isShort ? 500 : 30_000;
const RECOVERY_MILLIS = isShort ? 300_000 : 60_000;
const SAMPLE_MILLIS = 1000;

/** What the noisy account may get whatever it does: it is served, told to wait, or told that it asks for too much. */
const FAIR =
  /^(20\d|(429|503)( \w+)?|400 COST_LIMIT|422 TooMuchWork|left|under way)$|^200 (Unavailable|RateLimited|COST_LIMIT|TooMuchWork)$/;

const say = (line: string) => process.stderr.write(`${line}\n`);

const callerOf = (
  { port }: Target,
  { owner, platform }: { owner: Owner; platform: ClientCredentials | undefined },
  address: string,
  number: number,
): Caller => ({
  ...{ port, address, owner },
  ...(platform && { below: { platform, by: number % 2 ? 'device' : 'header' } }),
});

async function phaseOf(quiet: Player): Promise<Figures> {
  return figuresOf(await quiet.ask<Seen>({ phaseMillis: PHASE_MILLIS }));
}

interface Stage {
  target: Target;
  quiet: Player;
  /** The quiet ones at the start. */
  atFirst: Figures;
}

async function play(attack: Attack, number: number, stage: Stage): Promise<Row> {
  const { target, quiet, atFirst } = stage;
  const noisy = new Player('noisy');
  const { owners, platform = target.platform } = target.noisy.get(attack.name)!;
  await noisy.ask({
    attack: attack.name,
    callers: owners.map((owner, i) =>
      callerOf(target, { owner, platform }, `127.0.1.${1 + number}`, number + i),
    ),
    variantIds: target.variantIds,
    isShort,
    transactions: TRANSACTIONS,
  });
  target.parts.give('noisy', noisy.pid);
  const alone = isShort ? atFirst : await phaseOf(quiet);
  const before = memoryOf(target);
  const highest = { ...before };
  const sampling = setInterval(() => raise(highest, memoryOf(target)), SAMPLE_MILLIS);
  const processors = processorsOf(target);
  const begunAt = Date.now();
  const playing = noisy.ask<Played>(PHASE_MILLIS);
  const beside = await phaseOf(quiet);
  const busy = processors();
  const endedAt = Date.now();
  const { outcomes, processorMillis } = await playing;
  const hasEnded = !(await target.recovers());
  const after = await settled(target, before);
  const longestTurn = longestBetween(await target.turns(), begunAt, endedAt);
  clearInterval(sampling);
  noisy.end();
  // From when the time of the attack ended.
  const { failures, healthFailures, readyFailures } = await quiet.ask<Seen>('end');
  const isExpected = (outcome: string) => FAIR.test(outcome) || (attack.expected?.test(outcome) ?? false);
  return {
    attack: attack.name,
    alone,
    beside,
    afterwards: { failures, healthFailures, readyFailures },
    memory: { before, highest, after },
    processors: { ...busy, noisy: processorMillis / PHASE_MILLIS },
    longestTurn,
    outcomes,
    unexpected: Object.keys(outcomes).filter((outcome) => !isExpected(outcome)),
    hasEnded,
    load: loadavg()[0]!,
  };
}

/** That this machine wanted its processors and was not given them, where it is a virtual one: `steal` of proc(5). */
function stolenSeconds(): number {
  return Number(readFileSync('/proc/stat', 'utf8').split(/ +/, 9)[8]) / CLOCK_TICKS_A_SECOND;
}

/** From now until it is called. */
function processorsOf({ pid, postmaster }: Target): () => Omit<Processors, 'noisy'> {
  const secondsOf = (process: number | null) => (process === null ? 0 : cpuSecondsOfFamily(process));
  const seconds = () =>
    [performance.now() / 1000, secondsOf(pid()), secondsOf(postmaster), stolenSeconds()] as const;
  const [at, ofService, ofDatabase, ofNobody] = seconds();
  return () => {
    const [now, service, database, stolen] = seconds();
    const each = (from: number, to: number) => (to - from) / (now - at);
    return {
      service: each(ofService, service),
      database: each(ofDatabase, database),
      stolen: each(ofNobody, stolen),
    };
  };
}

function raise(highest: Memory, now: Memory): void {
  highest.node = Math.max(highest.node, now.node);
  highest.backEnds = Math.max(highest.backEnds, now.backEnds);
}

/** The memory once it has come back, or once it had its time to. */
async function settled(target: Target, before: Memory): Promise<Memory> {
  const deadline = performance.now() + SETTLE_MILLIS;
  for (;;) {
    await sleep(SAMPLE_MILLIS);
    const now = memoryOf(target);
    const grown = Math.max(now.node - before.node, now.backEnds - before.backEnds);
    if (grown <= BOUNDS.memoryMegabytes || performance.now() > deadline) return now;
  }
}

async function run(attacks: readonly Attack[]): Promise<Row[]> {
  say('filling the database');
  const target = await startTarget({
    embedded: options.embedded,
    platform: options.platform,
    workers: Number(options.workers),
    transactions: TRANSACTIONS,
    attacks,
    recoveryMillis: RECOVERY_MILLIS,
  });
  const quiet = new Player('quiet');
  const rows: Row[] = [];
  try {
    if (!target.parts.areHad)
      say(
        'without control groups (they take root, a /sys/fs/cgroup that can be written, and Linux 5.15): each process counts for itself, not each machine',
      );
    say('warming up');
    const { platform } = target;
    const callers = target.quiet.map((owner, i) => callerOf(target, { owner, platform }, '127.0.0.1', i));
    await quiet.ask({ callers, variantIds: target.variantIds, rate: RATE });
    target.parts.give('quiet', quiet.pid);
    await quiet.ask({ warmUpMillis: WARM_UP_MILLIS });
    const atFirst = await phaseOf(quiet);
    for (const [number, attack] of attacks.entries()) {
      const row = await play(attack, number, { target, quiet, atFirst });
      rows.push(row);
      say(table([row], isShort, medianP99Alone(rows)).split('\n').slice(1).join('\n').trimEnd());
      if (row.hasEnded) say((await target.complaints()).join('\n'));
    }
  } finally {
    Player.endAll();
    await target.stop();
  }
  return rows;
}

// So that what was started is ended.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const attacks = attacksFor(options.only, isShort, options.platform);
if (attacks.length === 0) throw new Error(`No attack has one of these in its name: ${options.only}`);
const rows = await run(attacks);
const p99Alone = medianP99Alone(rows);
const results = rows.map((row) => ({ ...row, broken: brokenBounds(row, p99Alone, isShort) }));
process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : table(rows, isShort));
process.exit(results.some(({ broken }) => broken.length > 0) ? 1 : 0);
