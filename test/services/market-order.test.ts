import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { gainOf, marketValueOf, percentageGainOf } from '../../src/domain/holding-value.ts';
import { isEqual } from '../../src/domain/money.ts';
import type { SummarySort } from '../../src/domain/orders.ts';
import {
  encodeCursor,
  type KeyCursor,
  type Page,
  type PageRequest,
  pageByKey,
} from '../../src/domain/pagination.ts';
import { ORDER_NAMES } from '../../src/memory/market-order.ts';
import { marketChanged } from '../../src/memory/memory.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { listSummaries, type SummaryOrder, summaryOrder } from '../../src/services/summaries/list.ts';
import type { TransactionSummary } from '../../src/services/summaries/model.ts';
import { describeOnOwnDatabases, newAccount, statementsOf } from '../harness.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { keysOf } from '../support/pages.ts';
import { commitPrices, smallCatalogue, untilHeld } from '../support/price-days.ts';

const VARIANTS = 30;
const MARKETS = 2;
const RUNS = 40;
const SEED = 20260501;

const decimalOf = (max: number, decimals: number) =>
  fc
    .tuple(
      fc.integer({ min: 0, max }),
      fc.integer({ min: 0, max: 10 ** 9 }),
      fc.integer({ min: 0, max: decimals }),
    )
    .map(([whole, part, count]) =>
      count === 0 ? `${whole}` : `${whole}.${String(part).repeat(4).slice(0, count)}`,
    );

/** Few, so that many are alike or make the same product. */
const amount = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('1', '2', '3', '6', '1.5', '0.5', '0') },
  { weight: 1, arbitrary: decimalOf(100_000, 4) },
);
const price = fc.record({
  amount: fc.option(amount, { freq: 6 }),
  currency: fc.constantFrom('USD', 'USD', 'NZD'),
});
const cards = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 6 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 10 ** 12 }) },
);
const holding = fc.record({
  bought: cards,
  sold: cards,
  cost: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('0', '1', '2', '3', '6', '10') },
    { weight: 2, arbitrary: decimalOf(100_000, 24) },
  ),
  bought_unknown: fc.constantFrom(0, 0, 0, 1),
});
type Holding = typeof holding extends fc.Arbitrary<infer T> ? T : never;

/** Where a page begins and ends: at the key of a holding, or at a key that none has. */
const place = fc.option(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ at: fc.nat(VARIANTS) }) },
    { weight: 1, arbitrary: fc.record({ amount: decimalOf(50, 20), variant: fc.nat(VARIANTS - 1) }) },
  ),
  { freq: 2 },
);
const pages = fc.array(
  fc.oneof(
    fc.record({ position: fc.nat(VARIANTS), size: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ after: place, before: place, size: fc.integer({ min: 1, max: 12 }), fromEnd: fc.boolean() }),
  ),
  { minLength: 2, maxLength: 4 },
);
type Asked = (typeof pages extends fc.Arbitrary<infer T> ? T : never)[number];
type Place = Extract<Asked, { after: unknown }>['after'];

