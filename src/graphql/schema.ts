import { type GraphQLSchema, specifiedDirectives } from 'graphql';
import { createBuilder } from './builder.ts';
import { addEnums } from './enums.ts';
import { mutationAdder } from './mutation.ts';
import { withPlainFields } from './plain-fields.ts';
import { SemanticNonNull } from './semantic-non-null.ts';
import { addCatalogueTypes } from './types/catalogue.ts';
import { addCollectionTypes } from './types/collections.ts';
import { addErrorTypes } from './types/errors.ts';
import { addEvTypes } from './types/evs.ts';
import { addHistory } from './types/history.ts';
import { addMoney } from './types/money.ts';
import { addMutations } from './types/mutations.ts';
import { addPriceAlerts } from './types/price-alerts.ts';
import { addCatalogueQueries } from './types/queries.ts';
import { addSafeInt } from './types/safe-int.ts';
import { addSubscriptions } from './types/subscriptions.ts';
import { addTransfer } from './types/transfer.ts';

/** The GraphQL schema (docs/decisions.md#graphql). */
export function createSchema(): GraphQLSchema {
  const builder = createBuilder();
  builder.queryType({ description: 'What can be read.' });
  builder.globalConnectionField('totalCount', (t) =>
    t.int({ description: 'How many items the list has in all.', resolve: ({ totalCount }) => totalCount() }),
  );
  addSafeInt(builder);
  const enums = addEnums(builder);
  const money = addMoney(builder, enums);
  const catalogue = addCatalogueTypes(builder, enums, money);
  const evs = addEvTypes(builder, enums, money, catalogue);
  const collections = addCollectionTypes(builder, enums, money, catalogue);
  addHistory(builder, enums, money, collections);
  addCatalogueQueries(builder, enums, { ...catalogue, ...evs });
  const addMutation = mutationAdder(builder, addErrorTypes(builder));
  addMutations(builder, addMutation, { enums, money, collections });
  const alerts = addPriceAlerts(builder, addMutation, enums, { ...money, ...catalogue, ...collections });
  addSubscriptions(builder, { ...collections, ...alerts });
  addTransfer(builder, addMutation, { enums, money, collections });
  return withPlainFields(builder.toSchema({ directives: [...specifiedDirectives, SemanticNonNull] }));
}
