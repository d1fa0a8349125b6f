import { describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { allPages, expectPagination, expectProblem } from './support.ts';

interface Money {
  currency: string;
  value: number;
}

interface Ev {
  setType: string;
  productType: string;
  productId: string;
  currentEstimatedValue: Money;
  marketPrice: Money;
  marketPriceDelta: Money;
  warning: string | null;
}

interface Category {
  multiplier: number;
  averageMarketPrice: Money;
  contributedValue: Money;
}

const TYPES = ['Pack', 'Box', 'Case'];
const cents = ({ value }: Money) => Math.round(value * 100);

describeOnDatabases('REST expected values', (database) => {
  const listOf = async (app: TestApp, query = '') =>
    (await allPages(app, `/ev/list${query}`, 200)).items as Ev[];

  describe('the list', () => {
    it('has every field of the contract', async () => {
      const app = await newTestApp(database());
      const evs = await listOf(app);
      expect(new Set(evs.map(({ setType }) => setType)).size).toBeGreaterThanOrEqual(20);
      const money = { currency: 'USD', value: expect.any(Number) };
      for (const ev of evs) {
        expect(ev).toMatchObject({
          setType: expect.stringMatching(/^[A-Z0-9][A-Za-z0-9]+$/),
          productType: expect.stringMatching(/^(Pack|Box|Case)$/),
          productId: expect.stringMatching(/^prd_/),
          productImage: expect.any(String),
          productName: expect.stringMatching(/\S/),
          fcId: expect.stringMatching(/\S/),
          currentEstimatedValue: money,
          marketPrice: money,
          marketPriceDelta: money,
          warning: expect.toSatisfy((text) => text === null || /\S/.test(text as string)),
        });
        const { currentEstimatedValue: value, marketPrice: price, marketPriceDelta: delta } = ev;
        expect(Math.abs(cents(value) - cents(price) - cents(delta))).toBeLessThanOrEqual(1);
      }
      const pairs = evs.map(({ setType, productType }) => `${setType} ${productType}`);
      expect(new Set(pairs).size).toBe(pairs.length);
    });

    it('says so in the warning where no market price is known', async () => {
      const app = await newTestApp(database());
      for (const ev of await listOf(app)) {
        if (ev.marketPrice.value === 0) expect(ev.warning).toMatch(/price/i);
      }
    });

    it('has the products of one type, or of all', async () => {
      const app = await newTestApp(database());
      const all = await listOf(app);
      for (const productType of TYPES) {
        const some = await listOf(app, `?productType=${productType}`);
        expect(some.length).toBeGreaterThan(0);
        expect(some).toEqual(all.filter((ev) => ev.productType === productType));
      }
    });

    it('orders by amounts', async () => {
      const app = await newTestApp(database());
      const amounts: Record<string, (ev: Ev) => number> = {
        HighestEstimatedValue: (ev) => -cents(ev.currentEstimatedValue),
        LowestEstimatedValue: (ev) => cents(ev.currentEstimatedValue),
        HighestMarketPrice: (ev) => -cents(ev.marketPrice),
        LowestMarketPrice: (ev) => cents(ev.marketPrice),
        MarketPriceDeltaPositive: (ev) => -cents(ev.marketPriceDelta),
        MarketPriceDeltaNegative: (ev) => cents(ev.marketPriceDelta),
      };
      for (const [sort, amountOf] of Object.entries(amounts)) {
        const found = (await listOf(app, `?sort=${sort}`)).map(amountOf);
        expect(found).toEqual([...found].sort((a, b) => a - b));
      }
    });

    it('orders by release date, the oldest first where no order is asked for', async () => {
      const app = await newTestApp(database());
      const rows = await database().query<{ key: string; day: string | null }>(
        `select set_type || ' ' || product_type as key, release_date::text as day from product_ev`,
      );
      const dayOf = new Map(rows.map(({ key, day }) => [key, day]));
      const days = async (sort: string) =>
        (await listOf(app, `?sort=${sort}`)).map(({ setType, productType }) =>
          dayOf.get(`${setType} ${productType}`),
        );
      const oldest = await days('OldestReleaseDate');
      expect(oldest).toEqual([...oldest].sort((a, b) => ((a ?? '9') < (b ?? '9') ? -1 : 1)));
      const newest = await days('NewestReleaseDate');
      expect(newest).toEqual([...newest].sort((a, b) => ((a ?? '0') > (b ?? '0') ? -1 : 1)));
      expect(await listOf(app)).toEqual(await listOf(app, '?sort=OldestReleaseDate'));
    });

    it('is in pages', async () => {
      const app = await newTestApp(database());
      for (const sort of ['HighestMarketPrice', 'NewestReleaseDate']) {
        await expectPagination(app, `/ev/list?sort=${sort}&productType=Case`);
      }
      await expectPagination(app, '/ev/list');
    });

    it('refuses other orders and types, all at once', async () => {
      const app = await newTestApp(database());
      expectProblem(
        await app.send('GET', '/ev/list?sort=x&productType=pack&pageSize=1'),
        'ValidationFailed',
        {
          pointers: ['?sort', '?productType'],
        },
      );
    });
  });

  describe('the breakdown', () => {
    const get = (app: TestApp, setType: string, productType: string) =>
      app.send('GET', `/ev/breakdown?setType=${setType}&productType=${productType}`);

    it('has every field of the contract, for every pair of the list', async () => {
      const app = await newTestApp(database());
      const money = { currency: 'USD', value: expect.any(Number) };
      for (const ev of await listOf(app)) {
        const { status, body } = await get(app, ev.setType, ev.productType);
        expect(status).toBe(200);
        expect(body).toMatchObject({
          productId: ev.productId,
          productName: (ev as unknown as { productName: string }).productName,
          fcId: (ev as unknown as { fcId: string }).fcId,
          imageUrl: (ev as unknown as { productImage: string }).productImage,
          currentEstimatedValue: ev.currentEstimatedValue,
          warning: ev.warning,
          categories: expect.any(Array),
        });
        expect(body.categories.length).toBeGreaterThan(0);
        let sum = 0;
        for (const category of body.categories as Category[]) {
          expect(category).toMatchObject({
            category: expect.stringMatching(/^[A-Z][A-Za-z0-9]*$/),
            categoryName: expect.stringMatching(/\S/),
            multiplier: expect.any(Number),
            averageMarketPrice: money,
            contributedValue: money,
          });
          expect(category.multiplier).toBeGreaterThan(0);
          sum += cents(category.contributedValue);
        }
        // Each of the parts is rounded by half a cent at most.
        const difference = Math.abs(sum - cents(body.currentEstimatedValue));
        expect(difference).toBeLessThanOrEqual((body.categories.length + 1) / 2);
      }
    });

    it('multiplies by the packs of a box and the boxes of a case', async () => {
      const app = await newTestApp(database());
      const [pack, box, box4] = await Promise.all(TYPES.map((type) => get(app, 'Wtr1stEdition', type)));
      const multipliers = (answer: typeof pack) =>
        answer!.body.categories.map(({ multiplier }: Category) => multiplier);
      const ratios = (a: typeof pack, b: typeof pack) =>
        multipliers(a).map((m: number, i: number) => multipliers(b)[i] / m);
      for (const ratio of ratios(pack, box)) expect(ratio).toBeCloseTo(24, 9);
      for (const ratio of ratios(box, box4)) expect(ratio).toBeCloseTo(4, 9);
    });

    it('is in the preferred currency', async () => {
      const app = await newTestApp(database(), { currency: 'JPY' });
      const { body } = await get(app, 'Wtr1stEdition', 'Box');
      for (const amount of [body.currentEstimatedValue, body.categories[0].averageMarketPrice]) {
        expect(amount.currency).toBe('JPY');
        expect(Number.isInteger(amount.value)).toBe(true);
      }
    });

    it('does not know other pairs of set and product', async () => {
      const app = await newTestApp(database());
      for (const setType of [
        'Wtr',
        'wtr1stedition',
        'WTR',
        '',
        'x'.repeat(5000),
        '%00',
        '%2F',
        '__proto__',
        'a_b',
      ]) {
        expectProblem(await get(app, setType, 'Box'), 'NotFound');
      }
    });

    it('needs both parameters', async () => {
      const app = await newTestApp(database());
      const refused = async (query: string, pointers: string[]) =>
        expectProblem(await app.send('GET', `/ev/breakdown${query}`), 'ValidationFailed', { pointers });
      await refused('', ['?setType', '?productType']);
      await refused('?setType=Wtr1stEdition', ['?productType']);
      await refused('?productType=Box', ['?setType']);
      await refused('?setType=Wtr1stEdition&productType=box', ['?productType']);
      await refused('?setType=Wtr1stEdition&productType=', ['?productType']);
    });
  });
});
