import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { SEARCHABLE_MARKET, SEARCHABLE_PRODUCTS } from '../../src/db/queries/products.ts';
import { FACET_FIELDS } from '../../src/domain/search/field-search.ts';
import { PRODUCT_SEARCH_FIELDS, parseQuery } from '../../src/domain/search/parse.ts';
import { Memory } from '../../src/memory/memory.ts';
import type { Searchable } from '../../src/memory/search.ts';
import { describeOnDatabases, NOW, ownDatabase, statementsOf } from '../harness.ts';
import { keepVariants } from '../support/price-days.ts';

const now = () => NOW;

function found({ index }: Searchable, query: string) {
  const { productIds, total, facet, didYouMean } = index.search(parseQuery(query, PRODUCT_SEARCH_FIELDS));
  return { productIds: productIds(), total, facets: FACET_FIELDS.map(facet), didYouMean: didYouMean() };
}

const inTransaction = <T>(db: Database, work: (tx: Database) => Promise<T>) =>
  db.transaction(async (tx) => {
    await tx.liftTimeouts();
    return work(tx);
  });

const QUERIES = [
  'snatch',
  'comand and conqer',
  'price<1 class:ninja',
  'price>=20 or rarity:legendary',
  'is:sealed',
  '-is:sealed type:action',
  'foil',
];

describeOnDatabases('the search of a node', (database) => {
  it('finds the same whether the catalogue is held, too large, or that of a transaction', async () => {
    const db = database();
    const memory = new Memory();
    const held = await memory.searchable({ db, now });
    const ways = [
      await new Memory(10).searchable({ db, now }),
      await inTransaction(db, (tx) => memory.searchable({ db: tx, now })),
      await inTransaction(db, (tx) => new Memory().searchable({ db: tx, now })),
    ];
    for (const query of QUERIES) {
      const expected = found(held, query);
      expect(expected.total, query).toBeGreaterThan(0);
      for (const searchable of ways) expect(found(searchable, query)).toEqual(expected);
    }
  });

  it('has the products of the catalogue, and no others', async () => {
    const db = database();
    const memory = new Memory();
    const early = await inTransaction(db, (tx) => memory.searchable({ db: tx, now }));
    expect(early.products.size).toBeGreaterThan(9000);
    const { products } = await memory.searchable({ db, now });
    expect(products).toBe(memory.catalogue({ db, now })!.parts.names.products);
  });

  it('of a transaction does not wait for what cannot be read before its end', async () => {
    const db = database();
    const memory = new Memory();
    await memory.untilChecked({ db, now });
    let outside: Promise<Searchable | null> | undefined;
    await inTransaction(db, async (tx) => {
      // Which is refused where the transaction lasts for long.
      outside = memory.searchable({ db, now }).catch(() => null);
      await memory.searchable({ db: tx, now });
    });
    const searchable = (await outside!) ?? (await memory.searchable({ db, now }));
    expect(searchable.products.size).toBeGreaterThan(9000);
  });
});

const KINDS = inject('postgresUrl') ? (['pglite', 'postgres'] as const) : (['pglite'] as const);

describe.each(KINDS)('after a change of the market (%s)', (kind) => {
  let db: OpenDatabase;
  let ids: string[];
  beforeAll(async () => {
    db = await ownDatabase(kind);
    const kept = await db.query<{ id: string }>(
      `select v.id from variant v join product p on p.id = v.product_id
       where p.name in ('Command and Conquer', 'Snatch') or p.set_code = 'CRU'`,
    );
    await keepVariants(
      db,
      kept.map(({ id }) => id),
    );
    const rows = await db.query<{ id: string }>(
      `select id from product where name = 'Command and Conquer' order by id`,
    );
    ids = rows.map(({ id }) => id);
  });
  afterAll(() => db.close());

  const memories = { held: new Memory(), 'too large': new Memory(10) };
  const raise = (changed: string) =>
    db.query('update market_data set revision = revision + 1 where kind = $1', [changed]);

  describe.each(Object.keys(memories) as (keyof typeof memories)[])('of a catalogue that is %s', (size) => {
    const memory = memories[size];
    const search = async (query: string, from: Database = db) =>
      found(await memory.searchable({ db: from, now }), query).productIds;
    const changed = async (what: string, statement: string, ...params: string[]) => {
      await db.query(statement, params);
      await raise(what);
      memory.forgetMarket();
    };

    it('has new prices without its texts being read again', async () => {
      const query = '"command and conquer" price=0.0123';
      expect(await search(query)).toEqual([]);
      await changed(
        'prices',
        `update price set amount = 0.0123 where variant_id in (select id from variant where product_id = $1)`,
        ids[0]!,
      );
      const { result, statements } = await statementsOf(() => search(query));
      expect(result).toEqual([ids[0]]);
      expect(statements.map(({ text }) => text)).not.toContain(SEARCHABLE_PRODUCTS);
      const readsMarket = statements.some(({ text }) => text === SEARCHABLE_MARKET);
      expect(readsMarket).toBe(size === 'too large');
      await changed(
        'prices',
        `update price set amount = 75 where variant_id in (select id from variant where product_id = $1)`,
        ids[0]!,
      );
      expect(await search(query)).toEqual([]);
    });

    it('orders equals by new sales', async () => {
      for (const best of ids) {
        await changed(
          'sales',
          `update sale_volumes s set total = case when v.product_id = $1 then 1000000 else 1 end
           from variant v where v.id = s.variant_id and v.product_id in (select id from product where name = 'Command and Conquer')`,
          best,
        );
        expect((await search('command and conquer'))[0]).toBe(best);
      }
    });

    it('knows a new name at once, and sends nothing for it any more', async () => {
      await changed('catalogue', `update product set name = 'Zzyzx Road' where id = $1`, ids[0]!);
      expect(await search('zzyzx')).toEqual([ids[0]]);
      expect((await statementsOf(() => search('zzyzx'))).statements).toEqual([]);
      await changed('catalogue', `update product set name = 'Command and Conquer' where id = $1`, ids[0]!);
      expect(await search('zzyzx')).toEqual([]);
    });

    it('reads again where names change while they are read', async () => {
      let isChanged = false;
      const query = async (text: string, params?: readonly never[]) => {
        const rows = await db.query(text, params);
        if (text === SEARCHABLE_PRODUCTS && !isChanged) {
          isChanged = true;
          await db.query(`update product set name = 'Qwxyz' where id = $1`, [ids[0]!]);
          await raise('catalogue');
        }
        return rows;
      };
      await changed('catalogue', 'select 1');
      expect(
        await search('qwxyz', { ...db, housekeeping: { ...db, query: query as Database['query'] } }),
      ).toEqual([ids[0]]);
      await changed('catalogue', `update product set name = 'Command and Conquer' where id = $1`, ids[0]!);
    });

    it('counts what was there and what had to be made', async () => {
      await search('snatch');
      const { hits, misses } = memory.search.use;
      await search('snatch');
      expect(memory.search.use).toMatchObject({ hits: hits + 1, misses });
      await changed('prices', 'select 1');
      await search('snatch');
      expect(memory.search.use).toMatchObject({ hits: hits + 1, misses: misses + 1 });
      expect(memory.search.use.size).toBeGreaterThan(100);
    });
  });
});
