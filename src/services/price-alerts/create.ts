import type { Database } from '../../db/client.ts';
import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import { COLLECTION_STATE } from '../../db/queries/collections.ts';
import {
  COUNT_ALERTS,
  INSERT_ALERT,
  type JudgedAlertRow,
  START_ALERT,
} from '../../db/queries/price-alerts.ts';
import { VARIANTS_EXIST } from '../../db/queries/products.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { newId, typeOfId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { decimalOf } from '../../domain/money.ts';
import { type CreatePriceAlertInput, parsePriceAlert } from '../../domain/price-alerts.ts';
import { pointsOfWatching } from '../../domain/read-points.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { countVariants } from '../products/get.ts';
import { judged, type PriceAlert, priceAlertOf } from './model.ts';

/**
 * Makes an alert on a variant or a collection; what its condition is now is where it starts from. Throws
 * `ValidationFailed`, `NotFound` for the target, `LimitExceeded`.
 */
export async function createPriceAlert(ctx: Context, input: unknown): Promise<PriceAlert> {
  const alert = parsePriceAlert(input);
  return idempotently(ctx, 'createPriceAlert', alert, (once) => start(once, alert));
}

async function start(ctx: Context, alert: CreatePriceAlertInput): Promise<PriceAlert> {
  const { accountId } = ctx.caller;
  const now = ctx.now();
  const id = newId('PriceAlert', now.getTime());
  return ctx.db.transaction(async (tx) => {
    // Those who delete a collection and those who make an alert on it take turns, as do those who reach for the limit.
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const target = await targetOf({ ...ctx, db: tx }, alert.targetId);
    await checkLimit(tx, accountId);
    ctx.charge?.(pointsOfWatching(target.mostHoldings));
    await tx.query(INSERT_ALERT, [
      accountId,
      id,
      target.variantId,
      target.collectionId,
      alert.condition,
      ...conditionOf(alert),
      now.toISOString(),
    ]);
    const [row] = judged(ctx, await tx.query<JudgedAlertRow>(START_ALERT, [accountId, id]));
    return priceAlertOf(row!);
  });
}

async function targetOf({ db, caller }: Context, targetId: string) {
  switch (typeOfId(targetId)) {
    case 'Variant':
      if ((await db.query(VARIANTS_EXIST, [JSON.stringify([targetId])])).length === 0)
        throw notFound('variant');
      return { variantId: targetId, collectionId: null, mostHoldings: 1 };
    case 'Collection': {
      const params = [caller.accountId, targetId];
      const [state] = await db.query<{ transactionCount: number }>(COLLECTION_STATE, params);
      if (!state) throw notFound('collection');
      const mostHoldings = Math.min(state.transactionCount, await countVariants({ db }));
      return { variantId: null, collectionId: targetId, mostHoldings };
    }
    default:
      throw notFound('variant or collection');
  }
}

async function checkLimit(tx: Database, accountId: string): Promise<void> {
  const [{ count }] = (await tx.query<{ count: number }>(COUNT_ALERTS, [accountId])) as [{ count: number }];
  if (count < LIMITS.priceAlerts) return;
  throw new DomainError(
    'LimitExceeded',
    `An account may have ${LIMITS.priceAlerts} price alerts; delete one first.`,
    { limit: LIMITS.priceAlerts, current: count },
  );
}

/** Amount, currency, percent, days, direction. */
function conditionOf(alert: CreatePriceAlertInput) {
  return alert.condition === 'Change'
    ? [null, null, decimalOf(alert.percent), alert.days, alert.direction]
    : [decimalOf(alert.amount.value), alert.amount.currency, null, null, null];
}
