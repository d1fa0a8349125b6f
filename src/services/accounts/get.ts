import { ACCOUNT, type AccountRow, DASHBOARD } from '../../db/queries/accounts.ts';
import type { Currency } from '../../domain/currencies.ts';
import { DomainError } from '../../domain/errors.ts';
import type { PriceSource } from '../../domain/inputs.ts';
import { RoundedTotals, type TotalsRow } from '../collections/model.ts';
import { readValued } from '../collections/valued.ts';
import { type Context, observed } from '../context.ts';
import type { LedgerState } from '../summaries/ledgers.ts';

export interface Account {
  /** `acc_` and the uuid. */
  id: string;
  name: string;
  preferredCurrency: Currency;
  preferredPriceSource: PriceSource;
  maxCollections: number;
  maxValuedCollections: number;
  collectionCount: number;
  valuedCollectionCount: number;
  createdAt: string;
}

/** The caller's account. */
export async function getAccount(ctx: Context): Promise<Account> {
  const [row] = await ctx.db.hot<AccountRow>(ACCOUNT, [ctx.caller.accountId]);
  if (!row) throw new DomainError('Unauthorized', 'The account of this token does not exist any more.');
  return {
    ...row,
    id: `acc_${row.id}`,
    preferredCurrency: row.preferredCurrency as Currency,
    preferredPriceSource: row.preferredPriceSource as PriceSource,
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

type DashboardRow = TotalsRow & { collectionCount: number; marketRevision: number; stale: LedgerState[] };

export class Dashboard extends RoundedTotals {
  /** Valued collections, which are those that are summed. */
  readonly collectionCount: number;

  constructor(row: DashboardRow) {
    super(row);
    this.collectionCount = row.collectionCount;
  }
}

/** The sums over the caller's valued collections. */
export async function getDashboard(ctx: Context): Promise<Dashboard> {
  const rows = await readValued(
    ctx,
    (source) => ctx.db.hot<DashboardRow>(DASHBOARD[source], [ctx.caller.accountId]),
    ([row]) => row!.stale,
  );
  return new Dashboard(observed(ctx, rows)[0]!);
}
