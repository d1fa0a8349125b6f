import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { minorUnitDigits } from '../../src/domain/currencies.ts';
import type { Money } from '../../src/domain/money.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { listSummaries, summaryOrder } from '../../src/services/summaries/list.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { deleteTransaction } from '../../src/services/transactions/delete.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { type Kind, newAccount, ownDatabase } from '../harness.ts';
import {
  decimal,
  type NaiveEntry,
  type NaiveMarket,
  naiveSummaries,
  plus,
  type Ratio,
  rateOf,
  ratio,
  textOf,
  times,
} from '../support/naive-ledger.ts';

const RUNS = 2000;
const CURRENCIES = ['USD', 'EUR', 'JPY', 'NZD'] as const;
const DAYS = ['1970-01-01', '2019-10-11', '2024-02-29', '2026-04-10', '2026-04-13', '2026-04-14'];

const amount = fc
  .tuple(fc.integer({ min: 0, max: 2_000_000 }), fc.integer({ min: 0, max: 4 }))
  .map(([n, decimals]) => n / 10 ** decimals);
const entry = fc.record({
  variant: fc.nat(3),
  occurred: fc.constantFrom(...DAYS),
  action: fc.constantFrom('Purchase' as const, 'Sale' as const),
  quantity: fc.integer({ min: 1, max: 9 }),
  value: amount,
  currency: fc.constantFrom(...CURRENCIES),
});
const changes = fc.record(
  {
    occurredDate: fc.constantFrom(...DAYS),
    action: fc.constantFrom('Purchase' as const, 'Sale' as const),
    quantity: fc.integer({ min: 1, max: 9 }),
    unitAmount: fc.record({ currency: fc.constantFrom(...CURRENCIES), value: amount }),
  },
  { requiredKeys: [] },
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ create: entry }) },
  { weight: 2, arbitrary: fc.record({ edit: changes, which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ bulk: fc.array(entry, { minLength: 1, maxLength: 5 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

for (const kind of ['pglite', 'postgres'] as const satisfies Kind[]) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`the ledger's sums (${kind})`, () => {
    let db: OpenDatabase;
    let market: NaiveMarket;
    let variants: string[];
    const contexts = new Map<string, Context>();

    beforeAll(async () => {
      db = await ownDatabase(kind);
      await db.query(`insert into fx_rate (currency, day, per_euro) values
        ('USD', '2019-10-11', 1.1043), ('USD', '2024-02-28', 1.0808), ('JPY', '2020-01-02', 121.75), ('NZD', '2026-04-10', 1.97)`);
      const unpriced = await db.query<{ id: string }>(
        'select variant_id as id from price where amount is null limit 1',
      );
      const priced = await db.query<{ id: string; amount: string }>(
        'select variant_id as id, amount from price where amount is not null order by variant_id limit 3',
      );
      variants = [...priced, ...unpriced].map(({ id }) => id);
      market = {
        prices: new Map(priced.map(({ id, amount }) => [id, amount])),
        rates: await db.query(`select currency, day::text as day, per_euro as "perEuro" from fx_rate`),
      };
      for (const currency of ['USD', 'JPY', 'EUR']) {
        contexts.set(currency, await newAccount(db, { currency, maxCollections: 10_000 }));
      }
    }, 120_000);

    afterAll(() => db.close());

    const inputOf = ({
      variant,
      occurred,
      action,
      quantity,
      value,
      currency,
    }: NonNullable<Extract<Step, { create: unknown }>['create']>) => ({
      variantId: variants[variant]!,
      occurredDate: occurred,
      action,
      quantity,
      unitAmount: { currency, value },
    });
    const naiveOf = (input: ReturnType<typeof inputOf>): NaiveEntry => ({
      variantId: input.variantId,
      occurred: input.occurredDate,
      action: input.action,
      quantity: input.quantity,
      ...input.unitAmount,
    });

    async function apply(
      ctx: Context,
      collectionId: string,
      ledger: Map<string, NaiveEntry>,
      step: Step,
    ): Promise<void> {
      const ids = [...ledger.keys()];
      if ('create' in step) {
        const input = inputOf(step.create);
        ledger.set((await createTransaction(ctx, collectionId, input)).id, naiveOf(input));
      } else if ('bulk' in step) {
        const inputs = step.bulk.map(inputOf);
        const created = await createTransactions(ctx, collectionId, inputs);
        for (const [i, { id }] of created.entries()) ledger.set(id, naiveOf(inputs[i]!));
      } else if ('edit' in step && ids.length > 0) {
        const id = ids[step.which % ids.length]!;
        await updateTransaction(ctx, id, step.edit);
        const { occurredDate, unitAmount, ...same } = step.edit;
        ledger.set(id, {
          ...ledger.get(id)!,
          ...same,
          ...unitAmount,
          ...(occurredDate && { occurred: occurredDate }),
        });
      } else if ('remove' in step && ids.length > 0) {
        const id = ids[step.remove % ids.length]!;
        await deleteTransaction(ctx, id);
        ledger.delete(id);
      }
    }

    /** To the last digit, as fractions in lowest terms of a decimal. */
    async function storedSums(ctx: Context, collectionId: string) {
      const rows = await db.query<Record<'variantId' | 'bought' | 'cost' | 'sold' | 'proceeds', string>>(
        `select variant_id as "variantId", bought::text, cost::text, sold::text, proceeds::text from holding
         where account_id = $1 and collection_id = $2 and transaction_count > 0`,
        [ctx.caller.accountId, collectionId],
      );
      return Object.fromEntries(
        rows.map(({ variantId, ...sums }) => [
          variantId,
          Object.values(sums).map((sum) => exactText(decimal(sum))),
        ]),
      );
    }

    function naiveSums(entries: NaiveEntry[], currency: string) {
      const sums: Record<string, string[]> = {};
      for (const variantId of new Set(entries.map((entry) => entry.variantId))) {
        const own = entries.filter((entry) => entry.variantId === variantId);
        const sumOf = (action: NaiveEntry['action'], of: (entry: NaiveEntry) => Ratio) =>
          exactText(
            own
              .filter((entry) => entry.action === action)
              .map(of)
              .reduce(plus, ratio(0)),
          );
        const amountOf = (entry: NaiveEntry) =>
          times(
            times(ratio(entry.quantity), decimal(entry.value.toFixed(4))),
            rateOf(market, entry.currency, currency, entry.occurred),
          );
        const cards = (entry: NaiveEntry) => ratio(entry.quantity);
        sums[variantId] = [
          sumOf('Purchase', cards),
          sumOf('Purchase', amountOf),
          sumOf('Sale', cards),
          sumOf('Sale', amountOf),
        ];
      }
      return sums;
    }

    async function check(
      ctx: Context,
      collectionId: string,
      currency: 'USD' | 'JPY' | 'EUR',
      ledger: Map<string, NaiveEntry>,
    ): Promise<void> {
      const digits = minorUnitDigits(currency);
      const text = (money: Money | null) => money && decimalText(money.amount);
      const display = (value: Ratio) => decimalText(textOf(value, digits));
      const expected = naiveSummaries([...ledger.values()], currency, market);
      expect(await storedSums(ctx, collectionId)).toEqual(naiveSums([...ledger.values()], currency));
      const request = { kind: 'position', position: 0, size: 50 } as const;
      const [page] = await listSummaries(ctx, [collectionId], null, summaryOrder('Alphabetical'), request);
      const found = page!.items.map((summary) => [
        summary.variantId,
        summary.quantity,
        ...[summary.cashPosition, summary.invested, summary.profit, summary.marketValue, summary.gain].map(
          text,
        ),
      ]);
      const wanted = [...expected].map(([variantId, naive]) => [
        variantId,
        naive.quantity,
        ...[naive.cashPosition, naive.invested, naive.profit, naive.marketValue].map(display),
        naive.gain && display(naive.gain),
      ]);
      expect(found.sort()).toEqual(wanted.sort());

      const total = (of: (naive: typeof expected extends Map<string, infer S> ? S : never) => Ratio | null) =>
        display([...expected.values()].reduce((sum, naive) => plus(sum, of(naive) ?? ratio(0)), ratio(0)));
      const collection = await getCollection(ctx, collectionId);
      const orNull = (value: string) => (ledger.size === 0 ? null : value);
      expect({
        quantity: collection.quantity,
        cashPosition: text(collection.cashPosition),
        invested: text(collection.invested),
        profit: text(collection.profit),
        gain: text(collection.gain),
        marketValue: text(collection.marketValue),
      }).toEqual({
        quantity: [...expected.values()].reduce((sum, { quantity }) => sum + quantity, 0),
        cashPosition: orNull(total((naive) => naive.cashPosition)),
        invested: orNull(total((naive) => naive.invested)),
        profit: orNull(total((naive) => naive.profit)),
        gain: orNull(total((naive) => naive.gain)),
        marketValue: total((naive) => naive.marketValue),
      });
    }

    it(`equal a naive recomputation after every step, in ${RUNS} random histories`, async () => {
      const currencies = ['USD', 'JPY', 'EUR'] as const;
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...currencies),
          fc.array(step, { minLength: 1, maxLength: 5 }),
          async (currency, steps) => {
            const ctx = contexts.get(currency)!;
            const { id } = await createCollection(ctx, { name: 'Property' });
            const ledger = new Map<string, NaiveEntry>();
            for (const one of steps) {
              await apply(ctx, id, ledger, one);
              await check(ctx, id, currency, ledger);
            }
            for (const transactionId of [...ledger.keys()]) await deleteTransaction(ctx, transactionId);
            await check(ctx, id, currency, new Map());
          },
        ),
        { numRuns: RUNS, seed: 20260413 },
      );
      const left = await db.query('select variant_id from holding limit 1');
      expect(left, 'no holding is left where no transaction is').toEqual([]);
    }, 300_000);
  });
}

/** A fraction in lowest terms. */
function exactText({ n, d }: Ratio): string {
  let [a, b] = [n < 0n ? -n : n, d];
  while (b !== 0n) [a, b] = [b, a % b];
  return `${n / a}/${d / a}`;
}

/** The same number in one spelling: no negative zero. */
function decimalText(text: string): string {
  const { n, d } = decimal(text);
  return n === 0n ? '0' : `${n}/${d}`;
}
