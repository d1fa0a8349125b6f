import type { HotHow } from '../../db/client.ts';
import { ACCOUNT, type AccountRow, DASHBOARD } from '../../db/queries/accounts.ts';
import { TRANSACTION_COUNT } from '../../db/queries/shares.ts';
import type { CostBasis } from '../../domain/cost-basis.ts';
import { accountIdOf } from '../../domain/credentials.ts';
import type { Currency } from '../../domain/currencies.ts';
import { DomainError } from '../../domain/errors.ts';
import type { PriceSource } from '../../domain/inputs.ts';
import { DecimalSum } from '../../domain/money.ts';
import type { LedgerValue } from '../../memory/ledgers.ts';
import { RoundedTotals, type TotalsRow } from '../collections/model.ts';
import {
  percentageGainOf,
  readValued,
  type StaleLedger,
  type WorthOf,
  wayOf,
} from '../collections/valued.ts';
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
  // The amounts beside it must be of the same.
  observed(ctx, [{ currency: row.preferredCurrency, costBasis: row.costBasis }]);
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
  /** The newest one. */
  marketRevision: number;
  /** What they are worth is in none of the sums. */
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
    ([row]) => staleIn(row!),
    withSums,
  );
  return new Dashboard(observed(ctx, rows)[0]!);
}

function staleIn({ stale, marketRevision: pricingRevision }: DashboardRow): StaleLedger[] {
  return stale.map((ledger) => ({ ...ledger, pricingRevision }));
}

/** With what the stale ones are worth; null where that of one is not known. */
function withSums([row]: DashboardRow[], worthOf: WorthOf): DashboardRow[] | null {
  const values: (LedgerValue | undefined)[] = [row, ...staleIn(row!).map(worthOf)];
  if (!values.every((value) => value !== undefined)) return null;
  const sumOf = (amount: 'marketValue' | 'gain' | 'unknownCostValue') => {
    const sum = new DecimalSum();
    for (const value of values) sum.add(value[amount]);
    return sum.text;
  };
  const countOf = (cards: 'unpriced' | 'unknownCost') => values.reduce((sum, value) => sum + value[cards], 0);
  const sums = {
    marketValue: sumOf('marketValue'),
    gain: sumOf('gain'),
    unpriced: countOf('unpriced'),
    unknownCost: countOf('unknownCost'),
    unknownCostValue: sumOf('unknownCostValue'),
  };
  return [{ ...row!, ...sums, percentageGain: percentageGainOf(sums) }];
}
