import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { Database, OpenDatabase, Param } from '../../src/db/client.ts';
import {
  HELD_PRICES,
  HELD_SALES,
  HELD_VARIANTS,
  VARIANT_COUNT,
} from '../../src/db/queries/held-catalogue.ts';
import { RECORD_IMPORT } from '../../src/db/queries/market-data.ts';
import { PRICES } from '../../src/db/queries/products.ts';
import { isEqual } from '../../src/domain/money.ts';
import type { Catalogue } from '../../src/memory/catalogue.ts';
import { Memory, memoryOf } from '../../src/memory/memory.ts';
import { readMarket, readRevisions } from '../../src/memory/read.ts';
import { countVariants } from '../../src/services/products/get.ts';
import { describeOnDatabases, NOW, ownDatabase, statementsOf } from '../harness.ts';
import { eventually } from '../support/eventually.ts';

const reader = (db: OpenDatabase) => ({ db, now: () => NOW });

async function held(memory: Memory, db: OpenDatabase): Promise<Catalogue | null> {
  await memory.untilChecked(reader(db));
  return memory.catalogue(reader(db));
}

describeOnDatabases('the memory of a node', (database) => {
  it('is one for a database, also for its transactions', async () => {
    await database().transaction(async (tx) => expect(memoryOf(tx)).toBe(memoryOf(database())));
  });

  it('holds a catalogue of as many variants as may be, and none of more', async () => {
    const [row] = await database().query<{ count: number }>('select count(*) as count from variant');
    expect(await held(new Memory(row!.count - 1), database())).toBeNull();
    expect(await held(new Memory(row!.count), database())).not.toBeNull();
  });

  it('counts the variants once, also where they are too many or a transaction asks', async () => {
    const [row] = await database().query<{ count: number }>('select count(*) as count from variant');
    const tooLarge = new Memory(10);
    expect(tooLarge.variantCount).toBeUndefined();
    await held(tooLarge, database());
    expect(tooLarge.variantCount).toBe(row!.count);
    await held(memoryOf(database()), database());
    const { result, statements } = await statementsOf(() =>
      database().transaction((tx) => countVariants({ db: tx })),
    );
    expect(result).toBe(row!.count);
    expect(statements.filter(({ text }) => text === VARIANT_COUNT)).toEqual([]);
  });

  it('has nothing for a transaction', async () => {
    const memory = new Memory();
    expect(await held(memory, database())).not.toBeNull();
    await database().transaction(async (tx) => {
      expect(memory.untilChecked({ ...reader(database()), db: tx })).toBeUndefined();
      expect(memory.catalogue({ ...reader(database()), db: tx })).toBeNull();
    });
  });

  it('knows the unrounded price of every variant, as the database has it', async () => {
    const catalogue = (await held(new Memory(), database()))!;
    const rows = await database().query<{ id: string }>('select id from variant order by md5(id) limit 2000');
    const ids = rows.map(({ id }) => id);
    for (const currency of ['USD', 'NZD', 'JPY', 'EUR', 'GBP', 'USD'] as const) {
      const stored = await database().query<{ variantId: string; amount: string; marketRevision: number }>(
        PRICES,
        [JSON.stringify(ids), currency, 'VendorMarket'],
      );
      expect(stored[0]!.marketRevision).toBe(catalogue.pricingRevision);
      const amounts = new Map(stored.map(({ variantId, amount }) => [variantId, amount]));
      const wrong = ids.filter((id) => {
        const [exact, amount] = [catalogue.exactPrice(id, currency, 'VendorMarket'), amounts.get(id)];
        return typeof exact === 'string' && amount ? !isEqual(exact, amount) : exact !== (amount ?? null);
      });
      expect(wrong).toEqual([]);
    }
    expect(catalogue.exactPrice(ids[0]!, 'USD', 'Nobody')).toBeNull();
    expect(catalogue.exactPrice('var_unknown', 'USD', 'VendorMarket')).toBeUndefined();
  });
});

const KINDS = inject('postgresUrl') ? (['pglite', 'postgres'] as const) : (['pglite'] as const);

