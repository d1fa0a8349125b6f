import { expect, inject, it } from 'vitest';
import { postgresDatabase } from '../../src/db/client.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { newAccount, pricedVariants } from '../harness.ts';
import { eventually } from '../support/eventually.ts';
import { entry } from '../support/furnished.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';

const CREATES = 200;
const SHARE = 0.95;

interface Updates {
  holding: number;
  collection: number;
  hotHolding: number;
  hotCollection: number;
}

const UPDATES = `
  select coalesce(sum(n_tup_upd) filter (where relname = 'holding'), 0)::integer as holding,
    coalesce(sum(n_tup_upd) filter (where relname = 'collection'), 0)::integer as collection,
    coalesce(sum(n_tup_hot_upd) filter (where relname = 'holding'), 0)::integer as "hotHolding",
    coalesce(sum(n_tup_hot_upd) filter (where relname = 'collection'), 0)::integer as "hotCollection"
  from pg_stat_user_tables`;

/** An index on what each write changes, or a value of the market in a holding, would write all its indexes again. */
it.skipIf(!inject('postgresUrl'))(
  'creates update holdings and collections in place of their rows',
  async () => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    const updates = async () => {
      const db = postgresDatabase(url);
      try {
        return (await db.query<Updates>(UPDATES))[0]!;
      } finally {
        await db.close();
      }
    };
    const before = await updates();
    const db = postgresDatabase(url);
    try {
      const ctx = await newAccount(db);
      const variants = await pricedVariants(db, 4);
      const { id } = await createCollection(ctx, { name: 'Hot' });
      for (let i = 0; i < CREATES; i++)
        await createTransaction(ctx, id, entry(variants[i % variants.length]!));
    } finally {
      // A back end tells what it has counted at its end.
      await db.close();
    }
    await eventually(async () => {
      const after = await updates();
      expect(after.holding - before.holding).toBeGreaterThanOrEqual(CREATES - 4);
      expect(after.collection - before.collection).toBeGreaterThanOrEqual(CREATES);
      const shareOf = (hot: keyof Updates, all: keyof Updates) =>
        (after[hot] - before[hot]) / (after[all] - before[all]);
      expect(shareOf('hotHolding', 'holding')).toBeGreaterThanOrEqual(SHARE);
      expect(shareOf('hotCollection', 'collection')).toBeGreaterThanOrEqual(SHARE);
    });
  },
);
