import type { ObjectRef } from '@pothos/core';
import type { CardSet } from '../../domain/card-sets.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { EvBreakdown, ProductEv } from '../../domain/product-ev.ts';
import type { Reason } from '../../domain/search/search-index.ts';
import type { Account, Dashboard } from '../../services/accounts/get.ts';
import type { Collection, Totals } from '../../services/collections/model.ts';
import type { GoalProgress } from '../../services/goals/get.ts';
import type { PriceAlert } from '../../services/price-alerts/model.ts';
import type { Product, Variant } from '../../services/products/model.ts';
import type { FoundSummaries } from '../../services/summaries/list.ts';
import type { TransactionSummary } from '../../services/summaries/model.ts';
import type { Transaction } from '../../services/transactions/model.ts';
import type { Builder, BuilderTypes } from '../builder.ts';
import { connectionNames } from '../connection.ts';
import type { Enums } from '../enums.ts';
import type { AddMutation } from '../mutation.ts';
import type { addMoney } from './money.ts';
import { addTransactionFilter } from './transaction-filter.ts';

/** What a part of the schema is made with. */
export type SchemaParts = { builder: Builder; enums: Enums; addMutation: AddMutation } & ReturnType<
  typeof addMoney
> &
  ReturnType<typeof createRefs>;

/** The types that others refer to; each is filled in by its own file. */
export function createRefs(builder: Builder, enums: Enums) {
  const SearchMatchType = builder.objectRef<Reason>('SearchMatch');
  const SummaryType = builder.objectRef<TransactionSummary>('TransactionSummary');
  const TransactionType = builder.objectRef<Transaction>('Transaction');
  return {
    SummaryConnection: summaryConnection(builder, SummaryType, SearchMatchType),
    TransactionConnection: builder.connectionObject(
      { type: TransactionType, ...connectionNames('Transaction')[0] },
      connectionNames('Transaction')[1],
    ),
    AccountType: builder.objectRef<Account>('Account'),
    CollectionType: builder.objectRef<Collection>('Collection'),
    DashboardType: builder.objectRef<Dashboard>('Dashboard'),
    EvBreakdownType: builder.objectRef<EvBreakdown>('EvBreakdown'),
    GoalProgressType: builder.objectRef<GoalProgress>('GoalProgress'),
    PriceAlertType: builder.objectRef<PriceAlert>('PriceAlert'),
    ProductEvType: builder.objectRef<ProductEv>('ProductEv'),
    ProductType: builder.objectRef<Product>('Product'),
    SearchMatchType,
    SetType: builder.objectRef<CardSet>('Set'),
    SummaryType,
    TotalsType: builder.interfaceRef<Totals>('Totals'),
    TransactionFilterInput: addTransactionFilter(builder, enums),
    TransactionType,
    VariantType: builder.objectRef<Variant>('Variant'),
  };
}

/** Also of fields without a query, which nothing matches. */
function summaryConnection(
  builder: Builder,
  SummaryType: ObjectRef<BuilderTypes, TransactionSummary>,
  SearchMatchType: ObjectRef<BuilderTypes, Reason>,
) {
  const [connection, edge] = connectionNames('TransactionSummary');
  const SummaryEdge = builder.edgeObject({
    ...edge,
    type: SummaryType,
    fields: (t) => ({
      matches: t.field({
        type: [SearchMatchType],
        description: `What of the searchQuery the holding matches, and where: its words, then its other parts in their order; the first ${LIMITS.searchMatches}.`,
        extensions: { maxItems: LIMITS.searchMatches },
        resolve: (found) => {
          // A page of `listSummaries`.
          const { node, page } = found as unknown as { node: TransactionSummary; page: FoundSummaries };
          return page.reasons?.(node) ?? [];
        },
      }),
    }),
  });
  return builder.connectionObject({ type: SummaryType, ...connection }, SummaryEdge);
}
