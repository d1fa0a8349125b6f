import type { Database } from '../../db/client.ts';
import { COLLECTION_STATE } from '../../db/queries/collections.ts';
import {
  CREATE_TRANSACTION_AT_ONCE,
  CREATE_TRANSACTIONS,
  type NewTransactionRow,
  type TransactionRow,
  type Way,
} from '../../db/queries/ledger.ts';
import { VARIANTS_EXIST } from '../../db/queries/products.ts';
import { JOIN_CONVERTED_WRITES } from '../../db/queries/rates.ts';
import { type CollectionKind, NOT_SOLD } from '../../domain/collections.ts';
import { dateOf } from '../../domain/dates.ts';
import { notFound, validationFailed } from '../../domain/errors.ts';
import { isIdOf, newId } from '../../domain/ids.ts';
import { type CreateTransactionInput, transactionRules } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { decimalOf } from '../../domain/money.ts';
import { parsedOneByOne, parseInput } from '../../domain/parse-input.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { mappedInParts } from '../../lib/parts.ts';
import { memoryOf } from '../../memory/memory.ts';
import { learnPreferences } from '../accounts/preferences.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import type { Tell } from '../events/import-progress.ts';
import { idempotently } from '../idempotency.ts';
import { converting } from './converted.ts';
import { addCosts } from './costs.ts';
import { inPlaceForBatch } from './large.ts';
import { detailsRow, type Transaction, transactionOf, withDetails } from './model.ts';
import { ShareUsedUp, withShare } from './share.ts';
import { byCostBasis } from './ways.ts';

/**
 * Throws `ValidationFailed`, `NotFound` (which says whether the collection or the variant is missing), `LimitExceeded` where
 * the account has all the transactions that it may have.
 */
export async function createTransaction(
  ctx: Context,
  collectionId: string,
  input: unknown,
): Promise<Transaction> {
  const entry = parseInput(transactionRules(dateOf(ctx.now())).create, input);
  const transaction = await withShare(ctx, collectionId, (shared) =>
    idempotently(
      shared,
      'createTransaction',
      { collectionId, ...entry },
      async (once) => {
        const [recorded] = await record(once, collectionId, [entry]);
        return transactionOf(recorded!);
      },
      { writes: collectionId },
    ),
  );
  return withDetails(transaction);
}

/** Records 1 to 1,000 transactions, all or none; the breaches' paths start with the place in the list. */
export async function createTransactions(
  ctx: Context,
  collectionId: string,
  input: unknown,
): Promise<Transaction[]> {
  const { create, createMany } = transactionRules(dateOf(ctx.now()));
  const given = parseInput(createMany, input, ['transactions']);
  const recorded = await inPlaceForBatch(ctx, given.length, async () => {
    const transactions = await inTurns(parsedOneByOne(create, given, ['transactions']), ctx.work);
    return withShare(ctx, collectionId, (shared) =>
      idempotently(
        shared,
        'createTransactions',
        { collectionId, transactions },
        async (once) => (await record(once, collectionId, transactions)).map(transactionOf),
        { writes: collectionId },
      ),
    );
  });
  return recorded.map(withDetails);
}

/**
 * Records any number of valid transactions, all or none; other writers of the collection wait meanwhile. None where `tell`
 * throws. Throws `NotFound`, `LimitExceeded`.
 */
export async function recordAll(
  ctx: Context,
  collectionId: string,
  entries: CreateTransactionInput[],
  tell: Tell,
): Promise<void> {
  const progress = (done: number) => tell({ phase: 'Recording', done, total: entries.length });
  progress(0);
  const write = async (tx: Database) => {
    // At most LIMITS.importTransactions, and a part of them at a time.
    await tx.liftOperation();
    await record({ ...ctx, db: tx }, collectionId, entries, progress);
  };
  await withShare(ctx, collectionId, ({ db }) => db.transaction(write, { writes: collectionId }));
}

/**
 * Records transactions in a collection of the average that the caller's database transaction has made, and for which it
 * has set their share aside (share.ts); their ids say in which order they were entered. Throws `NotFound` for a variant,
 * `ValidationFailed` for a sale on a wish list.
 */
export async function recordInto(
  ctx: Context,
  collectionId: string,
  rows: NewTransactionRow[],
): Promise<void> {
  const written = await writeParts(ctx, 'average', collectionId, rows, () => {});
  if (!written) await explained(ctx, collectionId, rows);
}

async function record(
  ctx: Context,
  collectionId: string,
  entries: CreateTransactionInput[],
  onRecorded: (count: number) => void = () => {},
): Promise<TransactionRow[]> {
  const now = ctx.now();
  if (!isIdOf('Collection', collectionId)) throw notFound('collection');
  if (entries.some(({ variantId }) => !isIdOf('Variant', variantId)))
    await checkParts(ctx, collectionId, entries);
  const [entry] = entries;
  const rows =
    entries.length === 1
      ? [rowOf(entry!, now)]
      : await inTurns(
          mappedInParts(entries, (one) => rowOf(one, now)),
          ctx.work,
        );
  const created = await byCostBasis(ctx, collectionId, async (once, way) => {
    const written = await writeParts(once, way, collectionId, rows, onRecorded);
    if (written && way === 'ordered') await addCosts(once, collectionId, written);
    return written;
  });
  if (!created) return explained(ctx, collectionId, rows);
  announceCollections(ctx.db, ctx.caller.accountId, [{ id: collectionId }]);
  return created;
}

