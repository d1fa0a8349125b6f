import type { Param } from '../../db/client.ts';
import {
  type DetailsRow,
  TRANSACTION_STATE,
  type TransactionRow,
  UPDATE_TRANSACTION,
  type Way,
} from '../../db/queries/ledger.ts';
import { LOCKS } from '../../db/turns.ts';
import { type CollectionKind, NOT_SOLD } from '../../domain/collections.ts';
import { dateOf } from '../../domain/dates.ts';
import { type Breach, notFound, validationFailed } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import { COST_OF_SALE, transactionRules, type UpdateTransactionInput } from '../../domain/inputs.ts';
import { decimalOf } from '../../domain/money.ts';
import { parseInput } from '../../domain/parse-input.ts';
import type { Action, ClearedDetail } from '../../domain/transactions.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { idempotently } from '../idempotency.ts';
import { checkRevision, type RequiredRevisions, revisionsParam } from '../revision.ts';
import { converting } from './converted.ts';
import { addCosts } from './costs.ts';
import { detailsRow, type Transaction, transactionOf, withDetails } from './model.ts';
import { byCostBasis } from './ways.ts';

/** Changes the fields that are given and not null. Throws `ValidationFailed`, `NotFound`, `PreconditionFailed`. */
export async function updateTransaction(
  ctx: Context,
  id: string,
  changes: unknown,
  revisions: RequiredRevisions = null,
): Promise<Transaction> {
  const parsed = parseInput(transactionRules(dateOf(ctx.now())).update, changes);
  const updated = await idempotently(
    ctx,
    'updateTransaction',
    { id, ...parsed },
    (once) => update(once, id, parsed, revisions),
    { writes: LOCKS.someCollection },
  );
  return withDetails(updated);
}

async function update(
  ctx: Context,
  id: string,
  changes: UpdateTransactionInput,
  revisions: RequiredRevisions,
): Promise<Transaction> {
  if (!isIdOf('Transaction', id)) throw notFound('transaction');
  const { occurredDate, action, quantity, unitAmount, costUnknown, fees, shipping } = changes;
  const params = [
    ctx.caller.accountId,
    id,
    occurredDate ?? null,
    action ?? null,
    quantity ?? null,
    unitAmount ? decimalOf(unitAmount.value) : null,
    unitAmount?.currency ?? null,
    revisionsParam(revisions),
    fees ? decimalOf(fees.value) : null,
    shipping ? decimalOf(shipping.value) : null,
    (fees ?? shipping)?.currency ?? null,
    JSON.stringify({ ...detailsRow(changes), ...cleared(changes) }),
    costUnknown ?? null,
  ];
  const { accountId } = ctx.caller;
  const row = await byCostBasis(ctx, LOCKS.someCollection, async (once, way) => {
    const [before, updated] = await updatedIn(once, way, params);
    if (!before || !updated) return null;
    if (way === 'ordered') await addCosts(once, updated.collectionId, [updated], [before]);
    return updated;
  });
  if (!row) {
    checkChange(await checkTransaction(ctx, id, revisions), changes);
    // It was there a moment ago.
    throw notFound('transaction');
  }
  announceCollections(ctx.db, accountId, [{ id: row.collectionId }]);
  return transactionOf(row);
}

const CLEARED: Record<ClearedDetail, Partial<DetailsRow>> = {
  CardCondition: { card_condition: null },
  Grade: { grade_company: null, grade: null, certificate: null },
  Language: { language: null },
};

function cleared({ clear }: UpdateTransactionInput): Partial<DetailsRow> {
  return Object.assign({}, ...(clear ?? []).map((detail) => CLEARED[detail]));
}

/** As it was, and as it is; who converts nothing waits for no import of rates. */
async function updatedIn(ctx: Context, way: Way, params: readonly Param[]): Promise<TransactionRow[]> {
  const writes = LOCKS.someCollection;
  const statement = UPDATE_TRANSACTION[way];
  const updated = await ctx.db.query<TransactionRow>(statement, [...params, false], { writes });
  if (updated.length > 0) return updated;
  return converting<TransactionRow>(ctx, statement, [...params, true], writes);
}

/** Throws what a write that found no transaction fails by: `NotFound`, or `PreconditionFailed` at another revision. */
export async function checkTransaction(
  ctx: Context,
  id: string,
  revisions: RequiredRevisions,
): Promise<TransactionState> {
  const [state] = await ctx.db.query<TransactionState>(TRANSACTION_STATE, [ctx.caller.accountId, id]);
  if (!state) throw notFound('transaction');
  checkRevision(state.revision, revisions);
  return state;
}

interface TransactionState {
  revision: number;
  action: Action;
  costUnknown: boolean;
  currency: string;
  fees: string;
  shipping: string;
  kind: CollectionKind;
}

/** Throws `ValidationFailed` where what is given does not fit what is there. */
function checkChange(state: TransactionState, changes: UpdateTransactionInput): void {
  const currency = changes.unitAmount?.currency ?? state.currency;
  const breaches: Breach[] = [];
  if (state.kind === 'Wishlist' && changes.action === 'Sale')
    breaches.push({ path: ['action'], detail: NOT_SOLD });
  const isUnknown = changes.costUnknown ?? (state.costUnknown && !changes.unitAmount);
  if (isUnknown && (changes.action ?? state.action) === 'Sale')
    breaches.push(
      state.costUnknown && !changes.costUnknown
        ? {
            path: ['unitAmount'],
            detail: 'is required: the cost of the purchase is not known, and a sale has an amount',
          }
        : { path: ['costUnknown'], detail: COST_OF_SALE },
    );
  for (const name of ['fees', 'shipping'] as const) {
    const given = changes[name];
    if (given && given.currency !== currency) {
      const detail = `must be ${currency}, as that of the transaction's unitAmount`;
      breaches.push({ path: [name, 'currency'], detail });
    } else if (!given && state[name] !== '0' && currency !== state.currency) {
      const detail = `is required: the transaction has ${name} in ${state.currency}, and unitAmount is to be in ${currency}; 0 takes them away`;
      breaches.push({ path: [name], detail });
    }
  }
  if (breaches.length > 0) throw validationFailed(breaches);
}
