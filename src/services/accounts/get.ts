import type { HotHow } from '../../db/client.ts';
import { ACCOUNT, type AccountRow, DASHBOARD } from '../../db/queries/accounts.ts';
import { TRANSACTION_COUNT } from '../../db/queries/shares.ts';
import type { StoredValueRow } from '../../db/queries/valuation.ts';
import type { CostBasis } from '../../domain/cost-basis.ts';
import { accountIdOf } from '../../domain/credentials.ts';
import type { Currency } from '../../domain/currencies.ts';
import { DomainError } from '../../domain/errors.ts';
import type { PriceSource } from '../../domain/inputs.ts';
import { DecimalSum, difference, ratioOf } from '../../domain/money.ts';
import { RoundedTotals, type TotalsRow } from '../collections/model.ts';
import { readValued, wayOf } from '../collections/valued.ts';
import { type Context, observed } from '../context.ts';
import type { LedgerState } from '../summaries/ledgers.ts';

export interface Account {
  /** `acc_` and the uuid. */
  id: string;
  name: string;
  preferredCurrency: Currency;
  preferredPriceSource: PriceSource;
  costBasis: CostBasis;
  maxCollections: number;
  maxValuedCollections: number;
  maxTransactions: number;
  /** Below it. */
  maxAccounts: number;
  collectionCount: number;
  valuedCollectionCount: number;
  accountCount: number;
  createdAt: string;
}

/** The caller's account. @param how as statements are sent */
export async function getAccount(ctx: Context, how?: HotHow): Promise<Account> {
  const [row] = await ctx.db.hot<AccountRow>(ACCOUNT, [ctx.caller.accountId], how);
  if (!row) throw new DomainError('Unauthorized', 'The account of this token does not exist any more.');
  return {
    ...row,
    id: accountIdOf(row.id),
    preferredCurrency: row.preferredCurrency as Currency,
    preferredPriceSource: row.preferredPriceSource as PriceSource,
    costBasis: row.costBasis as CostBasis,
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

/** The transactions of all collections of the caller. */
export async function countTransactions({ db, caller }: Context): Promise<number> {
  const [count] = await db.hot<{ current: number }>(TRANSACTION_COUNT, [caller.accountId]);
  return count?.current ?? 0;
}

type DashboardRow = TotalsRow & {
  costBasis: string;
  collectionCount: number;
  marketRevision: number;
  stale: LedgerState[];
};

export class Dashboard extends RoundedTotals {
  /** Valued collections, which are those that are summed. */
  readonly collectionCount: number;
  readonly transactionCount: number;

  constructor(row: DashboardRow) {
    super(row);
    this.collectionCount = row.collectionCount;
    this.transactionCount = row.transactionCount;
  }
}

/** The sums over the caller's valued collections. */
export async function getDashboard(ctx: Context): Promise<Dashboard> {
  const rows = await readValued(
    ctx,
    (source) => ctx.db[wayOf(source)]<DashboardRow>(DASHBOARD[source], [ctx.caller.accountId]),
    ([row]) => row!.stale,
    withSums,
  );
  return new Dashboard(observed(ctx, rows)[0]!);
}

/** Null but where the values of all that is summed were just stored. */
function withSums([row]: DashboardRow[], stored: readonly StoredValueRow[]): DashboardRow[] | null {
  const { stale, collectionCount } = row!;
  const states = new Map(stored.map(({ id, was }) => [id, was]));
  const [marketRevision, other] = new Set(stored.map(({ marketRevision }) => marketRevision));
  const isWhole =
    stale.length === collectionCount && stale.every(({ id, ledgerState }) => states.get(id) === ledgerState);
  if (!isWhole || marketRevision === undefined || other !== undefined) return null;
  const sumOf = (amount: 'marketValue' | 'gain' | 'unknownCostValue') => {
    const sum = new DecimalSum();
    for (const value of stored) sum.add(value[amount]);
    return sum.text;
  };
  const countOf = (cards: 'unpriced' | 'unknownCost') => stored.reduce((sum, value) => sum + value[cards], 0);
  const [marketValue, gain, unknownCostValue] = [
    sumOf('marketValue'),
    sumOf('gain'),
    sumOf('unknownCostValue'),
  ];
  return [
    {
      ...row!,
      marketRevision,
      marketValue,
      gain,
      unpriced: countOf('unpriced'),
      unknownCost: countOf('unknownCost'),
      unknownCostValue,
      percentageGain: ratioOf(gain, difference(difference(marketValue, unknownCostValue), gain)),
      stale: [],
    },
  ];
}
