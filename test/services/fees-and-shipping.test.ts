import { beforeAll, describe, expect, it } from 'vitest';
import { COST_BASES } from '../../src/domain/cost-basis.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { updatePreferences } from '../../src/services/accounts/update-preferences.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import { getSales } from '../../src/services/collections/sales.ts';
import { getSalesCsv } from '../../src/services/collections/sales-csv.ts';
import type { Context } from '../../src/services/context.ts';
import { diagnose } from '../../src/services/doctor.ts';
import { listSummaries, summaryOrder } from '../../src/services/summaries/list.ts';
import { getLots } from '../../src/services/summaries/lots.ts';
import { createTransaction, createTransactions } from '../../src/services/transactions/create.ts';
import { exportTransactions } from '../../src/services/transactions/export.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import { updateTransaction } from '../../src/services/transactions/update.ts';
import { describeOnOwnDatabases, newAccount, pricedVariants } from '../harness.ts';

const FIRST = { kind: 'key', after: null, before: null, size: 50, fromEnd: false } as const;
const usd = (value: number) => ({ currency: 'USD', value });
const eur = (value: number) => ({ currency: 'EUR', value });

describeOnOwnDatabases('fees and shipping', (database) => {
  let variantId: string;

  beforeAll(async () => {
    [variantId] = (await pricedVariants(database(), 1)) as [string];
  });

  const entry = (changes: object = {}) => ({
    variantId,
    occurredDate: '2026-01-10',
    action: 'Purchase',
    quantity: 3,
    unitAmount: usd(10),
    ...changes,
  });

  async function newCollection(of?: Context) {
    const ctx = of ?? (await newAccount(database()));
    const { id } = await createCollection(ctx, { name: 'Charged' });
    return { ctx, id };
  }

  async function amountsOf(ctx: Context, id: string) {
    const { invested, profit, cashPosition } = await getCollection(ctx, id);
    return [invested, profit, cashPosition].map((money) => money?.amount);
  }

  it('are given back as they were given, and null where there are none', async () => {
    const { ctx, id } = await newCollection();
    expect(await createTransaction(ctx, id, entry())).toMatchObject({ fees: null, shipping: null });
    const charged = entry({ fees: usd(0.5), shipping: usd(4.9999) });
    expect(await createTransaction(ctx, id, charged)).toMatchObject({
      fees: { currency: 'USD', amount: '0.50' },
      shipping: { currency: 'USD', amount: '4.9999' },
    });
  });

  it.each(COST_BASES)('%s: are part of the cost, and taken from the proceeds', async (costBasis) => {
    const { ctx, id } = await newCollection();
    await updatePreferences(ctx, { costBasis });
    await createTransactions(ctx, id, [
      entry({ fees: usd(0.5), shipping: usd(4.5) }),
      entry({ occurredDate: '2026-02-10', action: 'Sale', quantity: 1, unitAmount: usd(20), fees: usd(2) }),
    ]);
    expect(await amountsOf(ctx, id)).toEqual(['23.33', '6.33', '-17.00']);
    const { items } = await getSales(ctx, id, 2026, costBasis, FIRST);
    const [sale] = items;
    expect([sale!.proceeds.amount, sale!.cost.amount, sale!.gain.amount]).toEqual(['18.00', '11.67', '6.33']);
    const [page] = await listSummaries(ctx, [id], null, summaryOrder('Alphabetical'), {
      kind: 'position',
      position: 0,
      size: 1,
    });
    const [lots] = await getLots(ctx, [page!.items[0]!.id], FIRST);
    expect(lots!.items.map(({ unitCost }) => unitCost!.amount)).toEqual(['11.67']);
  });

  it('are divided among the cards of a sale, whose rows add up to it', async () => {
    const { ctx, id } = await newCollection();
    await createTransactions(ctx, id, [
      entry({ quantity: 1 }),
      entry({ quantity: 1, unitAmount: usd(11), shipping: usd(1) }),
      entry({ occurredDate: '2026-02-10', action: 'Sale', quantity: 4, unitAmount: usd(20), fees: usd(4) }),
    ]);
    const { csv } = await getSalesCsv(ctx, id, 2026, 'Fifo', null);
    const columns = csv.split('\r\n')[0]!.split(',');
    const rows = csv
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','));
    const column = (name: string) => rows.map((row) => row.at(columns.indexOf(name) - columns.length));
    expect(column('quantity')).toHaveLength(3);
    expect(column('proceeds')).toEqual(['19.00', '19.00', '38.00']);
    expect(column('cost')).toEqual(['10.00', '12.00', '0.00']);
  });

  it('may be more than a sale brought', async () => {
    const { ctx, id } = await newCollection();
    await createTransactions(ctx, id, [
      entry(),
      entry({ action: 'Sale', quantity: 1, unitAmount: usd(1), shipping: usd(5) }),
    ]);
    expect(await amountsOf(ctx, id)).toEqual(['20.00', '-14.00', '-34.00']);
  });

  it('are from 0 to a billion, with at most four decimals', async () => {
    const { ctx, id } = await newCollection();
    const most = LIMITS.unitAmount;
    for (const value of [0, 0.0001, most]) await createTransaction(ctx, id, entry({ fees: usd(value) }));
    for (const [name, value] of [
      ['fees', -0.0001],
      ['fees', most + 0.0001],
      ['shipping', 0.00001],
    ] as const)
      await expect(createTransaction(ctx, id, entry({ [name]: usd(value) }))).rejects.toThrow(
        `${name}.value`,
      );
    await expect(
      createTransaction(ctx, id, entry({ fees: { currency: 'USD', decimal: '0.00001' } })),
    ).rejects.toThrow('at most 4 decimals');
  });

  it('are in the currency of the amount', async () => {
    const { ctx, id } = await newCollection();
    await expect(createTransaction(ctx, id, entry({ fees: eur(1), shipping: eur(1) }))).rejects.toMatchObject(
      {
        problem: 'ValidationFailed',
        details: {
          breaches: [
            { path: ['fees', 'currency'], detail: 'must be USD, as that of unitAmount' },
            { path: ['shipping', 'currency'], detail: 'must be USD, as that of unitAmount' },
          ],
        },
      },
    );
    const { id: made } = await createTransaction(ctx, id, entry({ fees: usd(1) }));
    for (const [changes, path, detail] of [
      [
        { shipping: eur(1) },
        ['shipping', 'currency'],
        "must be USD, as that of the transaction's unitAmount",
      ],
      [{ unitAmount: eur(1) }, ['fees'], 'is required: the transaction has fees in USD'],
      [{ fees: usd(1), shipping: eur(1) }, ['shipping', 'currency'], 'must be USD, as that of fees'],
    ] as const)
      await expect(updateTransaction(ctx, made, changes)).rejects.toMatchObject({
        problem: 'ValidationFailed',
        details: { breaches: [{ path, detail: expect.stringContaining(detail) }] },
      });
    expect(await amountsOf(ctx, id)).toEqual(['31.00', '0.00', '-31.00']);
    const changed = await updateTransaction(ctx, made, { unitAmount: eur(1), fees: eur(2) });
    expect(changed).toMatchObject({ fees: { currency: 'EUR', amount: '2.00' }, shipping: null });
  });

  it('stay with null, are changed, and go with 0', async () => {
    const { ctx, id } = await newCollection();
    const { id: made } = await createTransaction(ctx, id, entry({ fees: usd(1), shipping: usd(2) }));
    const kept = await updateTransaction(ctx, made, { quantity: 1, fees: null });
    expect(kept).toMatchObject({ fees: { amount: '1.00' }, shipping: { amount: '2.00' } });
    expect(await amountsOf(ctx, id)).toEqual(['13.00', '0.00', '-13.00']);
    const gone = await updateTransaction(ctx, made, { fees: usd(0), shipping: usd(0.5) });
    expect(gone).toMatchObject({ fees: null, shipping: { amount: '0.50' } });
    expect(await amountsOf(ctx, id)).toEqual(['10.50', '0.00', '-10.50']);
  });

  it('are counted at the rate of the day, in whichever currency is preferred', async () => {
    const { ctx, id } = await newCollection();
    const charged = { fees: eur(1), shipping: eur(0.5) };
    await createTransaction(ctx, id, entry({ quantity: 1, unitAmount: eur(8.5), ...charged }));
    await updatePreferences(ctx, { preferredCurrency: 'EUR' });
    expect(await amountsOf(ctx, id)).toEqual(['10.00', '0.00', '-10.00']);
  });

  describe('in files', () => {
    const HEADER = 'occurredDate,action,quantity,unitAmount,currency,variantId,fees,shipping';
    const importRow = async (row: string, options: object = {}) => {
      const { ctx, id } = await newCollection();
      const report = await importTransactions(ctx, id, { csv: `${HEADER}\n${row}`, ...options });
      return { ctx, id, report };
    };
    const text = async (ctx: Context, id: string) => {
      let file = '';
      for await (const part of exportTransactions(ctx, id)) file += part;
      return file.replace(/txn_\w+/g, 'txn');
    };

    it('come out as they went in', async () => {
      const { ctx, id } = await newCollection();
      await createTransactions(ctx, id, [
        entry(),
        entry({ fees: usd(0.5) }),
        entry({ unitAmount: eur(1), fees: eur(0.3333), shipping: eur(4) }),
      ]);
      const file = await text(ctx, id);
      expect(file).toMatch(/,0\.50,,.*\r\n.*,0\.3333,4\.00,/);
      const { id: copy } = await newCollection(ctx);
      expect(await importTransactions(ctx, copy, { csv: file })).toMatchObject({ written: true });
      expect(await text(ctx, copy)).toBe(file);
      expect(await amountsOf(ctx, copy)).toEqual(await amountsOf(ctx, id));
    });

    it('are refused where they cannot be read, by their column', async () => {
      const { report } = await importRow(`2026-01-31,Purchase,1,1.50,USD,${variantId},a lot,-1`);
      expect(report).toMatchObject({ written: false, errorCount: 2 });
      expect(report.errors.map(({ column }) => column)).toEqual(['fees', 'shipping']);
      const { report: other } = await importRow(`2026-01-31,Purchase,1,1.50,XYZ,${variantId},1,1`);
      expect(other.errors.map(({ column }) => column)).toEqual(['currency']);
    });

    it('are read as spreadsheets write them, and by columns of any name', async () => {
      const row = `2026-01-31;Purchase;1;1,50;USD;${variantId};1,25;`;
      const { ctx, id } = await newCollection();
      const csv = `${HEADER.replaceAll(',', ';')}\n${row}`;
      expect(await importTransactions(ctx, id, { csv })).toMatchObject({ written: true });
      const columns = { quantity: 'n', variantId: 'v', unitAmount: 'p', fees: 'f', shipping: 's' };
      const named = { csv: `n,v,p,f,s\n1,${variantId},1,0.25,2`, columns, currency: 'USD' };
      const given = { ...named, occurredDate: '2026-01-31' };
      expect(await importTransactions(ctx, id, given)).toMatchObject({ written: true });
      expect(await amountsOf(ctx, id)).toEqual(['6.00', '0.00', '-6.00']);
    });

    it('make no difference to what is a duplicate', async () => {
      const { ctx, id } = await importRow(`2026-01-31,Purchase,1,1.50,USD,${variantId},1,`);
      const rows = ['', '2'].map((fees) => `2026-01-31,Purchase,1,1.50,USD,${variantId},${fees},`);
      const csv = [HEADER, ...rows].join('\n');
      const report = await importTransactions(ctx, id, { csv, dryRun: true });
      expect(report.duplicates).toMatchObject([
        { line: 2, sameAsLine: null },
        { line: 3, sameAsLine: 2 },
      ]);
    });
  });

  it('are repaired by the doctor where a node of the version before has taken away a transaction that had some', async () => {
    const { ctx, id } = await newCollection();
    const [gone] = await createTransactions(ctx, id, [entry({ fees: usd(1) }), entry({ quantity: 1 })]);
    // As its statement does: with the amount of the cards alone.
    await database().query('delete from transaction where id = $1', [gone!.id]);
    await database().query(
      `update holding set transaction_count = 1, bought = 1, cost = cost - 30 where collection_id = $1`,
      [id],
    );
    const { differences } = await diagnose(database(), { fix: true });
    expect(differences).toContainEqual(
      expect.objectContaining({ kind: 'holding', field: 'cost', stored: '11', expected: '10' }),
    );
    expect(await amountsOf(ctx, id)).toEqual(['10.00', '0.00', '-10.00']);
    expect((await diagnose(database(), { fix: false })).differences).toEqual([]);
  });
});
