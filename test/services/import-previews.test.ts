import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { pageByKey } from '../../src/domain/pagination.ts';
import type { ImportRowState } from '../../src/domain/transaction-file.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { withIdempotencyKey } from '../../src/services/idempotency.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import {
  countImportRows,
  getImportPreviews,
  IMPORT_ROW_ORDER,
  importPreviewed,
  listImportRows,
  previewImport,
  purgeImportPreviews,
  restOfPreview,
} from '../../src/services/transactions/import-preview.ts';
import { describeOnDatabases, newAccount } from '../harness.ts';
import { textOfFixture } from '../importers/support.ts';
import { patiently } from '../support/patiently.ts';
import { contentsOf, fileOf, importingAccount, newBinder, row } from '../support/transaction-csv.ts';

const UNCLEAR = row({ fcId: '', number: 'ARC159', productName: 'Command and Conquer' });
const WRONG = row({ quantity: '0' });
/** Lines 2 to 5. */
const MIXED = fileOf(row({ quantity: 3 }), UNCLEAR, WRONG, row({ fcId: 'MST131' }));

describeOnDatabases('previews of imports', (database) => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await importingAccount(database());
  });

  const rowsOf = async (id: string, state: ImportRowState | null = null) =>
    (await listImportRows(ctx, id, state, pageByKey({ first: 200 }, IMPORT_ROW_ORDER))).items;
  const variantOf = async (id: string, line: number) =>
    (await rowsOf(id)).find((one) => one.line === line)!.candidates[0]!.variantId;

  it('tell each row: what it means, what else it may mean, and why not', async () => {
    const binder = await newBinder(ctx);
    const preview = await previewImport(ctx, binder, { csv: MIXED });
    const counts = { Matched: 2, Unclear: 1, Wrong: 1, Skipped: 0 };
    expect(preview).toMatchObject({
      collectionId: binder,
      format: 'Cardledger',
      rowCount: 4,
      skipped: [],
      counts,
    });
    expect(await rowsOf(preview.id)).toMatchObject([
      { line: 2, state: 'Matched', variantId: expect.stringMatching(/^var_/), problems: [], candidates: [] },
      {
        line: 3,
        state: 'Unclear',
        name: 'Command and Conquer',
        number: 'ARC159',
        variantId: null,
        problems: [{ column: 'number', detail: expect.stringContaining('exactly one variant') }],
        candidates: [{ number: 'ARC159' }, { number: 'ARC159' }, { number: 'ARC159' }],
      },
      { line: 4, state: 'Wrong', problems: [{ column: 'quantity' }], entry: null },
      { line: 5, state: 'Matched', entry: { occurredDate: '2026-01-31', quantity: 1 } },
    ]);
    expect(await countImportRows(ctx, [preview.id])).toEqual([counts]);
    expect((await rowsOf(preview.id, 'Wrong')).map(({ line }) => line)).toEqual([4]);
    expect(await contentsOf(ctx, binder)).toEqual([]);
  });

  it('are imported with choices, all or none, and keep what is left', async () => {
    const binder = await newBinder(ctx);
    const { id } = await previewImport(ctx, binder, { csv: MIXED });
    const refused = await importPreviewed(ctx, id, {});
    expect(refused).toMatchObject({
      written: false,
      transactionCount: 2,
      errorCount: 2,
      errors: [{ line: 3, suggestions: expect.arrayContaining([expect.anything()]) }, { line: 4 }],
    });
    const variantId = await variantOf(id, 3);
    const choices = [{ line: 3, variantId }];
    expect(await importPreviewed(ctx, id, { choices, skipErrors: true, dryRun: true })).toMatchObject({
      written: false,
      transactionCount: 3,
    });
    expect(await contentsOf(ctx, binder)).toEqual([]);
    expect(await importPreviewed(ctx, id, { choices, skipErrors: true })).toMatchObject({
      written: true,
      transactionCount: 3,
      errors: [{ line: 4 }],
      previewId: id,
    });
    expect((await contentsOf(ctx, binder)).map((line) => line.split(',').slice(2, 6).join())).toEqual(
      expect.arrayContaining(['3,1.50,USD,var_atzw90sz174deze4', `1,1.50,USD,${variantId}`]),
    );
    expect(await rowsOf(id)).toMatchObject([{ line: 4, state: 'Wrong' }]);
    // What was imported is not imported again.
    expect(await importPreviewed(ctx, id, { skipErrors: true })).toMatchObject({ transactionCount: 0 });
    expect(await contentsOf(ctx, binder)).toHaveLength(3);
  });

  it('give what is left as a file with the reasons, which can be mended and imported', async () => {
    const binder = await newBinder(ctx);
    const { id } = await previewImport(ctx, binder, { csv: MIXED });
    await importPreviewed(ctx, id, { choices: [{ line: 3, skip: true }], skipErrors: true });
    const { csv, endCursor } = await restOfPreview(ctx, id, null);
    expect(endCursor).toBeNull();
    expect(csv.split('\r\n')).toEqual([
      `${MIXED.split('\n')[0]},whyNotImported`,
      `${UNCLEAR},skipped by choice`,
      `${WRONG},quantity must be a whole number from 1 to 1000000`,
      '',
    ]);
    expect((await rowsOf(id)).map(({ state }) => state)).toEqual(['Skipped', 'Wrong']);
    const mended = csv
      .replace('Purchase,0', 'Purchase,7')
      .replace(',Command and Conquer,', ',Command and Conquer,Unlimited Edition Normal');
    expect(await importTransactions(ctx, binder, { csv: mended })).toMatchObject({
      written: true,
      errors: [],
    });
    expect(await contentsOf(ctx, binder)).toHaveLength(4);
  });

  it('give what an import has left for want of a price or a day, too', async () => {
    const binder = await newBinder(ctx);
    const [priceless, early] = [row({ unitAmount: '' }), row({ unitAmount: '', occurredDate: '1971-01-01' })];
    const left = async (csv: string, decisions: object) => {
      const { id } = await previewImport(ctx, binder, { csv });
      expect((await restOfPreview(ctx, id, null)).csv.split('\r\n')).toHaveLength(2);
      await importPreviewed(ctx, id, { skipErrors: true, ...decisions });
      const { csv: rest } = await restOfPreview(ctx, id, null);
      expect(rest.split('\r\n').slice(1)).toEqual([expect.stringMatching(/,"?unitAmount /), '']);
      return id;
    };
    const id = await left(fileOf(row(), priceless), {});
    await left(fileOf(row(), early), { cost: 'MarketPrice' });
    // It is as it was for who says what it lacks.
    const unitAmount = { currency: 'USD', value: 1 };
    expect(await importPreviewed(ctx, id, { unitAmount })).toMatchObject({ errors: [], transactionCount: 1 });
    const { csv } = await restOfPreview(ctx, id, null);
    expect(csv.split('\r\n')).toHaveLength(2);
  });

  it('take the market price in place of the price that they were given', async () => {
    const given = { unitAmount: { currency: 'USD', value: 1 } };
    const { id } = await previewImport(ctx, await newBinder(ctx), {
      csv: fileOf(row({ unitAmount: '' })),
      ...given,
    });
    const dry = { dryRun: true, cost: 'MarketPrice' };
    expect(await importPreviewed(ctx, id, dry)).toMatchObject({ written: false, format: 'Cardledger' });
    await expect(importPreviewed(ctx, id, { ...dry, ...given })).rejects.toThrow('must be left out');
  });

  it('take fees and shipping in the currency of the price alone', async () => {
    const header =
      'occurredDate,action,quantity,unitAmount,currency,fcId,fees,shipping\n2026-01-31,Purchase,1,,';
    const ofRow = async (currency: string, charges: string) => {
      const { id } = await previewImport(ctx, await newBinder(ctx), {
        csv: `${header}${currency},ARC159-Unlimited,${charges}\n`,
      });
      return importPreviewed(ctx, id, { unitAmount: { currency: 'USD', value: 1 } });
    };
    for (const currency of ['USD', ''])
      expect(await ofRow(currency, '5,2')).toMatchObject({ written: true, errors: [] });
    expect(await ofRow('GBP', ',')).toMatchObject({ written: true });
    const problem = {
      column: 'currency',
      detail: 'of fees and shipping is GBP, and the price is in USD: give both in one currency',
    };
    for (const charges of ['5,', ',2']) {
      expect(await ofRow('GBP', charges)).toMatchObject({ written: false, errors: [problem] });
      expect(await ofRow('XXX', charges)).toMatchObject({ written: false, errors: [{ column: 'currency' }] });
    }
  });

  it('may have texts that are shortened at a character of two halves', async () => {
    const binder = await newBinder(ctx);
    for (const at of [-2, -1, 0].map((before) => LIMITS.searchQueryCharacters + before)) {
      const { id } = await previewImport(ctx, binder, {
        csv: fileOf(row({ fcId: '', productName: `${'x'.repeat(at)}😀` })),
      });
      expect((await rowsOf(id))[0]!.name!.isWellFormed()).toBe(true);
    }
    const printing = row({ fcId: '', number: 'ARC159', variantName: `${'x'.repeat(59)}😀` });
    const { id } = await previewImport(ctx, binder, { csv: fileOf(printing) });
    expect((await rowsOf(id))[0]!.problems[0]!.detail).toContain(`"${'x'.repeat(59)}"`);
  });

  it('give the rest with what it holds, however often it is read again', async () => {
    const ours = 'occurredDate,action,quantity,unitAmount,currency,fcId,notes';
    const theirs = textOfFixture('transactions/archidekt.csv').split(/\r?\n/)[0];
    const files = [
      [`${ours}\n2026-01-31,Purchase,0,1,USD,MST131,'=1+1`, 'notes', '=1+1'],
      [`${ours}\n2026-01-31,Purchase,0,1,USD,MST131,=1+1`, 'notes', '=1+1'],
      [`${ours}\n2026-01-31,Purchase,0,1,USD,MST131,''=1+1`, 'notes', "'=1+1"],
      [
        `${theirs}\n-1,10000 Year Reunion,Normal,NM,2025-03-01,EN,3.5,=1+1,Part the Mistveil,mst,,,131`,
        'tags',
        ['=1+1'],
      ],
      [
        `${theirs}\n-1,10000 Year Reunion,Normal,NM,2025-03-01,EN,3.5,'=1+1,Part the Mistveil,mst,,,131`,
        'tags',
        ["'=1+1"],
      ],
    ] as const;
    const binder = await newBinder(ctx);
    for (const [csv, column, held] of files) {
      const { id } = await previewImport(ctx, binder, { csv, currency: 'USD' });
      const rest = (await restOfPreview(ctx, id, null)).csv;
      const again = await previewImport(ctx, binder, { csv: rest, currency: 'USD' });
      expect((await restOfPreview(ctx, again.id, null)).csv).toBe(rest);
      const mended = rest.replace(/Purchase,0|(?<=\n)-1/, (wrong) =>
        wrong.startsWith('P') ? 'Purchase,1' : '1',
      );
      const { id: mendedId } = await previewImport(ctx, binder, { csv: mended, currency: 'USD' });
      const [mendedRow] = await rowsOf(mendedId);
      expect(mendedRow!.entry?.[column] ?? mendedRow).toEqual(held);
    }
  });

  it('tell a few problems of a row, however many it has', async () => {
    const header = 'occurredDate,action,quantity,unitAmount,currency,fcId,cardCondition,language,tags';
    const tags = Array.from({ length: LIMITS.tags }, (_, i) =>
      `${i}`.padEnd(LIMITS.tagCharacters + 1, 'x'),
    ).join(';');
    const csv = `${header}\n2026-02-31,Purchase,0,1,USD,MST131,x,x,${tags}`;
    const { id } = await previewImport(ctx, await newBinder(ctx), { csv });
    expect((await rowsOf(id))[0]!.problems).toHaveLength(LIMITS.importRowProblems);
  });

  it('give the rest in parts', async () => {
    const many = fileOf(...Array.from({ length: LIMITS.exportPageSize + 1 }, () => WRONG));
    const { id } = await previewImport(ctx, await newBinder(ctx), { csv: many });
    const first = await restOfPreview(ctx, id, null);
    expect(first.csv.split('\r\n')).toHaveLength(1 + LIMITS.exportPageSize + 1);
    const second = await restOfPreview(ctx, id, first.endCursor);
    expect([second.csv.split('\r\n').length, second.endCursor]).toEqual([2, null]);
    await expect(restOfPreview(ctx, id, 'x')).rejects.toMatchObject({ problem: 'ValidationFailed' });
    // Rows that are long are fewer in a part.
    const longRow = row({ quantity: '0', productName: 'x'.repeat(60_000) });
    const long = fileOf(...Array.from({ length: 40 }, () => longRow));
    const { id: longId } = await previewImport(ctx, await newBinder(ctx), { csv: long });
    let parts = 0;
    let cursor: string | null = null;
    do {
      cursor = (await restOfPreview(ctx, longId, cursor)).endCursor;
      parts++;
    } while (cursor !== null);
    expect(parts).toBeGreaterThan(1);
  });

  it('give the rest with a last column of the file that is called why', async () => {
    const [header, ...rows] = fileOf(row(), WRONG).split('\n') as [string, string, string];
    const csv = [`${header},why`, `${rows[0]},bought`, `${rows[1]},"'=found"`].join('\n');
    const { id } = await previewImport(ctx, await newBinder(ctx), { csv });
    const left = async (of: string) => (await restOfPreview(ctx, of, null)).csv.split('\r\n');
    const reason = 'quantity must be a whole number from 1 to 1000000';
    const rest = [`${header},why,whyNotImported`, `${WRONG},'=found,${reason}`, ''];
    expect(await left(id)).toEqual(rest);
    const again = await previewImport(ctx, await newBinder(ctx), { csv: rest.join('\r\n') });
    expect(await left(again.id)).toEqual(rest);
  });

  it('take as many choices as may be made, for as many rows', async () => {
    const binder = await newBinder(ctx);
    const csv = fileOf(...Array.from({ length: LIMITS.importChoices + 1 }, () => row()));
    const { id } = await previewImport(ctx, binder, { csv });
    const choices = Array.from({ length: LIMITS.importChoices }, (_, i) => ({ line: i + 2, skip: true }));
    expect(await importPreviewed(ctx, id, { choices })).toMatchObject({
      written: true,
      transactionCount: 1,
      skipped: [{ reason: 'skipped by choice', count: LIMITS.importChoices }],
    });
    expect(await countImportRows(ctx, [id])).toMatchObject([{ Matched: 0, Skipped: LIMITS.importChoices }]);
  });

  it('give the rest of a list as a list', async () => {
    const csv = '3 Command and Conquer (ARC) 159 *Unlimited Edition Normal*\n1 Nobody knows (XYZ) 1\n';
    const binder = await newBinder(ctx);
    const paid = { occurredDate: '2026-02-01', unitAmount: { currency: 'USD', value: 1 } };
    const { id } = await previewImport(ctx, binder, { csv, ...paid });
    await importPreviewed(ctx, id, { skipErrors: true });
    const rest = await restOfPreview(ctx, id, null);
    expect(rest.csv).toMatch(
      /^# line fits no card: none has the number "XYZ001".*\r\n1 Nobody knows \(XYZ\) 1\r\n$/,
    );
    expect(await importTransactions(ctx, binder, { csv: rest.csv, ...paid })).toMatchObject({
      rowCount: 2,
      errorCount: 1,
    });
  });

  it('need no day and price before they are imported', async () => {
    const binder = await newBinder(ctx);
    const { id } = await previewImport(ctx, binder, { csv: textOfFixture('transactions/fabrary.csv') });
    await expect(importPreviewed(ctx, id, {})).rejects.toMatchObject({
      details: { breaches: [{ path: ['occurredDate'] }, { path: ['unitAmount'] }] },
    });
    const occurredDate = '2026-02-01';
    const unitAmount = { currency: 'EUR', value: 0.5 };
    const flat = { occurredDate, cost: 'Flat' };
    for (const input of [flat, { occurredDate, unitAmount, cost: 'MarketPrice' }])
      await expect(importPreviewed(ctx, id, input)).rejects.toMatchObject({
        details: { breaches: [{ path: ['unitAmount'] }] },
      });
    const dry = await importPreviewed(ctx, id, { ...flat, unitAmount, dryRun: true });
    expect(dry).toMatchObject({ errors: [], transactionCount: 9 });
    expect(await importPreviewed(ctx, id, { occurredDate, unitAmount })).toMatchObject({ written: true });
    expect((await contentsOf(ctx, binder))[0]).toMatch(/^2026-02-01,Purchase,3,0.50,EUR/);
  });

  it('cost what the cards were worth on their day, or are errors where that is not known', async () => {
    const [priced] = await database().query<{
      variantId: string;
      day: string;
      amount: string;
      currency: string;
    }>(
      `select variant_id as "variantId", days[1]::text as day, amounts[1]::text as amount, currencies[1] as currency
       from price_year where amounts[1] is not null order by days[1], variant_id limit 1`,
    );
    const { variantId, day, amount, currency } = priced!;
    const before = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
    const of = (occurredDate: string) => row({ variantId, fcId: '', occurredDate, unitAmount: '' });
    const binder = await newBinder(ctx);
    const { id } = await previewImport(ctx, binder, {
      csv: fileOf(of(day), of(before), row({ unitAmount: '2' })),
    });
    const report = await importPreviewed(ctx, id, { cost: 'MarketPrice', skipErrors: true });
    expect(report).toMatchObject({
      written: true,
      transactionCount: 2,
      errors: [
        { line: 3, column: 'unitAmount', detail: expect.stringContaining('no price of the card is known') },
      ],
    });
    const cells = (await contentsOf(ctx, binder)).map((line) => line.split(','));
    const recorded = cells.find(([date]) => date === day)!;
    expect([Number(recorded[3]), recorded[4]]).toEqual([Number(amount), currency]);
  });

  it.each<[string, object[], object]>([
    [
      'a line twice',
      [
        { line: 2, skip: true },
        { line: 2, skip: true },
      ],
      ['choices', 1, 'line'],
    ],
    ['a line of no row', [{ line: 99, skip: true }], ['choices', 0, 'line']],
    ['a variant, and to skip', [{ line: 2, skip: true, variantId: 'var_1' }], ['choices', 0]],
    ['nothing', [{ line: 2 }], ['choices', 0]],
    ['a line 0', [{ line: 0, skip: true }], ['choices', 0, 'line']],
    [
      'more choices than there may be',
      Array.from({ length: LIMITS.importChoices + 1 }, (_, i) => ({ line: i + 1, skip: true })),
      ['choices'],
    ],
  ])('refuse choices of %s', async (_what, choices, path) => {
    const { id } = await previewImport(ctx, await newBinder(ctx), { csv: MIXED });
    await expect(importPreviewed(ctx, id, { choices })).rejects.toMatchObject({
      problem: 'ValidationFailed',
      details: { breaches: expect.arrayContaining([expect.objectContaining({ path })]) },
    });
  });

  it('refuse a variant that does not exist', async () => {
    const { id } = await previewImport(ctx, await newBinder(ctx), { csv: MIXED });
    for (const variantId of ['var_nothing', 'col_1', '\u0000'])
      await expect(importPreviewed(ctx, id, { choices: [{ line: 3, variantId }] })).rejects.toMatchObject({
        problem: 'NotFound',
      });
  });

  it('are made once for a key, and imported once', async () => {
    const binder = await newBinder(ctx);
    const keyed = () => withIdempotencyKey(ctx, 'preview-1', 'key');
    const { id } = await previewImport(keyed(), binder, { csv: MIXED });
    expect((await previewImport(keyed(), binder, { csv: MIXED })).id).toBe(id);
    await expect(previewImport(keyed(), binder, { csv: fileOf(row()) })).rejects.toMatchObject({
      problem: 'IdempotencyMismatch',
    });
    const once = () => importPreviewed(withIdempotencyKey(ctx, 'import-1', 'key'), id, { skipErrors: true });
    const reports = await Promise.all([once(), once()]);
    expect(reports[0]).toEqual(reports[1]);
    expect(await contentsOf(ctx, binder)).toHaveLength(2);
    for (let i = 0; i < LIMITS.importPreviews; i++) await previewImport(ctx, binder, { csv: fileOf(row()) });
    expect(await getImportPreviews(ctx, [id])).toEqual([null]);
    expect(await once()).toEqual(reports[0]);
    await expect(importPreviewed(ctx, id, {})).rejects.toMatchObject({ problem: 'NotFound' });
  });

  it('are imported again without what was imported', async () => {
    const { id } = await previewImport(ctx, await newBinder(ctx), { csv: MIXED });
    await importPreviewed(ctx, id, { skipErrors: true });
    const twice = await Promise.all([1, 2].map(() => importPreviewed(ctx, id, { skipErrors: true })));
    expect(twice.map(({ transactionCount }) => transactionCount)).toEqual([0, 0]);
  });

  describe('imported at once', () => {
    const many = fileOf(...Array.from({ length: 1200 }, () => row()));

    /** An account of which one collection has a share of 1,001 transactions, and a preview of 1,200 in each of two others. */
    const shared = async (maxTransactions: number) => {
      const own = await newAccount(database(), { maxTransactions });
      const [first, ...others] = [await newBinder(own), await newBinder(own), await newBinder(own)];
      await importTransactions(own, first!, { csv: fileOf(row()) });
      const ids: string[] = [];
      for (const binder of others) ids.push((await previewImport(own, binder, { csv: many })).id);
      return { own, ids: ids as [string, string] };
    };

    it('are recorded once, and wait for none for ever, where shares of the account are used up', async () => {
      const { own, ids } = await shared(3601);
      const asked = [...ids, ...ids, ...ids];
      const reports = await Promise.all(asked.map((id) => patiently(() => importPreviewed(own, id, {}))));
      for (const id of ids) {
        const counts = reports.filter((one) => one.previewId === id).map((one) => one.transactionCount);
        expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, 1200]);
      }
    });

    it('give the first answer for a key, however many come with it', async () => {
      const { own, ids } = await shared(3601);
      const reports = await Promise.all(
        [...ids, ...ids].map((id) =>
          patiently(() => importPreviewed(withIdempotencyKey(own, `k-${id}`, 'key'), id, {})),
        ),
      );
      expect(reports.map(({ transactionCount }) => transactionCount)).toEqual([1200, 1200, 1200, 1200]);
    });

    it('are refused one of them, where the account may have no more', async () => {
      const { own, ids } = await shared(2400);
      const results = await Promise.allSettled(
        ids.map((id) => patiently(() => importPreviewed(own, id, {}))),
      );
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { problem: 'LimitExceeded' },
      });
    });
  });

  it('may have more rows than are read at a time', async () => {
    const binder = await newBinder(ctx);
    for (const count of [LIMITS.bulkTransactions, LIMITS.bulkTransactions + 1]) {
      const csv = fileOf(...Array<string>(count).fill(row()));
      const { id } = await previewImport(ctx, binder, { csv });
      expect(await importPreviewed(ctx, id, {})).toMatchObject({ written: true, transactionCount: count });
    }
    expect((await getCollection(ctx, binder)).transactionCount).toBe(2 * LIMITS.bulkTransactions + 1);
  });

  it('are not recorded twice by two who import at once', async () => {
    const binder = await newBinder(ctx);
    const { id } = await previewImport(ctx, binder, { csv: fileOf(row(), row()) });
    const reports = await Promise.all([1, 2].map(() => importPreviewed(ctx, id, {})));
    expect(reports.map(({ transactionCount }) => transactionCount).sort()).toEqual([0, 2]);
    expect((await getCollection(ctx, binder)).transactionCount).toBe(2);
  });

  describe('are kept', () => {
    it('the newest ten of an account', async () => {
      const own = await newAccount(database());
      const binder = await newBinder(own);
      const ids: string[] = [];
      for (let i = 0; i <= LIMITS.importPreviews; i++)
        ids.push((await previewImport(own, binder, { csv: fileOf(row()) })).id);
      const kept = (await getImportPreviews(own, ids)).map((preview) => preview?.id ?? null);
      expect(kept).toEqual([null, ...ids.slice(1)]);
    });

    it('64 MiB of an account, and the newest whatever it takes', async () => {
      const own = await newAccount(database());
      const binder = await newBinder(own);
      const keep = async () => (await previewImport(own, binder, { csv: fileOf(row()) })).id;
      const [first, second] = [await keep(), await keep()];
      type Kept = { bytes: number };
      const [{ bytes }] = (await database().query<Kept>('select bytes from import_preview where id = $1', [
        second,
      ])) as [Kept];
      const takes = (id: string, size: number) =>
        database().query('update import_preview set bytes = $2 where id = $1', [id, size]);
      const isKept = async (id: string) => (await getImportPreviews(own, [id]))[0] !== null;
      await takes(first, LIMITS.importPreviewsBytes - 2 * bytes);
      const third = await keep();
      expect(await isKept(first)).toBe(true);
      await takes(second, bytes + 1);
      await takes(third, LIMITS.importPreviewsBytes - 2 * bytes);
      const fourth = await keep();
      expect([await isKept(first), await isKept(second)]).toEqual([false, false]);
      expect([await isKept(third), await isKept(fourth)]).toEqual([true, true]);
    });

    it('24 hours', async () => {
      const { id } = await previewImport(ctx, await newBinder(ctx), { csv: fileOf(row()) });
      const at = (millis: number): Context => ({ ...ctx, now: () => new Date(ctx.now().getTime() + millis) });
      const day = LIMITS.importPreviewHours * 3_600_000;
      expect(await getImportPreviews(at(day - 1), [id])).toMatchObject([{ id }]);
      expect(await getImportPreviews(at(day), [id])).toEqual([null]);
      await expect(importPreviewed(at(day), id, {})).rejects.toMatchObject({ problem: 'NotFound' });
      await expect(restOfPreview(at(day), id, null)).rejects.toMatchObject({ problem: 'NotFound' });
    });

    it('not longer than their collection', async () => {
      const binder = await newBinder(ctx);
      const { id } = await previewImport(ctx, binder, { csv: fileOf(row()) });
      await deleteCollection(ctx, binder);
      expect(await getImportPreviews(ctx, [id])).toEqual([null]);
      await expect(importPreviewed(ctx, id, {})).rejects.toMatchObject({ problem: 'NotFound' });
    });

    it('until they are purged', async () => {
      const own = await newAccount(database());
      const { id } = await previewImport(own, await newBinder(own), { csv: fileOf(row(), row()) });
      const rows = () =>
        database().query('select 1 from import_preview_row where account_id = $1 and preview_id = $2', [
          own.caller.accountId,
          id,
        ]);
      expect(await rows()).toHaveLength(2);
      // The clock of the tests stands long before that of the database.
      expect(await purgeImportPreviews(database())).toBeGreaterThan(0);
      expect(await purgeImportPreviews(database())).toBe(0);
      expect(await rows()).toEqual([]);
    });
  });

  it('are nobody else’s', async () => {
    const { id } = await previewImport(ctx, await newBinder(ctx), { csv: MIXED });
    const other = await newAccount(database());
    expect(await getImportPreviews(other, [id])).toEqual([null]);
    expect(await countImportRows(other, [id])).toEqual([{ Matched: 0, Unclear: 0, Wrong: 0, Skipped: 0 }]);
    const page = await listImportRows(other, id, null, pageByKey({}, IMPORT_ROW_ORDER));
    expect(page.items).toEqual([]);
    for (const work of [() => importPreviewed(other, id, {}), () => restOfPreview(other, id, null)])
      await expect(work()).rejects.toMatchObject({ problem: 'NotFound' });
    const { collectionId } = (await getImportPreviews(ctx, [id]))[0]!;
    await expect(previewImport(other, collectionId, { csv: MIXED })).rejects.toMatchObject({
      problem: 'NotFound',
    });
  });
});