describeOnOwnDatabases('the orders that are made in memory', (database, kind) => {
  let variants: string[];
  const contexts: Context[] = [];

  beforeAll(async () => {
    variants = await smallCatalogue(database(), VARIANTS);
    // Rates have 20 decimals, and prices in other currencies are converted by them.
    for (const currency of ['USD', 'JPY'])
      contexts.push(await newAccount(database(), { currency, maxCollections: 1000 }));
  });

  async function setMarket(seed: number): Promise<void> {
    const [prices] = fc.sample(fc.array(price, { minLength: VARIANTS, maxLength: VARIANTS }), {
      numRuns: 1,
      seed,
    });
    const known = Object.fromEntries(variants.map((id, i) => [id, prices![i]!.amount]));
    await commitPrices(database(), '2026-05-01', known);
    const others = variants.filter((_, i) => prices![i]!.currency === 'NZD');
    await database().query(
      `update price set currency = 'NZD' where variant_id in (select jsonb_array_elements_text($1::jsonb))`,
      [JSON.stringify(others)],
    );
    marketChanged(database());
    await untilHeld(contexts[0]!);
  }

  async function newHoldings(ctx: Context, holdings: Holding[]): Promise<string> {
    const { id } = await createCollection(ctx, { name: 'Ordered' });
    await database().query(
      `insert into holding (account_id, collection_id, variant_id, transaction_count, bought, bought_unknown, cost, sold, proceeds)
       select $1, $2, variant_id, 1, bought, bought_unknown, cost, sold, 1
       from jsonb_to_recordset($3::jsonb) as h(variant_id text, bought bigint, bought_unknown bigint, sold bigint, cost numeric)`,
      [
        ctx.caller.accountId,
        id,
        JSON.stringify(holdings.map((one, i) => ({ ...one, variant_id: variants[i] }))),
      ],
    );
    return id;
  }

  /** One holding less, as a deletion of its last transaction leaves it. */
  async function removeHolding(ctx: Context, id: string, variantId: string): Promise<void> {
    const params = [ctx.caller.accountId, id];
    await database().query(
      'delete from holding where account_id = $1 and collection_id = $2 and variant_id = $3',
      [...params, variantId],
    );
    await database().query(
      'update collection set revision = revision + 1 where account_id = $1 and id = $2',
      params,
    );
  }

  const listed = async (ctx: Context, id: string, order: SummaryOrder, request: PageRequest) =>
    (await listSummaries(ctx, [id], null, order, request))[0]!;

  /** By statement, as everything within a transaction is. */
  const byStatement = (ctx: Context, id: string, order: SummaryOrder, request: PageRequest) =>
    ctx.db.transaction((tx) => listed({ ...ctx, db: tx }, id, order, request));

  /** The page in memory, which is to be the statement's. */
  async function samePage(ctx: Context, id: string, order: SummaryOrder, request: PageRequest) {
    const { result: held, statements } = await statementsOf(() => listed(ctx, id, order, request));
    expect(statements.map(({ text }) => text).join()).not.toMatch(/order by (?!converted\.)/i);
    const found = await byStatement(ctx, id, order, request);
    expect(plain(held)).toEqual(plain(found));
    if (request.kind === 'key')
      for (const [i, key] of keysOf(held).entries())
        expect(sameKey(key, found.keyOf(i)), `${key} ${found.keyOf(i)}`).toBe(true);
    return { held, found };
  }

  function requestOf(asked: Asked, order: SummaryOrder, keys: readonly KeyCursor[]): PageRequest {
    if ('position' in asked) return { kind: 'position', ...asked };
    const cursor = (at: Place) => {
      const key = at && keyAt(at, order, keys);
      return key ? encodeCursor(order, key) : null;
    };
    const size = asked.fromEnd ? { last: asked.size } : { first: asked.size };
    // As a client sends it, since not every text is taken.
    return pageByKey({ ...size, after: cursor(asked.after), before: cursor(asked.before) }, order);
  }

  function keyAt(at: NonNullable<Place>, order: SummaryOrder, keys: readonly KeyCursor[]): KeyCursor | null {
    if ('at' in at) return keys[at.at % keys.length] ?? null;
    return order.inMemory === 'Alphabetical' || order.inMemory === 'CardNumber'
      ? null
      : [at.amount, variants[at.variant]!];
  }

  it('and every page of them are those of the statements', async () => {
    for (let market = 0; market < MARKETS; market++) {
      await setMarket(SEED + market);
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...contexts),
          fc.array(holding, { minLength: 1, maxLength: VARIANTS }),
          fc.constantFrom<SummarySort>(...ORDER_NAMES),
          fc.boolean(),
          pages,
          fc.boolean(),
          fc.nat(),
          async (ctx, holdings, sort, reverse, asked, fromMemory, gone) => {
            const id = await newHoldings(ctx, holdings);
            const order = summaryOrder(sort, reverse);
            const all = await samePage(ctx, id, order, pageByKey({ first: 200 }, order));
            const keys = keysOf(fromMemory ? all.held : all.found);
            for (const one of asked) await samePage(ctx, id, order, requestOf(one, order, keys));

            await removeHolding(ctx, id, all.held.items[gone % all.held.items.length]!.variantId);
            for (const one of asked) await samePage(ctx, id, order, requestOf(one, order, keys));
          },
        ),
        { numRuns: fuzzRuns(RUNS, kind), seed: SEED },
      );
    }
  });

  it('value a holding as PostgreSQL does', async () => {
    const gain = '(case when "unknownCost" = 0 then price * greatest(quantity, 0) - invested end)';
    const rows = fc.sample(
      fc.record({
        price: fc.option(decimalOf(1_000_000, 24), { freq: 8 }),
        quantity: fc.integer({ min: -3, max: 10 ** 9 }),
        invested: fc.oneof(fc.constant('0'), decimalOf(1_000_000, 30)),
        unknownCost: fc.constantFrom(0, 0, 2),
      }),
      { numRuns: fuzzRuns(500, kind), seed: SEED },
    );
    const found = await database().query<{
      value: string | null;
      gain: string | null;
      percentage: string | null;
    }>(
      `select price * greatest(quantity, 0) as value, ${gain} as gain, percentage_gain(${gain}, invested) as percentage
       from rows from (jsonb_to_recordset($1::jsonb) as (price numeric, quantity bigint, invested numeric, "unknownCost" bigint)) with ordinality
       order by ordinality`,
      [JSON.stringify(rows)],
    );
    for (const [i, row] of rows.entries()) {
      const { value, gain, percentage } = found[i]!;
      expect(same(marketValueOf(row), value), `${JSON.stringify(row)} ${value}`).toBe(true);
      expect(same(gainOf(row), gain), `${JSON.stringify(row)} ${gain}`).toBe(true);
      expect(same(percentageGainOf(row), percentage), `${JSON.stringify(row)} ${percentage}`).toBe(true);
    }
  });
});

function same(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : isEqual(a, b);
}

function plain({ items, hasNextPage, hasPreviousPage }: Page<TransactionSummary>) {
  return {
    hasNextPage,
    hasPreviousPage,
    items: items.map(
      ({ variantId, quantity, invested, profit, gain, marketValue, percentageGain, warning }) => ({
        variantId,
        quantity,
        invested,
        profit,
        gain,
        marketValue,
        percentageGain,
        warning,
      }),
    ),
  };
}

/** Amounts may be written differently, such as 6 and 6.00. */
function sameKey(a: KeyCursor, b: KeyCursor): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i] || areSameNumbers(part, b[i]!));
}

function areSameNumbers(a: string, b: string): boolean {
  return /^-?\d/.test(a) && /^-?\d/.test(b) && new Decimal(a).equals(new Decimal(b));
}
