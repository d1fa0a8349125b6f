import { expect, it } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import { observedDatabase } from '../../src/observability/statements.ts';

it('tells of what fails behind an answer, of which nobody else hears', async () => {
  const failure = new Error('read-only');
  const behind = { query: () => Promise.reject(failure) };
  const told: unknown[] = [];
  const db = observedDatabase({ behind } as unknown as Database, () => () => {}, {
    payer: { recentMillis: 0, pay: () => {} },
    leaving: new AbortController().signal,
    observeBehind: (text) => (error) => told.push([text, error]),
  });
  await expect(db.behind.query('select 1')).rejects.toBe(failure);
  expect(told).toEqual([['select 1', failure]]);
});
