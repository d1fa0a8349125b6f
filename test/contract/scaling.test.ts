import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { HABITS, needsOf, needsTable, PRICES, unitsIn, unitsTable } from '../bench/capacity-model.ts';

const DOCUMENT = readFileSync(projectPath('docs/scaling.md'), 'utf8');

it('docs/scaling.md says what follows from its own units', () => {
  const units = unitsIn(DOCUMENT);
  expect(DOCUMENT).toContain(unitsTable(units).join('\n'));
  expect(DOCUMENT).toContain(needsTable(units).join('\n'));
});

it.each([
  [1e4, 2, 32],
  [1e7, 4, 32],
  [1e8, 26, 130],
])(
  '%d accounts have ten shards for each worker, and no fewer than Citus makes by itself',
  (accounts, servers, shards) => {
    // Of the servers each other one is a standby.
    const needs = needsOf(unitsIn(DOCUMENT), HABITS, PRICES, accounts);
    expect([needs.servers.count, needs.shards]).toEqual([servers, shards]);
  },
);

it('docs/scaling.md holds each prediction against what was measured, and says how far off they are', () => {
  const rows = DOCUMENT.matchAll(/^\| [^|]+ \| ([\d.,]+) \| ([\d.,]+) \| × ([\d.]+) \|$/gm);
  const ratios = [...rows].map(([, predicted, measured, ratio]) => {
    const [one, other] = [predicted, measured].map((text) => Number(text!.replaceAll(',', '')));
    // Of three digits each.
    expect(Math.abs(one! / other! - Number(ratio))).toBeLessThan(0.011);
    return Number(ratio);
  });
  expect(ratios.length).toBeGreaterThan(20);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  expect(DOCUMENT).toContain(`from × ${least.toFixed(2)} to × ${most.toFixed(2)}`);
});
