import { type GraphQLSchema, specifiedDirectives } from 'graphql';
import { createBuilder } from './builder.ts';
import { addEnums } from './enums.ts';
import { mutationAdder } from './mutation.ts';
import { withPlainFields } from './plain-fields.ts';
import { SemanticNonNull } from './semantic-non-null.ts';
import { addAccounts } from './types/accounts.ts';
import { addAllocation } from './types/allocation.ts';
import { addCatalogue } from './types/catalogue.ts';
import { addCollections } from './types/collections.ts';
import { addErrorTypes } from './types/errors.ts';
import { addEvs } from './types/evs.ts';
import { addGoals } from './types/goals.ts';
import { addHistory } from './types/history.ts';
import { addIdentityProviders } from './types/identity-providers.ts';
import { addImportPreviews } from './types/import-previews.ts';
import { addMarketIndex } from './types/market-index.ts';
import { addMoney } from './types/money.ts';
import { addMovers } from './types/movers.ts';
import { addMoves } from './types/moves.ts';
import { addNodes } from './types/nodes.ts';
import { addPriceAlerts } from './types/price-alerts.ts';
import { addRealizedGains } from './types/realized-gains.ts';
import { createRefs, type SchemaParts } from './types/refs.ts';
import { addScalars } from './types/scalars.ts';
import { addSearch } from './types/search.ts';
import { addSets } from './types/sets.ts';
import { addSubAccounts } from './types/sub-accounts.ts';
import { addSubscriptions } from './types/subscriptions.ts';
import { addSummaries } from './types/summaries.ts';
import { addTotals } from './types/totals.ts';
import { addTransactionLists } from './types/transaction-lists.ts';
import { addTransactions } from './types/transactions.ts';
import { addTransfer } from './types/transfer.ts';
import { addWebhooks } from './types/webhooks.ts';

const ADD_PARTS: ((parts: SchemaParts) => void)[] = [
  addNodes,
  addTotals,
  addTransactionLists,
  addSets,
  addCatalogue,
  addSearch,
  addEvs,
  addAccounts,
  addSubAccounts,
  addIdentityProviders,
  addCollections,
  addTransactions,
  addSummaries,
  addHistory,
  addRealizedGains,
  addMovers,
  addMarketIndex,
  addAllocation,
  addGoals,
  addMoves,
  (parts) => addImportPreviews(parts, addTransfer(parts)),
  addPriceAlerts,
  addWebhooks,
  addSubscriptions,
];

let schema: GraphQLSchema | undefined;

/** The GraphQL schema (docs/decisions.md#graphql), which all of a process share: nothing changes it. */
export function createSchema(): GraphQLSchema {
  schema ??= builtSchema();
  return schema;
}

function builtSchema(): GraphQLSchema {
  const builder = createBuilder();
  builder.queryType({ description: 'What can be read.' });
  builder.globalConnectionField('totalCount', (t) =>
    t.int({ description: 'How many items the list has in all.', resolve: ({ totalCount }) => totalCount() }),
  );
  addScalars(builder);
  const enums = addEnums(builder);
  const addMutation = mutationAdder(builder, addErrorTypes(builder));
  const parts = { builder, enums, addMutation, ...addMoney(builder, enums), ...createRefs(builder, enums) };
  for (const add of ADD_PARTS) add(parts);
  return withPlainFields(builder.toSchema({ directives: [...specifiedDirectives, SemanticNonNull] }));
}
