import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../../src/db/client.ts';
import type { Context } from '../../../src/services/context.ts';
import { createPriceAlert } from '../../../src/services/price-alerts/create.ts';
import { deletePriceAlert } from '../../../src/services/price-alerts/delete.ts';
import { asNewAccount, ownDatabase } from '../../harness.ts';
import { contextOf } from '../../support/furnished.ts';
import { importDay, smallCatalogue } from '../../support/price-days.ts';
import { type Subscription, startServer, subscribe } from './support.ts';

const TRIGGERED = 'subscription { priceAlertTriggered { id triggerCount lastTrigger { day } } }';
const DAYS = ['2026-05-01', '2026-05-02', '2026-05-03', '2026-05-04', '2026-05-05', '2026-05-06'] as const;

for (const kind of ['pglite', 'postgres'] as const) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`priceAlertTriggered (${kind})`, () => {
    let db: OpenDatabase;
    let variantId: string;

    beforeAll(async () => {
      db = await ownDatabase(kind);
      [variantId] = (await smallCatalogue(db, 1)) as [string];
      await importDay(db, DAYS[0], { [variantId]: '1' });
    });
    afterAll(() => db.close());

    const alert = async (ctx: Context, value: number) => {
      const amount = { currency: 'USD', value };
      return (await createPriceAlert(ctx, { targetId: variantId, condition: 'Above', amount })).id;
    };
    const ids = ({ results }: Subscription) =>
      results.map(
        (result) =>
          (result.data as unknown as { priceAlertTriggered: { id: string } }).priceAlertTriggered.id,
      );

    it('sends each alert of the account when it fires, and what a client missed that was away', async () => {
      const server = await startServer(db);
      const other = await asNewAccount(db, server.app.fetch);
      const ctx = contextOf(db, server.app);
      const [low, high, gone] = [await alert(ctx, 5), await alert(ctx, 10), await alert(ctx, 5)];
      await alert(contextOf(db, other), 5);
      const all = { query: TRIGGERED };
      const [mine, theirs] = [subscribe(server, '', all), subscribe({ ...server, app: other }, '', all)];
      await Promise.all([mine.connected, theirs.connected]);
      await importDay(db, DAYS[1], { [variantId]: '7' });
      await Promise.all([mine.until(2), theirs.until(1)]);
      expect(ids(mine).toSorted()).toEqual([low, gone].toSorted());
      expect(mine.results[0]).toMatchObject({
        data: { priceAlertTriggered: { triggerCount: 1, lastTrigger: { day: DAYS[1] } } },
      });
      mine.stop();

      await importDay(db, DAYS[2], { [variantId]: '1' });
      await importDay(db, DAYS[3], { [variantId]: '12' });
      await deletePriceAlert(ctx, gone);
      const lastEventId = mine.results.at(-1)!.extensions!.eventId!;
      const back = subscribe(server, '', { ...all, lastEventId });
      await back.until(2);
      await importDay(db, DAYS[4], { [variantId]: '1' });
      await importDay(db, DAYS[5], { [variantId]: '7' });
      await back.until(3);
      expect(ids(back).slice(0, 2).toSorted()).toEqual([low, high].toSorted());
      expect(ids(back)[2]).toBe(low);
      expect(await theirs.until(3)).toHaveLength(3);
    });
  });
}
