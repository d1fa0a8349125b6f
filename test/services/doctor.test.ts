import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { STORED_EVS } from '../../src/db/queries/stored-evs.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { type Kind, newAccount, ownDatabase, pricedVariants } from '../harness.ts';
import { importPrices } from '../support/import-prices.ts';
import { untilOneWaits } from '../support/lock-waits.ts';

for (const kind of ['pglite', 'postgres'] as const satisfies Kind[]) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`the doctor (${kind})`, () => {
    let db: OpenDatabase;

    beforeAll(async () => {
      db = await ownDatabase(kind);
    });
    afterAll(() => db.close());

    async function healthyCollection() {
      const ctx = await newAccount(db);
      const [a, b] = (await pricedVariants(db, 2)) as [string, string];
      const { id } = await createCollection(ctx, { name: 'Patient' });
      const entry = (variantId: string, currency: 'USD' | 'EUR') => ({
        variantId,
        occurredDate: '2026-04-13',
        action: 'Purchase' as const,
        quantity: 3,
        unitAmount: { currency, value: 1.5 },
      });
      await createTransactions(ctx, id, [entry(a, 'USD'), entry(b, 'EUR')]);
      return { ctx, id, a, b };
    }

    it('finds nothing in a healthy database', async () => {
      await healthyCollection();
      expect(await diagnose(db, { fix: false })).toEqual({ differences: [], fixed: false });
    });

    it.skipIf(kind === 'pglite')('takes its turn with imports, and no expected value for wrong', async () => {
      const [row] = (await db.query<{ id: string }>(
        `select v.id from product_ev e join variant v on v.product_id = e.product_id and v.position = 0 limit 1`,
      )) as [{ id: string }];
      const rows = [{ variantId: row.id, currency: 'USD', amount: '123' }];
      let importing: Promise<unknown> | undefined;
      /** An import begins behind the first of its statements on expected values. */
      const paused = (tx: Database): Database => ({
        ...tx,
        query: async (text, params) => {
          const found = await tx.query(text, params);
          if (text === STORED_EVS && !importing) {
            importing = importPrices(
              db,
              rows,
              '2026-04-13',
              { version: 'doctor', isSample: true },
              noProgress,
            );
            await Promise.race([importing, untilOneWaits(db)]);
          }
          return found as never;
        },
      });
      const slow = { ...db, transaction: (work) => db.transaction((tx) => work(paused(tx))) } as typeof db;
      const { differences } = await diagnose(slow, { fix: false });
      await importing;
      expect(differences).toEqual([]);
      expect(await diagnose(db, { fix: false })).toEqual({ differences: [], fixed: false });
    });

    const faults: [name: string, statement: string, kind: string, field: string][] = [
      [
        'a holding whose cost is off by the smallest amount',
        `update holding set cost = cost + 0.0000000000000000000001 where collection_id = $1 and variant_id = $2`,
        'holding',
        'cost',
      ],
      [
        'a holding that is missing',
        `delete from holding where collection_id = $1 and variant_id = $2`,
        'holding',
        'bought',
      ],
      [
        'a market value that is off',
        `update collection set market_value = market_value + 1 where id = $1 and $2 <> ''`,
        'collection',
        'market_value',
      ],
      [
        'a total that is off',
        `update collection set profit = profit + 1 where id = $1 and $2 <> ''`,
        'collection',
        'profit',
      ],
      [
        'a wrong rate',
        `update transaction set rate = rate * 2 where collection_id = $1 and variant_id <> $2`,
        'rate',
        'rate',
      ],
      [
        "another currency than the account's",
        `update collection set currency = 'EUR' where id = $1 and $2 <> ''`,
        'collection',
        'currency',
      ],
      [
        "another cost basis than the account's",
        `update collection set cost_basis = 'Fifo' where id = $1 and $2 <> ''`,
        'collection',
        'cost_basis',
      ],
      [
        'a wrong count of collections',
        `update account set collection_count = 7 where account_id = (select account_id from collection where id = $1 and $2 <> '')`,
        'account',
        'collection_count',
      ],
      [
        'a wrong expected value',
        `update product_ev set estimated_value = estimated_value + 1 where set_type = 'Wtr1stEdition' and product_type = 'Box' and $1 <> $2`,
        'expected value',
        'estimated_value',
      ],
    ];

    it.each(faults)('reports and repairs %s', async (_name, statement, faultKind, field) => {
      const { ctx, id, a } = await healthyCollection();
      const before = await getCollection(ctx, id);
      await db.query(statement, [id, a]);
      const found = await diagnose(db, { fix: false });
      expect(
        found.differences.some((difference) => difference.kind === faultKind && difference.field === field),
      ).toBe(true);
      expect(found.fixed).toBe(false);
      expect((await diagnose(db, { fix: true })).fixed).toBe(true);
      expect(await diagnose(db, { fix: false })).toEqual({ differences: [], fixed: false });
      const { revision: _, ...figures } = before;
      expect(await getCollection(ctx, id)).toMatchObject(figures);
    });

    it('says what is stored, what is expected, and whose it is', async () => {
      const { ctx, id } = await healthyCollection();
      await db.query('update collection set quantity = 8 where id = $1', [id]);
      const { differences } = await diagnose(db, { fix: true });
      expect(differences).toEqual([
        {
          kind: 'collection',
          accountId: ctx.caller.accountId,
          id,
          field: 'quantity',
          stored: '8',
          expected: '6',
        },
      ]);
    });
  });
}
