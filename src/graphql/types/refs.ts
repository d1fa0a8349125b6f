import type { CardSet } from '../../domain/card-sets.ts';
import type { EvBreakdown, ProductEv } from '../../domain/product-ev.ts';
import type { Reason } from '../../domain/search/search-index.ts';
import type { Account, Dashboard } from '../../services/accounts/get.ts';
import type { Collection, Totals } from '../../services/collections/model.ts';
import type { GoalProgress } from '../../services/goals/get.ts';
import type { PriceAlert } from '../../services/price-alerts/model.ts';
import type { Product, Variant } from '../../services/products/model.ts';
import type { TransactionSummary } from '../../services/summaries/model.ts';
import type { Transaction } from '../../services/transactions/model.ts';
import type { Builder } from '../builder.ts';
import type { Enums } from '../enums.ts';
import type { AddMutation } from '../mutation.ts';
import type { addMoney } from './money.ts';

/** What a part of the schema is made with. */
export type SchemaParts = { builder: Builder; enums: Enums; addMutation: AddMutation } & ReturnType<
  typeof addMoney
> &
  ReturnType<typeof createRefs>;

/** The types that others refer to; each is filled in by its own file. */
export function createRefs(builder: Builder) {
  return {
    AccountType: builder.objectRef<Account>('Account'),
    CollectionType: builder.objectRef<Collection>('Collection'),
    DashboardType: builder.objectRef<Dashboard>('Dashboard'),
    EvBreakdownType: builder.objectRef<EvBreakdown>('EvBreakdown'),
    GoalProgressType: builder.objectRef<GoalProgress>('GoalProgress'),
    PriceAlertType: builder.objectRef<PriceAlert>('PriceAlert'),
    ProductEvType: builder.objectRef<ProductEv>('ProductEv'),
    ProductType: builder.objectRef<Product>('Product'),
    SearchMatchType: builder.objectRef<Reason>('SearchMatch'),
    SetType: builder.objectRef<CardSet>('Set'),
    SummaryType: builder.objectRef<TransactionSummary>('TransactionSummary'),
    TotalsType: builder.interfaceRef<Totals>('Totals'),
    TransactionType: builder.objectRef<Transaction>('Transaction'),
    VariantType: builder.objectRef<Variant>('Variant'),
  };
}
