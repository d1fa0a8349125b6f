import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { latestRate } from '../../src/db/queries/exchange.ts';
import { JUDGE_ALERTS } from '../../src/db/queries/price-alerts.ts';
import { addDays } from '../../src/domain/dates.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import type { Context } from '../../src/services/context.ts';
import { importExchangeRates } from '../../src/services/market/import.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { settleMarket } from '../../src/services/market/settle.ts';
import { createPriceAlert } from '../../src/services/price-alerts/create.ts';
import { deletePriceAlert } from '../../src/services/price-alerts/delete.ts';
import { getPriceAlerts } from '../../src/services/price-alerts/get.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { type Kind, newAccount, ownDatabase, statementsOf } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { commitPrices, type DayPrices, smallCatalogue } from '../support/price-days.ts';

const FIRST_DAY = '2026-04-14';
const usd = (value: number) => ({ currency: 'USD', value });

for (const kind of ['pglite', 'postgres'] as const satisfies Kind[]) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`price alerts (${kind})`, () => {
    let db: OpenDatabase;
    let ctx: Context;
    let a: string;
    let b: string;
    /** Each test has days of its own. */
    let day = FIRST_DAY;

    beforeAll(async () => {
      db = await ownDatabase(kind);
      [a, b] = (await smallCatalogue(db, 2)) as [string, string];
    });
    afterAll(() => db.close());

    /** Only the account of the test has its turn. */
    const importDay = async (on: string, prices: DayPrices) => {
      await commitPrices(db, on, prices);
      await settleMarket(db);
    };
    const alertOn = async (targetId: string, condition: object) =>
      (await createPriceAlert(ctx, { targetId, ...condition })).id;
    const change = (percent: number, days: number, direction?: string) => ({
      condition: 'Change',
      percent,
      days,
      ...(direction && { direction }),
    });
    const alert = async (id: string) => (await getPriceAlerts(ctx, [id]))[0]!;
    /** Imports each price on a day of its own; gives after each whether the condition holds and how often it fired. */
    const judged = async (id: string, variantId: string, amounts: (string | null)[]) => {
      const states: string[] = [];
      for (const amount of amounts) {
        day = addDays(day, 1);
        await importDay(day, { [variantId]: amount });
        const { isMet, triggerCount } = await alert(id);
        states.push(`${isMet} ${triggerCount}`);
      }
      return states;
    };
    const start = async (prices: Record<string, string | null>) => {
      ctx = await newAccount(db);
      // The days before the next one have these prices too.
      for (const days of [10, 2]) {
        day = addDays(day, days);
        await importDay(day, prices);
      }
    };
    const collectionOf = async (cards: Record<string, number>) => {
      const { id } = await createCollection(ctx, { name: 'Alerts' });
      for (const [variantId, quantity] of Object.entries(cards))
        await createTransaction(ctx, id, entry(variantId, { quantity }));
      return id;
    };

    it('fire once when the price goes above or below, and again after it has been back', async () => {
      await start({ [a]: '5' });
      const above = await alertOn(a, { condition: 'Above', amount: usd(10) });
      expect(await judged(above, a, ['10', '10.01', '11', '10', '12'])).toEqual([
        'false 0',
        'true 1',
        'true 1',
        'false 1',
        'true 2',
      ]);
      const below = await alertOn(a, { condition: 'Below', amount: usd(10) });
      expect(await judged(below, a, ['10', '9.99', '1', '10', '9'])).toEqual([
        'false 0',
        'true 1',
        'true 1',
        'false 1',
        'true 2',
      ]);
      expect(await alert(below)).toMatchObject({
        lastTrigger: { day, value: { currency: 'USD', amount: '9.00' }, change: null },
      });
    });

    it('do not fire for what is so already when they are made', async () => {
      await start({ [a]: '20' });
      const id = await alertOn(a, { condition: 'Above', amount: usd(10) });
      expect(await alert(id)).toMatchObject({ isMet: true, triggerCount: 0, lastTrigger: null });
      expect(await judged(id, a, ['21', '9', '11'])).toEqual(['true 0', 'false 0', 'true 1']);
    });

    it('are judged in their own currency, also after an import of exchange rates', async () => {
      await start({ [a]: '10' });
      const [{ rate }] = (await db.query<{ rate: number }>(
        `select ${latestRate("'USD'", "'NZD'")}::float8 as rate`,
      )) as [{ rate: number }];
      const amount = { currency: 'NZD', value: Math.ceil(10 * rate) };
      const id = await alertOn(a, { condition: 'Above', amount });
      expect(await judged(id, a, ['10'])).toEqual(['false 0']);
      const [{ usdRate }] = (await db.query<{ usdRate: number }>(
        `select per_euro::float8 as "usdRate" from fx_rate where currency = 'USD' order by day desc limit 1`,
      )) as [{ usdRate: number }];
      const rates = (factor: number) =>
        importExchangeRates(
          db,
          [{ currency: 'NZD', day: addDays(day, factor), per_euro: (usdRate * rate * factor).toFixed(6) }],
          { version: `${factor}`, isSample: false },
          noProgress,
        );
      await rates(2);
      const { triggerCount, lastTrigger } = await alert(id);
      expect(triggerCount).toBe(1);
      expect(lastTrigger!.day).toBe(day);
      expect(lastTrigger!.value.currency).toBe('NZD');
      expect(Number(lastTrigger!.value.amount)).toBeCloseTo(20 * rate, 1);
    });

    describe('on a change', () => {
      it('compare with the price of so many days before, the percentage included', async () => {
        await start({ [a]: '100' });
        const up = await alertOn(a, change(10, 2, 'Up'));
        const down = await alertOn(a, change(10, 2, 'Down'));
        const either = await alertOn(a, change(10, 2));
        const seen: string[] = [];
        // The days before have the first of these prices.
        for (const amount of ['109.99', '110', '98.99', '99', '99', '108.89', '108.9']) {
          await judged(up, a, [amount]);
          const alerts = await getPriceAlerts(ctx, [up, down, either]);
          seen.push(`${amount}: ${alerts.map((one) => (one!.isMet ? 'met' : '-')).join(' ')}`);
        }
        expect(seen).toEqual([
          '109.99: - - -',
          '110: met - met',
          // Against 109.99, then 110.
          '98.99: - met met',
          '99: - met met',
          // Against 98.99, then 99.
          '99: - - -',
          '108.89: - - -',
          '108.9: met - met',
        ]);
        expect((await getPriceAlerts(ctx, [up, down, either])).map((one) => one!.triggerCount)).toEqual([
          2, 1, 2,
        ]);
        expect((await alert(up)).lastTrigger).toMatchObject({
          change: 10,
          value: { currency: 'USD', amount: '108.90' },
        });
        expect((await alert(down)).lastTrigger).toMatchObject({ change: -10 });
      });

      it('are not judged where the price of the day before is not known, or 0', async () => {
        await start({ [a]: null });
        const id = await alertOn(a, change(1, 1));
        expect(await judged(id, a, ['5', '6', '0', '7', '7'])).toEqual([
          'false 0',
          'true 1',
          'true 1',
          // From 0: no percentage, so the state stays.
          'true 1',
          'false 1',
        ]);
      });
    });

    it('keep their state while no price is known', async () => {
      await start({ [a]: '5' });
      const id = await alertOn(a, { condition: 'Above', amount: usd(10) });
      expect(await judged(id, a, [null, '11', null, '12', null, '9', null, '11'])).toEqual([
        'false 0',
        'true 1',
        'true 1',
        'true 1',
        'true 1',
        'false 1',
        'false 1',
        'true 2',
      ]);
    });

    describe('on a collection', () => {
      it('go by its market value', async () => {
        await start({ [a]: '5', [b]: '1' });
        const id = await alertOn(await collectionOf({ [a]: 3, [b]: 5 }), {
          condition: 'Above',
          amount: usd(20),
        });
        expect(await judged(id, a, ['5', '5.01', '4', '6'])).toEqual([
          'false 0',
          'true 1',
          'false 1',
          'true 2',
        ]);
        expect((await alert(id)).lastTrigger!.value.amount).toBe('23.00');
      });

      it('are not judged while it holds nothing that has a price', async () => {
        await start({ [a]: '5', [b]: null });
        const empty = await alertOn(await collectionOf({}), { condition: 'Below', amount: usd(20) });
        const id = await alertOn(await collectionOf({ [b]: 1 }), { condition: 'Below', amount: usd(20) });
        expect(await judged(id, a, ['4'])).toEqual(['false 0']);
        expect(await judged(empty, a, ['3'])).toEqual(['false 0']);
        expect(await judged(id, b, ['4'])).toEqual(['true 1']);
      });

      it('compare what it holds now, as far as both days have a price for it', async () => {
        await start({ [a]: '10', [b]: null });
        const collection = await collectionOf({ [a]: 1, [b]: 1 });
        const id = await alertOn(collection, change(10, 1));
        expect(await judged(id, b, [null])).toEqual(['false 0']);
        await createTransaction(ctx, collection, entry(a, { quantity: 99 }));
        // Neither a purchase nor a card's first price is a change.
        expect(await judged(id, b, ['500'])).toEqual(['false 0']);
        // (500 + 11 × 100) against (500 + 10 × 100).
        expect(await judged(id, a, ['11'])).toEqual(['false 0']);
        expect(await judged(id, a, ['13'])).toEqual(['true 1']);
        expect((await alert(id)).lastTrigger).toMatchObject({ change: 12.5, value: { amount: '1800.00' } });
      });

      it('hold it until they are gone', async () => {
        await start({ [a]: '5' });
        const collection = await collectionOf({ [a]: 1 });
        const ids = [
          await alertOn(collection, { condition: 'Above', amount: usd(20) }),
          await alertOn(collection, change(10, 1)),
        ];
        await expect(deleteCollection(ctx, collection)).rejects.toMatchObject({
          problem: 'CollectionInUse',
          message: 'The collection has price alerts (2). Delete them first.',
        });
        for (const id of ids) await deletePriceAlert(ctx, id);
        await deleteCollection(ctx, collection);
        await expect(alertOn(collection, change(10, 1))).rejects.toMatchObject({ problem: 'NotFound' });
      });
    });

    describe('and imports', () => {
      it('that come again change nothing', async () => {
        await start({ [a]: '5' });
        const id = await alertOn(a, { condition: 'Above', amount: usd(10) });
        expect(await judged(id, a, ['11'])).toEqual(['true 1']);
        const before = await alert(id);
        for (let i = 0; i < 3; i++) await importDay(day, { [a]: '11' });
        expect(await alert(id)).toEqual(before);
      });

      it('whose turn did not come are judged later, each by its own prices', async () => {
        await start({ [a]: '5', [b]: '1' });
        const ids = [
          await alertOn(a, { condition: 'Above', amount: usd(10) }),
          await alertOn(a, change(100, 1, 'Up')),
          await alertOn(await collectionOf({ [a]: 2, [b]: 1 }), { condition: 'Above', amount: usd(20) }),
          await alertOn(a, { condition: 'Above', amount: usd(50) }),
        ];
        const firstDay = addDays(day, 1);
        for (const amount of ['11', '5', '12', '6', '6']) {
          day = addDays(day, 1);
          await commitPrices(db, day, { [a]: amount });
        }
        await settleMarket(db);
        const alerts = await getPriceAlerts(ctx, ids);
        expect(alerts.map((one) => [one!.triggerCount, one!.isMet])).toEqual([
          [2, false],
          [2, false],
          [2, false],
          [0, false],
        ]);
        const events = await db.query<{ alertId: string; sequence: number }>(
          `select alert_id as "alertId", sequence from event where account_id = $1 and stream = 'alerts' order by sequence`,
          [ctx.caller.accountId],
        );
        expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
        expect(events.map(({ alertId }) => alertId)).toEqual([...ids.slice(0, 3), ...ids.slice(0, 3)]);
        expect(alerts[0]!.lastTrigger).toMatchObject({
          day: addDays(firstDay, 2),
          value: { amount: '12.00' },
        });
        expect(alerts[1]!.lastTrigger).toMatchObject({ day: addDays(firstDay, 2), change: 140 });
      });

      it('judge ten alerts of an account by the statements of one', async () => {
        await start({ [a]: '5', [b]: '1' });
        const collection = await collectionOf({ [a]: 1 });
        const measured: number[] = [];
        for (const [count, price] of [
          [1, '6'],
          [9, '7'],
        ] as const) {
          for (let i = 0; i < count; i++) await alertOn(i % 2 ? collection : a, change(10, 1 + i));
          day = addDays(day, 1);
          await commitPrices(db, day, { [a]: price });
          const { statements } = await statementsOf(() => settleMarket(db));
          measured.push(statements.filter(({ params }) => params[0] === ctx.caller.accountId).length);
        }
        expect(measured[1]).toBe(measured[0]);
      });

      it('judge ten of an account, and then those of others', async () => {
        await start({ [a]: '5' });
        const other = await newAccount(db);
        for (let i = 0; i < 21; i++) await alertOn(a, change(10, 1 + i));
        const { id } = await createPriceAlert(other, { targetId: a, ...change(10, 1) });
        day = addDays(day, 1);
        await commitPrices(db, day, { [a]: '7' });
        const { statements } = await statementsOf(() => settleMarket(db));
        const accounts = [ctx.caller.accountId, other.caller.accountId];
        const judged = statements
          .filter(({ text, params }) => text === JUDGE_ALERTS && accounts.includes(String(params[0])))
          .map(({ params }) => [params[0] === accounts[0], JSON.parse(String(params[1])).length]);
        const ofOne = judged.filter(([isOne]) => isOne);
        expect(ofOne).toEqual([
          [true, 10],
          [true, 10],
          [true, 1],
        ]);
        expect(judged.findIndex(([isOne]) => !isOne)).toBeLessThan(2);
        expect(await getPriceAlerts(other, [id])).toMatchObject([{ triggerCount: 1 }]);
      });
    });

    describe('refuse', () => {
      const cases: [string, object, string[]][] = [
        ['nothing', {}, ['targetId', 'when']],
        ['an unknown condition', { targetId: 'x', condition: 'Near' }, ['condition']],
        ['what is missing for an amount', { condition: 'Above' }, ['targetId', 'amount']],
        [
          'what belongs to a change',
          { targetId: 'x', condition: 'Above', amount: usd(-1), percent: 1, days: 1, direction: 'Up' },
          ['percent', 'days', 'direction', 'amount.value'],
        ],
        ['what nothing is below', { targetId: 'x', condition: 'Below', amount: usd(0) }, ['amount.value']],
        ['what is missing for a change', { condition: 'Change' }, ['targetId', 'percent', 'days']],
        [
          'everything of a change',
          { targetId: 'x', ...change(0.001, 366, 'Sideways'), amount: usd(1), more: 1 },
          ['amount', 'percent', 'days', 'direction', 'more'],
        ],
        ['too small a percentage', { targetId: 'x', ...change(0, 1) }, ['percent']],
        ['too large a percentage', { targetId: 'x', ...change(10_000.01, 1) }, ['percent']],
        ['too fine a percentage', { targetId: 'x', ...change(1.005, 1) }, ['percent']],
        ['a fall of more than all', { targetId: 'x', ...change(100.01, 1, 'Down') }, ['percent']],
        ['no days', { targetId: 'x', ...change(1, 0) }, ['days']],
        ['parts of days', { targetId: 'x', ...change(1, 1.5) }, ['days']],
        ['nothing to wait for', { targetId: 'x', when: {} }, ['when']],
        ['two things', { targetId: 'x', when: { above: usd(1), below: usd(1) } }, ['when']],
        [
          'both ways to say it',
          { targetId: 'x', when: { above: usd(1) }, condition: 'Above' },
          ['condition'],
        ],
        [
          'what stands beside it',
          { targetId: 'x', when: { above: usd(-1) }, amount: usd(1), days: 1 },
          ['when.above.value', 'amount', 'days'],
        ],
        ['what nothing can be below', { targetId: 'x', when: { below: usd(0) } }, ['when.below.value']],
        [
          'everything of a change that is one of three',
          { targetId: 'x', when: { change: { percent: 0, days: 366, direction: 'Down', more: 1 } } },
          ['when.change.percent', 'when.change.days', 'when.change.more'],
        ],
        [
          'too deep a fall',
          { targetId: 'x', when: { change: { percent: 101, days: 1, direction: 'Down' } } },
          ['when.change.percent'],
        ],
      ];
      it.each(cases)('%s', async (_what, input, paths) => {
        ctx = await newAccount(db);
        const refusal = await createPriceAlert(ctx, input).catch((error) => error);
        expect(refusal).toMatchObject({ problem: 'ValidationFailed' });
        const breaches: { path: string[] }[] = refusal.details.breaches;
        expect(breaches.map(({ path }) => path.join('.')).sort()).toEqual([...paths].sort());
      });

      it('not what is just within the limits', async () => {
        ctx = await newAccount(db);
        for (const condition of [
          { condition: 'Above', amount: usd(0) },
          { condition: 'Above', amount: usd(1e9) },
          { condition: 'Below', amount: usd(0.0001) },
          change(0.01, 1),
          change(10_000, 365, 'Up'),
          change(100, 365, 'Down'),
          { when: { above: usd(1e9) } },
          { when: { below: usd(0.0001) } },
          { when: { change: { percent: 100, days: 365, direction: 'Down' } } },
        ])
          await alertOn(a, condition);
      });

      it('targets that are not there, and those of others', async () => {
        const stranger = await newAccount(db);
        ctx = await newAccount(db);
        const collection = await collectionOf({});
        const id = await alertOn(collection, change(10, 1));
        const input = (targetId: string) => ({ targetId, ...change(10, 1) });
        for (const [targetId, message] of [
          [collection, 'The collection does not exist.'],
          ['var_nothing', 'The variant does not exist.'],
          ['prd_nothing', 'The variant or collection does not exist.'],
          ['', 'The variant or collection does not exist.'],
        ] as const) {
          await expect(createPriceAlert(stranger, input(targetId))).rejects.toMatchObject({
            problem: 'NotFound',
            message,
          });
        }
        expect(await getPriceAlerts(stranger, [id, 'alr_nothing', 'x'])).toEqual([null, null, null]);
        for (const [who, what] of [
          [stranger, id],
          [ctx, 'alr_nothing'],
          [ctx, a],
        ] as const) {
          await expect(deletePriceAlert(who, what)).rejects.toMatchObject({ problem: 'NotFound' });
        }
        expect(await alert(id)).toMatchObject({ id });
      });

      it('the 101st, also of many at once', async () => {
        ctx = await newAccount(db);
        for (let i = 0; i < 98; i++) await alertOn(a, change(10, 1));
        const answers = await Promise.allSettled(Array.from({ length: 5 }, () => alertOn(a, change(10, 1))));
        expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
        await expect(alertOn(a, change(10, 1))).rejects.toMatchObject({
          problem: 'LimitExceeded',
          details: { limit: 100, current: 100 },
        });
      });
    });
  });
}
