import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import { COUNT_WEBHOOKS, CREATE_WEBHOOK, type WebhookRow } from '../../db/queries/webhooks.ts';
import { DomainError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { CreateWebhookInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { newWebhookSecret, WEBHOOK_EVENTS } from '../../domain/webhooks.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { assertMayAsk } from '../named-address.ts';
import { assertMayKeep, type WebhookWithSecret, webhookOf } from './model.ts';

/**
 * A webhook of the caller's account, which is told of what happens from now on. Throws `ValidationFailed`, also for an
 * address that nothing is sent to; `Forbidden`; `LimitExceeded`.
 */
export async function createWebhook(ctx: Context, input: unknown): Promise<WebhookWithSecret> {
  const { url, events, allAccounts } = parseInput(CreateWebhookInput, input);
  const wanted = { url, events: [...new Set(events ?? WEBHOOK_EVENTS)], allAccounts: allAccounts ?? false };
  assertMayKeep(ctx, wanted);
  assertMayAsk(ctx, url, 'url');
  return idempotently(ctx, 'createWebhook', wanted, (once) => insert(once, wanted));
}

function insert(
  { db, caller: { accountId }, now }: Context,
  { url, events, allAccounts }: { url: string; events: readonly string[]; allAccounts: boolean },
): Promise<WebhookWithSecret> {
  const secret = newWebhookSecret();
  const time = now();
  const id = newId('Webhook', time.getTime());
  return db.transaction(async (tx) => {
    // Those who reach for the limit take turns.
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const [{ count }] = (await tx.query<{ count: number }>(COUNT_WEBHOOKS, [accountId])) as [
      { count: number },
    ];
    if (count >= LIMITS.webhooks) throw tooMany(count);
    const params = [accountId, id, url, JSON.stringify(events), allAccounts, secret, time.toISOString()];
    const [row] = await tx.query<WebhookRow>(CREATE_WEBHOOK, params);
    return { webhook: webhookOf(row!), secret };
  });
}

function tooMany(current: number): DomainError {
  const message = `An account may have ${LIMITS.webhooks} webhooks; delete one first.`;
  return new DomainError('LimitExceeded', message, { limit: LIMITS.webhooks, current });
}
