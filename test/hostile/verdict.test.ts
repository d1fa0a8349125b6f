import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { attacksFor } from './attacks.ts';
import { brokenBounds, type Figures, figuresOf, type Row, table } from './report.ts';
import { LOOP_TURNS, longestBetween, type Turn, turnsIn } from './turns.ts';

const QUIET: Figures = {
  ...{ requests: 10, median: 5, p99: 20, p99ByKind: {}, failures: {}, ownDelay: 0 },
  ...{ healthLongest: 5, readyLongest: 5, healthFailures: {}, readyFailures: {} },
};
const NOTHING = { failures: {}, healthFailures: {}, readyFailures: {} };
const KINDLESS = { nested: [], page: [], create: [], search: [], dashboard: [], export: [], import: [] };
const MEMORY = { node: 300, backEnds: 80 };

function rowWith(beside: Partial<Figures>, more: Partial<Row> = {}): Row {
  return {
    attack: 'an attack',
    alone: QUIET,
    beside: { ...QUIET, ...beside },
    afterwards: NOTHING,
    memory: { before: MEMORY, highest: MEMORY, after: MEMORY },
    processors: { service: 1, database: 0.5, noisy: 0.5, stolen: 0 },
    longestTurn: null,
    ...{ outcomes: {}, unexpected: [], hasEnded: false, load: 1 },
    ...more,
  };
}

const brokenInShort = (row: Row) => brokenBounds(row, QUIET.p99, true);

describe('the short form of the hostile suite', () => {
  it('is what the build machine runs', () => {
    expect(readFileSync(projectPath('.ci/run'), 'utf8')).toContain(
      "npm run -s test:hostile -- --short </dev/null || failed $? 'npm run test:hostile'\n",
    );
  });

  it('plays a dozen attacks, where no others are named', () => {
    const names = attacksFor('', true).map(({ name }) => name);
    expect(new Set(names).size).toBe(12);
    expect(attacksFor('', false).length).toBeGreaterThan(40);
    expect(attacksFor('by a platform', false)).toHaveLength(4);
    expect(attacksFor('by a platform', false, true)).toEqual([]);
    expect(attacksFor('export', true).map(({ name }) => name)).toEqual(['exports']);
  });

  it('lets pass what a slow machine does', () => {
    const slow = {
      p99: 9000,
      healthLongest: 15_000,
      failures: { 'create 503 Unavailable': 1, 'nested 200 Unavailable': 1, 'page no answer in time': 1 },
      healthFailures: { 'no answer in time': 1 },
      readyFailures: { 503: 1, 'no answer in time': 1 },
    };
    expect(brokenInShort(rowWith(slow))).toEqual([]);
    expect(brokenBounds(rowWith(slow), QUIET.p99, false)).toHaveLength(5);
  });

  it.each<[string, Row]>([
    ['a quiet account that fails', rowWith({ failures: { 'create 500 Internal': 1 } })],
    ['one whose connection is closed', rowWith({ failures: { 'search ECONNRESET': 1 } })],
    ['one that is refused for the noisy one', rowWith({ failures: { 'page 429 RateLimited': 1 } })],
    ['a service that cannot be asked', rowWith({ readyFailures: { ECONNREFUSED: 1 } })],
    ['one of which nobody hears whether it lives', rowWith({ healthFailures: { 500: 1 } })],
    [
      'quiet accounts that nobody played',
      rowWith(figuresOf({ ...NOTHING, times: KINDLESS, health: [], ready: [], ownDelay: 0 })),
    ],
    ['one that fails before it', rowWith({}, { alone: { ...QUIET, failures: { 'create 500': 1 } } })],
    [
      'one that fails when the attack is over',
      rowWith({}, { afterwards: { ...NOTHING, failures: { 'create 500': 1 } } }),
    ],
    ['one that ended', rowWith({}, { hasEnded: true })],
    ['an answer that nobody meant', rowWith({}, { unexpected: ['500 Internal'] })],
    [
      'memory without a bound',
      rowWith(
        {},
        { memory: { before: MEMORY, highest: MEMORY, after: { ...MEMORY, node: MEMORY.node + 401 } } },
      ),
    ],
  ])('does not let pass %s', (_, row) => {
    expect(brokenInShort(row)).toHaveLength(1);
  });
});

