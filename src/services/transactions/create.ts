import { COLLECTION_STATE } from '../../db/queries/collections.ts';
import {
  CREATE_TRANSACTION_AT_ONCE,
  CREATE_TRANSACTIONS,
  type TransactionRow,
} from '../../db/queries/ledger.ts';
import { VARIANTS_EXIST } from '../../db/queries/products.ts';
import { dateOf } from '../../domain/dates.ts';
import { notFound } from '../../domain/errors.ts';
import { isIdOf, newId } from '../../domain/ids.ts';
import { type CreateTransactionInput, parseInput, transactionRules } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { decimalOf } from '../../domain/money.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { idempotently } from '../idempotency.ts';
import type { Progress } from '../market/progress.ts';
import { type Transaction, transactionOf } from './model.ts';

/** Throws `ValidationFailed`, `NotFound` (which says whether the collection or the variant is missing). */
export async function createTransaction(
  ctx: Context,
  collectionId: string,
  input: unknown,
): Promise<Transaction> {
  const entry = parseInput(transactionRules(dateOf(ctx.now())).create, input);
  return idempotently(ctx, 'createTransaction', { collectionId, ...entry }, async (once) => {
    const [transaction] = await record(once, collectionId, [entry]);
    return transaction!;
  });
}

/** Records 1 to 1,000 transactions, all or none; the breaches' paths start with the place in the list. */
export async function createTransactions(
  ctx: Context,
  collectionId: string,
  input: unknown,
): Promise<Transaction[]> {
  const transactions = parseInput(transactionRules(dateOf(ctx.now())).createMany, input, ['transactions']);
  return idempotently(ctx, 'createTransactions', { collectionId, transactions }, (once) =>
    record(once, collectionId, transactions),
  );
}

/**
 * Records any number of valid transactions, all or none; other writers of the collection wait meanwhile. Throws
 * `NotFound`.
 */
export async function recordAll(
  ctx: Context,
  collectionId: string,
  entries: CreateTransactionInput[],
  progress: Progress,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    for (let at = 0; at < entries.length; at += LIMITS.bulkTransactions) {
      const part = entries.slice(at, at + LIMITS.bulkTransactions);
      await record({ ...ctx, db: tx }, collectionId, part);
      progress('transactions', at + part.length, entries.length);
    }
  });
}

async function record(
  ctx: Context,
  collectionId: string,
  entries: CreateTransactionInput[],
): Promise<Transaction[]> {
  const now = ctx.now();
  if (!isIdOf('Collection', collectionId)) throw notFound('collection');
  if (entries.some(({ variantId }) => !isIdOf('Variant', variantId)))
    await checkParts(ctx, collectionId, entries);
  const rows = entries.map((entry) => rowOf(entry, now));
  const created = (await writtenAtOnce(ctx, collectionId, rows)) ?? (await written(ctx, collectionId, rows));
  announceCollections(ctx.db, ctx.caller.accountId, [{ id: collectionId }]);
  return created.map(transactionOf);
}

type Row = ReturnType<typeof rowOf>;

/** One transaction, as most calls record; null where there is anything to wait for or to explain. */
async function writtenAtOnce(
  { db, caller }: Context,
  collectionId: string,
  rows: Row[],
): Promise<TransactionRow[] | null> {
  if (rows.length > 1) return null;
  const { id, variantId, occurred, action, quantity, unitAmount, currency } = rows[0]!;
  const params = [
    caller.accountId,
    collectionId,
    id,
    variantId,
    occurred,
    action,
    quantity,
    unitAmount,
    currency,
  ];
  const created = await db.hot<TransactionRow>(CREATE_TRANSACTION_AT_ONCE, params);
  return created.length > 0 ? created : null;
}

/** Waits for other writers of the collection. Throws `NotFound`. */
async function written(ctx: Context, collectionId: string, rows: Row[]): Promise<TransactionRow[]> {
  const params = [ctx.caller.accountId, collectionId, JSON.stringify(rows)];
  const created = await ctx.db.query<TransactionRow>(CREATE_TRANSACTIONS, params);
  if (created.length > 0) return created;
  await checkParts(ctx, collectionId, rows);
  // It was there a moment ago.
  throw notFound('collection');
}

function rowOf({ variantId, occurredDate, action, quantity, unitAmount }: CreateTransactionInput, now: Date) {
  return {
    id: newId('Transaction', now.getTime()),
    variantId,
    occurred: occurredDate,
    action,
    quantity,
    unitAmount: decimalOf(unitAmount.value),
    currency: unitAmount.currency,
  };
}

/** Throws `NotFound` for the part that is missing; returns where both are there. */
async function checkParts(
  ctx: Context,
  collectionId: string,
  entries: readonly { variantId: string }[],
): Promise<void> {
  const collections = await ctx.db.query(COLLECTION_STATE, [ctx.caller.accountId, collectionId]);
  if (collections.length === 0) throw notFound('collection');
  const ids = [...new Set(entries.map(({ variantId }) => variantId))];
  const wellFormed = ids.filter((id) => isIdOf('Variant', id));
  const found = await ctx.db.query<{ id: string }>(VARIANTS_EXIST, [JSON.stringify(wellFormed)]);
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined)
    throw notFound(entries.length === 1 ? 'variant' : `variant ${printable(missing)}`);
}

function printable(id: string): string {
  return isIdOf('Variant', id) ? id : 'with that id';
}
