import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { attacksFor } from './attacks.ts';
import { brokenBounds, type Figures, type Row } from './report.ts';

const QUIET: Figures = {
  ...{ requests: 10, median: 5, p99: 20, p99ByKind: {}, failures: {}, ownDelay: 0 },
  ...{ healthLongest: 5, readyLongest: 5, readyFailures: {} },
};
const MEMORY = { node: 300, backEnds: 80 };

function rowWith(beside: Partial<Figures>, more: Partial<Row> = {}): Row {
  return {
    attack: 'an attack',
    alone: QUIET,
    beside: { ...QUIET, ...beside },
    memory: { before: MEMORY, highest: MEMORY, after: MEMORY },
    processors: { service: 1, database: 0.5, noisy: 0.5, stolen: 0 },
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
      readyFailures: { 503: 1, 'no answer in time': 1 },
    };
    expect(brokenInShort(rowWith(slow))).toEqual([]);
    expect(brokenBounds(rowWith(slow), QUIET.p99, false)).toHaveLength(4);
  });

  it.each<[string, Row]>([
    ['a quiet account that fails', rowWith({ failures: { 'create 500 Internal': 1 } })],
    ['one whose connection is closed', rowWith({ failures: { 'search ECONNRESET': 1 } })],
    ['one that is refused for the noisy one', rowWith({ failures: { 'page 429 RateLimited': 1 } })],
    ['a service that cannot be asked', rowWith({ readyFailures: { ECONNREFUSED: 1 } })],
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