describe.each(KINDS)('a change of the market (%s)', (kind) => {
  let db: OpenDatabase;
  const memory = new Memory();

  beforeAll(async () => {
    db = await ownDatabase(kind);
    await held(memory, db);
  });
  afterAll(() => db.close());

  const raise = (kinds: string) =>
    db.query(
      `insert into market_data as m (kind, version, is_sample, revision) values ('${kinds}', '', true, 1)
       on conflict (kind) do update set revision = m.revision + 1`,
    );
  const partsOf = ({ parts }: Catalogue) => ({
    ...parts,
    prices: parts.pricing.prices,
    rates: parts.pricing.rates,
  });

  it.each([
    ['prices', ['prices', 'pricing', 'rates']],
    ['rates', ['pricing', 'rates']],
    ['sales', ['sales', 'variants']],
    ['pull-rates', ['evs']],
    ['price-history', []],
    ['catalogue', ['evs', 'names', 'prices', 'pricing', 'rates', 'sales', 'variants']],
  ])('of the kind %s has only read again: %j', async (changed, expected) => {
    const before = (await held(memory, db))!;
    await raise(changed);
    memory.forgetMarket();
    const { result: after, statements } = await statementsOf(() =>
      vi.waitUntil(() => held(memory, db), 20_000),
    );
    expect(after.revision).toBe(before.revision + 1);
    const [old, fresh] = [partsOf(before), partsOf(after)];
    const names = Object.keys(old) as (keyof typeof old)[];
    expect(names.filter((name) => old[name] !== fresh[name]).sort()).toEqual(expected);
    const readsNames = statements.some(({ text }) => /from (product|variant) /.test(text));
    expect(readsNames).toBe(expected.includes('names'));
  });

  it('is seen where a dump was restored, and as many imports followed as were known', async () => {
    const [{ id }] = (await db.query<{ id: string }>(
      `select variant_id as id from price where source = 'VendorMarket' and currency = 'USD' and amount is not null limit 1`,
    )) as [{ id: string }];
    const importPrice = async (amount: string) => {
      await db.query(
        `update price set amount = $1::numeric where variant_id = $2 and source = 'VendorMarket'`,
        [amount, id],
      );
      await db.query(RECORD_IMPORT, ['prices', amount, true, null]);
    };
    const shown = async () => {
      memory.forgetMarket();
      const catalogue = await vi.waitUntil(() => held(memory, db), 20_000);
      return Number(catalogue.exactPrice(id, 'USD', 'VendorMarket'));
    };
    const dump = await db.query<{ revision: number }>(
      `select revision from market_data where kind = 'prices'`,
    );
    await importPrice('1.11');
    expect(await shown()).toBe(1.11);
    await db.query(`update market_data set revision = $1 where kind = 'prices'`, [dump[0]!.revision]);
    await importPrice('2.22');
    expect(await shown()).toBe(2.22);
  });

  it.runIf(kind === 'pglite')('is read beside what others ask of the embedded database', async () => {
    let isRead = false;
    const reading = held(new Memory(), db).then(() => {
      isRead = true;
    });
    for (let i = 0; i < 5; i++) {
      await db.query('select 1');
      expect(isRead).toBe(false);
    }
    await reading;
  });

  it.runIf(kind === 'pglite')('is read once more where it came while all of it was read', async () => {
    const [{ id }] = (await db.query<{ id: string }>('select min(id) as id from product')) as [
      { id: string },
    ];
    const rename = (to: string) =>
      db.query(`update product set name = $2 || replace(name, $2, '') where id = $1`, [id, to]);
    let changes = 0;
    const changing: Database = {
      ...db,
      async query<Row>(text: string, params?: readonly Param[]) {
        const rows = await db.query<Row>(text, params);
        if (text === HELD_SALES && changes++ === 0) {
          await rename('New ');
          await raise('catalogue');
        }
        return rows;
      },
    };
    const { revisions, catalogue } = await readMarket(changing, undefined, Number.POSITIVE_INFINITY);
    expect(changes).toBeGreaterThan(1);
    expect(revisions).toEqual(await readRevisions(db));
    expect(catalogue!.product(id)!.name).toMatch(/^New /);
    await db.query(`update product set name = replace(name, 'New ', '') where id = $1`, [id]);
    await raise('catalogue');
  });

  it.runIf(kind === 'pglite').each([
    ['prices', { variants: 1, prices: 2, sales: 1 }],
    ['sales', { variants: 1, prices: 1, sales: 2 }],
  ] as const)('is read once more in the part that came meanwhile alone: %s', async (part, expected) => {
    const texts = { variants: HELD_VARIANTS, prices: HELD_PRICES, sales: HELD_SALES };
    const readings = { variants: 0, prices: 0, sales: 0 };
    const changing: Database = {
      ...db,
      async query<Row>(text: string, params?: readonly Param[]) {
        const rows = await db.query<Row>(text, params);
        for (const name of ['variants', 'prices', 'sales'] as const) {
          if (text === texts[name] && params![0] === '') readings[name]++;
        }
        if (text === HELD_SALES && params![0] === '' && readings.sales === 1) await raise(part);
        return rows;
      },
    };
    const { revisions, catalogue } = await readMarket(changing, undefined, Number.POSITIVE_INFINITY);
    expect(readings).toEqual(expected);
    expect(revisions).toEqual(await readRevisions(db));
    expect(catalogue!.revisions).toEqual(revisions);
  });

  it('counts the variants of too large a catalogue only where their number may be another, and says so once', async () => {
    const tooLarge = new Memory(10);
    const told: number[] = [];
    let millis = NOW.getTime();
    const now = () => new Date(millis);
    const stop = tooLarge.keep(db, now, { tooLarge: (variants) => told.push(variants) });
    await eventually(() => expect(told).toHaveLength(1));
    const sentByCheck = async () => {
      millis += 1000;
      const { statements } = await statementsOf(async () => tooLarge.untilChecked({ db, now }));
      return statements.length;
    };
    const countsAfter = async (change: () => Promise<unknown>) => {
      await change();
      const { statements } = await statementsOf(() =>
        // While something is read nothing is sent by a check: two in a row find that there is nothing newer.
        eventually(async () => expect([await sentByCheck(), await sentByCheck()]).toEqual([1, 1])),
      );
      return statements.filter(({ text }) => text.includes('count(*)')).length;
    };
    expect(await countsAfter(async () => {})).toBe(0);
    expect(await countsAfter(() => raise('prices'))).toBe(0);
    expect(await countsAfter(() => raise('catalogue'))).toBe(1);
    expect(tooLarge.catalogue({ db, now })).toBeNull();
    const [row] = await db.query<{ count: number }>('select count(*) as count from variant');
    expect(told).toEqual([row!.count]);
    await stop();
  });
});