describe('the hostile suite', () => {
  const broken = (row: Row, p99Alone = QUIET.p99) => brokenBounds(row, p99Alone, false);
  const grownBy = (node: number, backEnds: number) =>
    rowWith(
      {},
      {
        memory: {
          before: MEMORY,
          highest: { node: 900, backEnds: 900 },
          after: { node: MEMORY.node + node, backEnds: MEMORY.backEnds + backEnds },
        },
      },
    );

  it.each<[string, Row, number?]>([
    ['five times what quiet accounts take alone', rowWith({ p99: 100 })],
    ['a quarter of a second, where that is less', rowWith({ p99: 250 }), 90],
    ['a tenth of a second for /healthz', rowWith({ healthLongest: 100 })],
    ['50 MB more', grownBy(50, 50)],
  ])('lets pass %s', (_, row, p99Alone) => {
    expect(broken(row, p99Alone)).toEqual([]);
  });

  it.each<[string, Row, number?]>([
    ['above five times what quiet accounts take alone', rowWith({ p99: 101 })],
    [
      'that, though it was as long right before the attack',
      rowWith({ p99: 101 }, { alone: { ...QUIET, p99: 90 } }),
    ],
    ['above a quarter of a second', rowWith({ p99: 251 }), 90],
    ['above a tenth of a second for /healthz', rowWith({ healthLongest: 101 })],
    ['a failure of a quiet account', rowWith({ failures: { 'create 503 Unavailable': 1 } })],
    ['a failure of /healthz', rowWith({ healthFailures: { 503: 1 } })],
    ['a failure of /readyz', rowWith({ readyFailures: { 503: 1 } })],
    ['more than 50 MB in the node', grownBy(51, 0)],
    ['more than 50 MB in the back ends', grownBy(0, 51)],
  ])('does not let pass %s', (_, row, p99Alone) => {
    expect(broken(row, p99Alone)).toHaveLength(1);
  });
});

describe('the longest turn of the loop', () => {
  const turn = (endedAt: number, millis: number): Turn => ({ endedAt, millis, ran: 1, waited: 2 });

  it('is that of the time asked for, and of what was under way at its ends', () => {
    const turns = [turn(999, 500), turn(1000, 60), turn(1500, 80), turn(2300, 300), turn(2400, 399)];
    expect(longestBetween(turns, 1000, 2000)).toEqual(turn(2300, 300));
    expect(longestBetween(turns, 1000, 1999)).toEqual(turn(1500, 80));
    expect(longestBetween(turns, 3000, 4000)).toBeNull();
  });

  it('is told with how long it ran and waited', () => {
    const longestTurn = { endedAt: 1, millis: 80, ran: 30, waited: 45 };
    expect(table([rowWith({}, { longestTurn })], false)).toContain('80 (30, 45); 0');
    expect(table([rowWith({})], false)).toContain('none; 0');
    expect(table([rowWith({}, { longestTurn, hasEnded: true })], false)).toContain('not known; 0');
  });

  it.skipIf(!existsSync('/proc/self/schedstat'))(
    'is noted by the process itself, where it is long',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'cardledger-turns-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const file = join(folder, 'turns');
      // Busy for so long by its own processor time, however slow the machine is.
      const busy = `const wait = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
      await wait(50);
      const start = process.cpuUsage();
      while (process.cpuUsage(start).user < 200_000);
      await wait(50);`;
      execFileSync(process.execPath, ['--input-type=module', '--eval', busy], {
        env: { NODE_OPTIONS: `--import=${LOOP_TURNS}`, LOOP_TURNS_FILE: file },
      });
      const { millis, ran } = longestBetween(await turnsIn(file), 0, Date.now())!;
      expect(ran).toBeGreaterThan(150);
      expect(millis).toBeGreaterThan(ran * 0.9);
      expect(await turnsIn(join(folder, 'none'))).toEqual([]);
    },
  );
});
