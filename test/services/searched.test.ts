import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { PRODUCT_SEARCH_FIELDS, parseQuery } from '../../src/domain/search/parse.ts';
import { turnOf } from '../../src/lib/in-turns.ts';
import { searched } from '../../src/services/searched.ts';
import { describeOnOneDatabase, newAccount } from '../harness.ts';

describeOnOneDatabase('searches of one answer', (database) => {
  it('have a turn of the loop each where each takes all of its time', async () => {
    const ctx = await newAccount(database());
    const { root } = parseQuery('snatch', PRODUCT_SEARCH_FIELDS);
    await searched(ctx, [root], () => {});
    let turns = 0;
    const seen: number[] = [];
    const search = () => {
      while (!turnOf());
      seen.push(turns);
    };
    const all = Promise.all(Array.from({ length: 5 }, () => searched(ctx, [root], search)));
    let isOver = false;
    all.finally(() => {
      isOver = true;
    });
    for (; !isOver; turns++) await nextTurn();
    expect(new Set(seen).size).toBe(5);
  });
});
