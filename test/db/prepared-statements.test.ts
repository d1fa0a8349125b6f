import { describe, expect, inject, it } from 'vitest';
import type { Param } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { leftByVaried } from '../support/varied-queries.ts';

const url = inject('postgresUrl');

describe.skipIf(!url)('500 queries of many shapes', () => {
  it('leave few prepared statements, and the back ends at most 20 MB larger', async () => {
    const { before, after } = await leftByVaried(url!, 500);
    expect(after.texts.length).toBeLessThanOrEqual(100);
    if (before.megabytes === null) return;
    expect(after.megabytes! - before.megabytes).toBeLessThanOrEqual(20);
  });
});

describe.skipIf(!url)('a text', () => {
  it('is prepared once for each type of its parameters, and no other text in its place', async () => {
    const db = postgresDatabase(url!);
    try {
      const shown = async (text: string, value: Param) =>
        (await db.hot<{ value: Param }>(text, [value]))[0]!.value;
      const [one, other] = ['select $1 as value', "select $1 || '!' as value"] as const;
      for (const value of [true, 'text', null, false, '7', true, null])
        expect(await shown(one, value)).toBe(value);
      expect(await shown(other, 'text')).toBe('text!');
      const texts = await db.hot<{ statement: string; types: string[] }>(
        'select statement, array_to_json(parameter_types) as types from pg_prepared_statements where statement like $1 order by statement, parameter_types::text',
        ['select $1%'],
      );
      expect(texts).toEqual([
        { statement: one, types: ['boolean'] },
        { statement: one, types: ['text'] },
        { statement: other, types: ['text'] },
      ]);
    } finally {
      await db.close();
    }
  });
});
