import { beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { latestRate } from '../../src/db/queries/exchange.ts';
import { ALLOCATION_KEYS } from '../../src/domain/allocation.ts';
import {
  type AllocationPart,
  getAllocationOfValued,
  getAllocations,
} from '../../src/services/collections/allocation.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnOwnDatabases, newAccount, statementsOf } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { type PriceSteps, priceAt, randomPrices, seededRandom } from '../support/random-market.ts';
import { compared, decimal, over, plus, type Ratio, ratio, textOf, times } from '../support/ratio.ts';

const NEWEST = '2026-04-13';

interface Described {
  id: string;
  Set: string;
  setName: string;
  Rarity: string | null;
  Class: string | null;
  Finish: string;
}

describeOnOwnDatabases('allocation', (database) => {
  let db: OpenDatabase;
  let ctx: Context;
  let described: Described[];
  let market: Map<string, PriceSteps>;
  let euro: Ratio;
  const collections: { id: string; held: Map<string, number> }[] = [];

  beforeAll(async () => {
    db = database();
    const random = seededRandom(11);
    described = await db.query<Described>(
      `select v.id, p.set_code as "Set", p.set_name as "setName", p.rarity as "Rarity", p.class as "Class", v.finish as "Finish"
       from variant v join product p on p.id = v.product_id order by md5(v.id) limit 150`,
    );
    ctx = await newAccount(db);
    for (const name of ['A', 'B', 'Empty']) {
      const { id } = await createCollection(ctx, { name });
      const held = new Map<string, number>();
      const entries = described.flatMap(({ id: variantId }) => {
        const quantity = 1 + Math.floor(random() * 4);
        if (name === 'Empty' || random() < 0.3) return [];
        const isSale = random() < 0.1;
        held.set(variantId, isSale ? -quantity : quantity);
        return [entry(variantId, { quantity, action: isSale ? 'Sale' : 'Purchase' })];
      });
      if (entries.length > 0) await createTransactions(ctx, id, entries);
      if (name !== 'B') await updateCollection(ctx, id, { valued: true });
      collections.push({ id, held });
    }
    market = await randomPrices(
      db,
      described.map(({ id }) => id),
      NEWEST,
      random,
    );
    const [rate] = await db.query<{ rate: string }>(`select ${latestRate("'EUR'", "'USD'")} as rate`);
    euro = decimal(rate!.rate);
  });

  interface Part {
    key: string | null;
    name: string;
    isRest: boolean;
    quantity: number;
    unpricedQuantity: number;
    value: Ratio;
  }

  function expected(held: ReadonlyMap<string, number>, by: (typeof ALLOCATION_KEYS)[number], first: number) {
    const parts = new Map<string | null, Part>();
    for (const one of described) {
      const quantity = held.get(one.id) ?? 0;
      if (quantity <= 0) continue;
      const key = one[by];
      const name = by === 'Set' ? one.setName : (key ?? 'None');
      const part = parts.get(key) ?? {
        key,
        name,
        isRest: false,
        quantity: 0,
        unpricedQuantity: 0,
        value: ratio(0),
      };
      const price = priceAt(market.get(one.id)!, NEWEST);
      part.quantity += quantity;
      if (price) {
        const rate = price.currency === 'EUR' ? euro : ratio(1);
        part.value = plus(part.value, times(times(decimal(price.amount), rate), ratio(quantity)));
      } else part.unpricedQuantity += quantity;
      parts.set(key, part);
    }
    const byKey = (a: string | null, b: string | null) =>
      a === b ? 0 : a === null || (b !== null && a > b) ? 1 : -1;
    const sorted = [...parts.values()].sort((a, b) => compared(b.value, a.value) || byKey(a.key, b.key));
    const shown = sorted.slice(0, first);
    const rest = sorted.slice(first);
    if (rest.length > 0) {
      shown.push({
        key: null,
        name: 'Other',
        isRest: true,
        quantity: rest.reduce((sum, part) => sum + part.quantity, 0),
        unpricedQuantity: rest.reduce((sum, part) => sum + part.unpricedQuantity, 0),
        value: rest.reduce((sum, part) => plus(sum, part.value), ratio(0)),
      });
    }
    return shown;
  }

  /** Each share is less than a unit from the exact one, and together they are exactly 1. */
  function checkShares(parts: readonly AllocationPart[], values: readonly Ratio[]): void {
    const sum = values.reduce(plus, ratio(0));
    if (sum.n === 0n) {
      expect(parts.every(({ share }) => share === null)).toBe(true);
      return;
    }
    const units = parts.map(({ share }) => BigInt(share!.replace('.', '')));
    expect(units.reduce((a, b) => a + b, 0n)).toBe(10_000n);
    const remainders = values.map((value, i) => {
      const exact = times(over(value, sum), ratio(10_000));
      const lost = plus(exact, { n: -units[i]!, d: 1n });
      expect(compared(lost, ratio(-1))).toBe(1);
      expect(compared(lost, ratio(1))).toBe(-1);
      return lost;
    });
    // Nobody who was rounded down had lost more than one who was rounded up.
    const up = remainders.filter((lost) => lost.n < 0n).map((lost) => plus(lost, ratio(1)));
    const down = remainders.filter((lost) => lost.n >= 0n);
    for (const raised of up)
      for (const left of down) expect(compared(raised, left)).toBeGreaterThanOrEqual(0);
  }

  function check(parts: readonly AllocationPart[], oracle: readonly Part[]): void {
    expect(
      parts.map(({ share: _, marketValue, ...part }) => ({ ...part, value: marketValue.amount })),
    ).toEqual(oracle.map((part) => ({ ...part, value: textOf(part.value, 2) })));
    checkShares(
      parts,
      oracle.map(({ value }) => value),
    );
  }

  it.each(ALLOCATION_KEYS)('is that of the oracle by %s, of each collection in one statement', async (by) => {
    const ids = collections.map(({ id }) => id);
    for (const first of [1, 3, 200]) {
      const { result, statements } = await statementsOf(() => getAllocations(ctx, ids, by, first));
      expect(statements).toHaveLength(1);
      for (const [i, { held }] of collections.entries()) check(result[i]!, expected(held, by, first));
    }
    check(await getAllocationOfValued(ctx, by, 200), expected(collections[0]!.held, by, 200));
  });

  it('is of nobody else', async () => {
    const stranger = await newAccount(db);
    expect(await getAllocations(stranger, [collections[0]!.id], 'Set', 10)).toEqual([[]]);
    expect(await getAllocationOfValued(stranger, 'Set', 10)).toEqual([]);
  });

  it('has no shares where nothing has a value', async () => {
    const unpriced = described.find(({ id }) => market.get(id)!.length === 0)!;
    const { id } = await createCollection(ctx, { name: 'Unpriced' });
    await createTransactions(ctx, id, [entry(unpriced.id, { quantity: 3 })]);
    expect(await getAllocations(ctx, [id], 'Finish', 10)).toEqual([
      [expect.objectContaining({ quantity: 3, unpricedQuantity: 3, share: null })],
    ]);
  });
});
