import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Database, OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { JUDGE_ALERTS } from '../../src/db/queries/price-alerts.ts';
import { addDays } from '../../src/domain/dates.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { getCollections } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { noProgress } from '../../src/services/market/progress.ts';
import { settleMarket } from '../../src/services/market/settle.ts';
import { createPriceAlert } from '../../src/services/price-alerts/create.ts';
import { deletePriceAlert } from '../../src/services/price-alerts/delete.ts';
import { getPriceAlerts } from '../../src/services/price-alerts/get.ts';
import { createTransaction } from '../../src/services/transactions/create.ts';
import { newAccount } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { importPrices } from '../support/import-prices.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { commitPrices, importDay, smallCatalogue } from '../support/price-days.ts';

const ACCOUNTS = 6;
const LOW = '5';
const HIGH = '11';

/** Several nodes on one PostgreSQL: each firing is one, whoever comes first. */
describe.skipIf(!inject('postgresUrl'))('price alerts of several nodes', () => {
  let nodes: [OpenDatabase, OpenDatabase, OpenDatabase];
  let variantId: string;
  let accounts: { ctx: Context; collectionId: string | null; alertIds: string[] }[];
  let day = '2026-05-01';

  beforeAll(async () => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    nodes = [postgresDatabase(url), postgresDatabase(url), postgresDatabase(url)];
    [variantId] = (await smallCatalogue(nodes[0], 1)) as [string];
    await importDay(nodes[0], day, { [variantId]: LOW });
    accounts = [];
    // Every other account has alerts and no collection.
    for (let i = 0; i < ACCOUNTS; i++) accounts.push(await newOwner(i % 2 === 0));
  });
  afterAll(() => Promise.all(nodes.map((node) => node.close())));

  async function newOwner(hasCollection: boolean) {
    const ctx = await newAccount(nodes[0]);
    const above = { condition: 'Above', amount: { currency: 'USD', value: 10 } };
    const alertIds = [
      (await createPriceAlert(ctx, { targetId: variantId, ...above })).id,
      (
        await createPriceAlert(ctx, {
          targetId: variantId,
          condition: 'Change',
          percent: 100,
          days: 1,
          direction: 'Up',
        })
      ).id,
    ];
    if (!hasCollection) return { ctx, collectionId: null, alertIds };
    const collectionId = (await createCollection(ctx, { name: 'Watched' })).id;
    await createTransaction(ctx, collectionId, entry(variantId));
    alertIds.push((await createPriceAlert(ctx, { targetId: collectionId, ...above })).id);
    return { ctx, collectionId, alertIds };
  }

  /** How often each alert has fired, by its own count and by the log. */
  async function firings(): Promise<number[]> {
    const counts: number[] = [];
    for (const { ctx, alertIds } of accounts) {
      const events = await nodes[0].query<{ alertId: string; sequence: number }>(
        `select alert_id as "alertId", sequence from event where account_id = $1 and stream = 'alerts' order by sequence`,
        [ctx.caller.accountId],
      );
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
      for (const alert of await getPriceAlerts(ctx, alertIds)) {
        expect(events.filter(({ alertId }) => alertId === alert!.id)).toHaveLength(alert!.triggerCount);
        counts.push(alert!.triggerCount);
      }
    }
    return counts;
  }
  const oneMore = (counts: number[]) => counts.map((count) => count + 1);
  const nextDay = () => {
    day = addDays(day, 1);
    return day;
  };
  const importOn = (node: Database, amount: string) =>
    importPrices(
      node,
      [{ variantId, currency: 'USD', amount }],
      day,
      { version: 'test', isSample: true },
      noProgress,
    );
  /** So that every alert can fire again. */
  const calm = () => importDay(nodes[0], nextDay(), { [variantId]: LOW });

  it('fire once when all nodes catch up at once', async () => {
    for (let round = 0; round < 5; round++) {
      const before = await firings();
      await commitPrices(nodes[0], nextDay(), { [variantId]: HIGH });
      await Promise.all([...nodes, ...nodes].map((node) => settleMarket(node)));
      expect(await firings()).toEqual(oneMore(before));
      await calm();
    }
  });

  it('fire once when two nodes import at once, the same prices or other ones of the day', async () => {
    for (const amounts of [
      [HIGH, HIGH],
      [HIGH, '12'],
    ] as const) {
      const before = await firings();
      nextDay();
      await Promise.all(amounts.map((amount, i) => importOn(nodes[i]!, amount)));
      await importOn(nodes[2], amounts[1]);
      expect(await firings()).toEqual(oneMore(before));
      await calm();
    }
  });

  it('fire once when days are imported while other nodes catch up', async () => {
    const before = await firings();
    let isOver = false;
    const catchingUp = [nodes[1], nodes[2]].map(async (node) => {
      while (!isOver) await settleMarket(node);
    });
    for (const amount of [HIGH, LOW, HIGH, LOW, HIGH, HIGH, LOW])
      await commitPrices(nodes[0], nextDay(), { [variantId]: amount });
    isOver = true;
    await Promise.all(catchingUp);
    await settleMarket(nodes[0]);
    expect(await firings()).toEqual(before.map((count) => count + 3));
  });

  /** The node whose first judgement ends the process: all that its transaction did is undone, and it does nothing more. */
  function dyingNode(): Database {
    let isDead = false;
    const live = () => {
      if (isDead) throw new Error('the process has ended');
    };
    const dying = (tx: Database): Database => ({
      ...tx,
      query: async (text, params) => {
        live();
        const rows = await tx.query(text, params);
        isDead ||= text === JUDGE_ALERTS;
        live();
        return rows as never;
      },
      transaction: (work) => tx.transaction((inner) => work(dying(inner))),
    });
    return dying(nodes[0]);
  }

  it('fire once when an import is interrupted before or after its commit, and resumed by another node', async () => {
    const before = await firings();
    nextDay();
    const half = {
      length: 2,
      async *[Symbol.asyncIterator]() {
        yield { variantId, currency: 'USD', amount: HIGH };
        throw new Error('the file ends here');
      },
    };
    const source = { version: 'test', isSample: true };
    await expect(importPrices(nodes[0], half, day, source, noProgress)).rejects.toThrow('the file ends here');
    await settleMarket(nodes[1]);
    expect(await firings()).toEqual(before);

    await importOn(dyingNode(), HIGH);
    expect(await firings()).toEqual(before);
    await Promise.all([importOn(nodes[1], HIGH), settleMarket(nodes[2])]);
    expect(await firings()).toEqual(oneMore(before));

    // A process that was ended, and nobody who came before the next day's prices were there.
    await calm();
    nextDay();
    await importOn(dyingNode(), HIGH);
    await commitPrices(nodes[1], nextDay(), { [variantId]: LOW });
    expect(await firings()).toEqual(oneMore(before));
    await settleMarket(nodes[1]);
    expect(await firings()).toEqual(oneMore(oneMore(before)));
  });

  it('that are made while prices come start from the old ones or the new', async () => {
    for (let round = 0; round < 5; round++) {
      await calm();
      nextDay();
      const ctx = await newAccount(nodes[1]);
      const input = {
        targetId: variantId,
        condition: 'Above',
        amount: { currency: 'USD', value: 10 },
      };
      const made = await Promise.all([
        ...Array.from({ length: 6 }, () => createPriceAlert(ctx, input)),
        importDay(nodes[0], day, { [variantId]: HIGH }),
        settleMarket(nodes[2]),
      ]);
      await settleMarket(nodes[2]);
      const ids = made.slice(0, 6).map((alert) => (alert as { id: string }).id);
      const first = await getPriceAlerts(ctx, ids);
      expect(first.every((alert) => alert!.isMet && alert!.triggerCount <= 1)).toBe(true);
      await calm();
      await importDay(nodes[0], nextDay(), { [variantId]: HIGH });
      const again = await getPriceAlerts(ctx, ids);
      expect(again.map((alert) => alert!.triggerCount)).toEqual(
        oneMore(first.map((alert) => alert!.triggerCount)),
      );
    }
  });

  it('are never on a collection that is deleted at the same time', async () => {
    const { ctx } = accounts[0]!;
    const on = (node: OpenDatabase): Context => ({ ...ctx, db: node });
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const { id } = await createCollection(ctx, { name: 'Contested' });
      const input = { targetId: id, condition: 'Change', percent: 5, days: 1 };
      const create = () => createPriceAlert(on(nodes[0]), input);
      const remove = () => deleteCollection(on(nodes[1]), id);
      // Either is sent first.
      const isRemovedFirst = round % 2 === 1;
      const removing = isRemovedFirst ? remove() : null;
      const [made, deleted] = await Promise.allSettled([create(), removing ?? remove()]);
      const [collection] = await getCollections(ctx, [id]);
      outcomes.add(`${made.status} ${deleted.status} ${collection ? 'there' : 'gone'}`);
      if (made.status === 'fulfilled') await deletePriceAlert(ctx, made.value.id);
    }
    const possible = ['fulfilled rejected there', 'rejected fulfilled gone'];
    expect([...outcomes].filter((outcome) => !possible.includes(outcome))).toEqual([]);
  });
});
