import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PURGE_EVENTS } from '../../src/db/queries/events.ts';
import { PURGE_DELETED_WEBHOOKS } from '../../src/db/queries/webhook-deliveries.ts';
import { keepPurged, purgeRound } from '../../src/server/keep-purged.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { describeOnOwnDatabases, newAccount, statementsOf } from '../harness.ts';
import { eventually } from '../support/eventually.ts';

const logger = pino({ enabled: false });

describeOnOwnDatabases('what is no longer needed', (database) => {
  /** More than a round takes. */
  const COUNT = 40;
  const left = async () => (await database().query('select id from collection where deleted')).length;

  beforeEach(async () => {
    const ctx = await newAccount(database());
    for (let i = 0; i < COUNT; i++)
      await deleteCollection(ctx, (await createCollection(ctx, { name: `${i}` })).id);
  });
  afterEach(() => void vi.useRealTimers());

  it('is taken away of each kind in a round, however much there is of one', async () => {
    const { result, statements } = await statementsOf(() => purgeRound(database().housekeeping, logger));
    expect(result).toBe(true);
    expect(await left()).toBeGreaterThan(0);
    expect(await left()).toBeLessThan(COUNT);
    const texts = statements.map(({ text }) => text);
    expect(texts).toContain(PURGE_EVENTS);
    expect(texts).toContain(PURGE_DELETED_WEBHOOKS);
    while (await purgeRound(database().housekeeping, logger));
    expect(await left()).toBe(0);
  });

  it('is taken away in one round behind the other while more is left', async () => {
    // Nothing begins a round later.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const stop = keepPurged(database().housekeeping, logger);
    vi.useRealTimers();
    await eventually(async () => expect(await left()).toBe(0));
    stop();
  });
});