/** Null where nothing of it can be written. */
async function writeParts(
  ctx: Context,
  way: Way,
  collectionId: string,
  rows: NewTransactionRow[],
  onRecorded: (count: number) => void,
): Promise<TransactionRow[] | null> {
  const created: TransactionRow[] = [];
  // Once for all parts, which are in one database transaction.
  const converts = mayConvert(ctx, rows);
  if (converts && ctx.db.isTransaction) await ctx.db.query(JOIN_CONVERTED_WRITES);
  for (let at = 0; at < rows.length; at += LIMITS.bulkTransactions) {
    const part = rows.slice(at, at + LIMITS.bulkTransactions);
    const needed = rows.length - at;
    const written =
      (way === 'average' && !converts && (await writtenAtOnce(ctx, collectionId, part))) ||
      (await writtenInTurn(ctx, way, collectionId, part, { needed, converts }));
    if (!written && at === 0) return null;
    created.push(...(written ?? (await explained(ctx, collectionId, part, needed))));
    onRecorded(at + part.length);
  }
  return created;
}

/** One transaction, as most calls record; null where there is anything to wait for or to explain. */
async function writtenAtOnce(
  { db, caller }: Context,
  collectionId: string,
  rows: NewTransactionRow[],
): Promise<TransactionRow[] | null> {
  if (rows.length > 1) return null;
  const { id, variant_id, occurred, action, quantity, unit_amount, cost_unknown, currency, ...more } =
    rows[0]!;
  const { fees, shipping, ...details } = more;
  const params = [
    caller.accountId,
    collectionId,
    id,
    variant_id,
    occurred,
    action,
    quantity,
    unit_amount,
    currency,
    fees,
    shipping,
    Object.keys(details).length > 0 ? JSON.stringify(details) : null,
    cost_unknown,
  ];
  const created = await db.hot<TransactionRow>(CREATE_TRANSACTION_AT_ONCE, params, {
    writes: collectionId,
  });
  return created.length > 0 ? created : null;
}

/** Whether an amount is in another currency than its collection, as far as this node knows; the statements see for themselves. */
function mayConvert({ db, caller }: Context, rows: readonly NewTransactionRow[]): boolean {
  const known = memoryOf(db).preferences.last(caller.accountId);
  const expected = known?.preferredCurrency ?? rows[0]?.currency;
  return rows.some(({ currency }) => currency !== expected);
}

/** Waits for other writers of the collection. */
async function writtenInTurn(
  ctx: Context,
  way: Way,
  collectionId: string,
  rows: NewTransactionRow[],
  { needed, converts }: { needed: number; converts: boolean },
): Promise<TransactionRow[] | null> {
  const { db, caller } = ctx;
  const statement = CREATE_TRANSACTIONS[way];
  const params = [caller.accountId, collectionId, JSON.stringify(rows), needed];
  const hasJoined = converts && db.isTransaction;
  if (!converts || hasJoined) {
    const how = { writes: collectionId };
    const created = await db.query<TransactionRow>(statement, [...params, hasJoined], how);
    if (created.length > 0) return created;
    if (hasJoined) return null;
  }
  const created = await converting<TransactionRow>(ctx, statement, [...params, true], collectionId);
  if (created.length === 0) return null;
  // The next one is converted at once. What is written by now does not fail where that cannot be found out.
  if (!converts) await (db.isTransaction ? learnPreferences(ctx) : learnPreferences(ctx).catch(() => {}));
  return created;
}

/** Throws `NotFound`, and `ShareUsedUp` where that alone can be why nothing was written. */
async function explained(
  ctx: Context,
  collectionId: string,
  rows: NewTransactionRow[],
  needed = rows.length,
): Promise<never> {
  const parts = rows.map(({ variant_id, action }) => ({ variantId: variant_id, action }));
  await checkParts(ctx, collectionId, parts);
  throw new ShareUsedUp(needed);
}

/** As it is stored, with a new id. */
export function rowOf(entry: CreateTransactionInput, now: Date): NewTransactionRow {
  const { variantId, occurredDate, action, quantity, unitAmount, costUnknown, fees, shipping } = entry;
  return {
    id: newId('Transaction', now.getTime()),
    variant_id: variantId,
    occurred: occurredDate,
    action,
    quantity,
    unit_amount: decimalOf(unitAmount.value),
    cost_unknown: costUnknown ?? false,
    currency: unitAmount.currency,
    fees: decimalOf(fees?.value ?? 0),
    shipping: decimalOf(shipping?.value ?? 0),
    ...detailsRow(entry),
  };
}

/** Throws `NotFound` for the part that is missing; returns where both are there. */
async function checkParts(
  ctx: Context,
  collectionId: string,
  entries: readonly Pick<CreateTransactionInput, 'variantId' | 'action'>[],
): Promise<void> {
  type State = { kind: CollectionKind };
  const [state] = await ctx.db.query<State>(COLLECTION_STATE, [ctx.caller.accountId, collectionId]);
  if (!state) throw notFound('collection');
  if (state.kind === 'Wishlist') checkWishes(entries);
  const ids = [...new Set(entries.map(({ variantId }) => variantId))];
  const wellFormed = ids.filter((id) => isIdOf('Variant', id));
  const found = await ctx.db.query<{ id: string }>(VARIANTS_EXIST, [JSON.stringify(wellFormed)]);
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined)
    throw notFound(entries.length === 1 ? 'variant' : `variant ${printable(missing)}`);
}

function checkWishes(entries: readonly Pick<CreateTransactionInput, 'action'>[]): void {
  const breaches = entries.flatMap(({ action }, i) => {
    const path = entries.length === 1 ? ['action'] : ['transactions', i, 'action'];
    return action === 'Sale' ? [{ path, detail: NOT_SOLD }] : [];
  });
  if (breaches.length > 0) throw validationFailed(breaches);
}

function printable(id: string): string {
  return isIdOf('Variant', id) ? id : 'with that id';
}
