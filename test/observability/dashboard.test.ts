import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { newTestApp, sharedDatabase } from '../harness.ts';

interface Panel {
  id: number;
  title: string;
  targets: { expr: string; legendFormat: string }[];
}

const { panels, templating } = JSON.parse(
  readFileSync(projectPath('deploy/grafana-dashboard.json'), 'utf8'),
) as { panels: Panel[]; templating: { list: { query: unknown }[] } };
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** Names of metrics, as a query has them. */
const namesIn = (text: string) => [...new Set(text.match(/\b(cardledger|process|nodejs)_\w+/g))];

/** The labels of each metric, by the name that samples have. */
const metrics = new Map<string, Set<string>>();

describe('the dashboard', () => {
  beforeAll(async () => {
    const app = await newTestApp(await sharedDatabase('pglite'));
    await app.graphql('{ viewer { name } }');
    const { body } = await app.send('GET', '/metrics');
    for (const line of (body as string).split('\n')) {
      const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
      if (!name) continue;
      const known = metrics.get(name) ?? new Set();
      metrics.set(name, known);
      for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!);
    }
    // Of PostgreSQL, which PGlite has no need of.
    for (const name of ['size', 'in_use', 'waiting', 'waits_total', 'wait_seconds_total', 'refusals_total'])
      metrics.set(`cardledger_db_pool_${name}`, new Set(['pool']));
    // Where there are replicas.
    for (const name of ['reads_total', 'reads_repeated_total', 'replica_lag_seconds', 'replica_left_out'])
      metrics.set(`cardledger_db_${name}`, new Set(['server']));
  });

  it('asks for metrics and labels that there are', () => {
    for (const expression of expressions) {
      const names = namesIn(expression);
      expect(names.length, expression).toBeGreaterThan(0);
      expect(names.filter((name) => !metrics.has(name))).toEqual([]);
      // Prometheus itself adds the job, and histograms have `le`.
      const labels = new Set(['job', 'le', ...names.flatMap((name) => [...metrics.get(name)!])]);
      const grouped = [...expression.matchAll(/by \(([\w, ]+)\)/g)].flatMap(([, list]) => list!.split(', '));
      const filtered = [...expression.matchAll(/[{,](\w+)=~?"/g)].map(([, label]) => label!);
      expect([...grouped, ...filtered].filter((label) => !labels.has(label))).toEqual([]);
    }
    expect(namesIn(JSON.stringify(templating)).filter((name) => !metrics.has(name))).toEqual([]);
  });

  it('shows every metric of ours', () => {
    const shown = new Set(namesIn(expressions.join(' ')).map(withoutSuffix));
    const ours = [...metrics.keys()].filter((name) => name.startsWith('cardledger_')).map(withoutSuffix);
    expect(ours.filter((name) => !shown.has(name))).toEqual([]);
  });

  it('shows labels in its legends that its queries keep', () => {
    for (const { targets } of panels) {
      for (const { expr, legendFormat } of targets) {
        const kept = [...expr.matchAll(/by \(([\w, ]+)\)/g)].flatMap(([, list]) => list!.split(', '));
        const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
        expect(kept).toEqual(expect.arrayContaining(named));
      }
    }
  });

  it('has a panel for each id, with brackets that close', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const expression of expressions) {
      for (const [open, close] of ['()', '{}', '[]'].map((pair) => pair.split('') as [string, string])) {
        expect(expression.split(open).length).toBe(expression.split(close).length);
      }
    }
  });
});

function withoutSuffix(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, '');
}
