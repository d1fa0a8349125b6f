import { typeOfId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { withCommas } from '../../lib/text.ts';
import { createPriceAlert } from '../../services/price-alerts/create.ts';
import { deletePriceAlert } from '../../services/price-alerts/delete.ts';
import { countPriceAlerts, listPriceAlerts, PRICE_ALERT_ORDER } from '../../services/price-alerts/list.ts';
import type { PriceAlert, PriceAlertTrigger } from '../../services/price-alerts/model.ts';
import { connectionNames, connectionOf } from '../connection.ts';
import { insteadOf } from '../deprecated.ts';
import { addDeletion } from '../mutation.ts';
import { collectionOf, givenBy, mustExist } from '../node.ts';
import type { SchemaParts } from './refs.ts';

/** Price alerts: their type, the account's list of them, and their mutations. */
export function addPriceAlerts(parts: SchemaParts): void {
  addPriceAlertType(parts);
  addPriceAlertList(parts);
  addPriceAlertMutations(parts);
}

function addPriceAlertType(parts: SchemaParts): void {
  const { builder, enums, MoneyType, PriceAlertType } = parts;
  const TargetType = addTarget(parts);
  const TriggerType = addTrigger(parts);
  builder.node(PriceAlertType, {
    id: { resolve: ({ id }) => id, description: 'Global id, `alr_…`.' },
    description:
      'Waits for a price. It is judged after each import of prices or exchange rates, fires once when its condition becomes true, and again only after that has been false.',
    fields: (t) => ({
      target: t.field({
        type: TargetType,
        description: 'What it is on: the price of a variant, or the market value of a collection.',
        resolve: ({ targetId }, _args, graphql) =>
          typeOfId(targetId) === 'Variant'
            ? mustExist(graphql.loaders.variant(targetId))
            : collectionOf(targetId, graphql),
      }),
      condition: t.expose('condition', {
        type: enums.PriceAlertCondition,
        description: 'What it waits for.',
      }),
      amount: t.expose('amount', {
        type: MoneyType,
        nullable: true,
        description: 'The amount that the value must be above or below; null for a change.',
      }),
      percent: t.exposeFloat('percent', {
        nullable: true,
        description: 'The least change, in percent; null unless it is on a change.',
      }),
      days: t.exposeInt('days', {
        nullable: true,
        description: 'Over how many days; null unless it is on a change.',
      }),
      direction: t.expose('direction', {
        type: enums.ChangeDirection,
        nullable: true,
        description: 'Where the value must move; null unless it is on a change.',
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
      isMet: t.exposeBoolean('isMet', {
        description: 'Whether the condition was true when it was judged last; it fires when it becomes true.',
      }),
      triggerCount: t.exposeInt('triggerCount', { description: 'How often it has fired.' }),
      lastTrigger: t.expose('lastTrigger', {
        type: TriggerType,
        nullable: true,
        description: 'When it fired last; null where it never did.',
      }),
    }),
  });
}

function addTarget({ builder, CollectionType, VariantType }: SchemaParts) {
  return builder.unionType('PriceAlertTarget', {
    description: 'What a price alert is on.',
    types: [VariantType, CollectionType],
    resolveType: ({ id }) => typeOfId(id) ?? undefined,
  });
}

function addTrigger({ builder, MoneyType }: SchemaParts) {
  return builder.objectRef<PriceAlertTrigger>('PriceAlertTrigger').implement({
    description: 'A time that a price alert fired.',
    fields: (t) => ({
      triggeredAt: t.expose('triggeredAt', { type: 'DateTime', description: 'When it fired.' }),
      day: t.expose('day', {
        type: 'Date',
        description: 'The day of the prices that made it fire.',
      }),
      value: t.expose('value', {
        type: MoneyType,
        description: "The value by those prices, in the alert's currency or, for a change, yours.",
      }),
      change: t.exposeFloat('change', {
        nullable: true,
        description: 'By how much the value had moved, in percent; null unless the alert is on a change.',
      }),
    }),
  });
}

function addPriceAlertList({ builder, AccountType, PriceAlertType }: SchemaParts): void {
  builder.objectField(AccountType, 'priceAlerts', (t) =>
    t.connection(
      {
        type: PriceAlertType,
        description: 'Your price alerts, oldest first.',
        resolve: (_account, args, { context }) =>
          connectionOf(
            args,
            PRICE_ALERT_ORDER,
            (request) => listPriceAlerts(context, request),
            () => countPriceAlerts(context),
          ),
      },
      ...connectionNames('PriceAlert'),
    ),
  );
}

function addPriceAlertMutations(parts: SchemaParts): void {
  const { addMutation, enums, MoneyInput, PriceAlertType } = parts;
  const WhenInput = addWhen(parts);
  addMutation<{ priceAlert: PriceAlert }>({
    name: 'createPriceAlert',
    description: `Creates a price alert; an account may have ${LIMITS.priceAlerts}. A condition that is true already does not make it fire.`,
    problems: ['NotFound', 'LimitExceeded'],
    fields: (t) => ({
      targetId: t.id({ required: true, description: 'The variant or the collection that it is on.' }),
      when: t.field({
        type: WhenInput,
        description: 'What it waits for. Required, unless the deprecated fields are given in its place.',
      }),
      condition: t.field({
        type: enums.PriceAlertCondition,
        description: 'What it waits for.',
        deprecationReason: insteadOf('when'),
      }),
      amount: t.field({
        type: MoneyInput,
        description: 'For `ABOVE` and `BELOW`: the amount, in any currency.',
        deprecationReason: insteadOf('when'),
      }),
      percent: t.float({
        description: `For \`CHANGE\`: ${PERCENT}`,
        deprecationReason: insteadOf('when.change'),
      }),
      days: t.int({
        description: `For \`CHANGE\`: ${DAYS}`,
        deprecationReason: insteadOf('when.change'),
      }),
      direction: t.field({
        type: enums.ChangeDirection,
        description: 'For `CHANGE`: `EITHER` where it is left out.',
        deprecationReason: insteadOf('when.change'),
      }),
    }),
    payload: (t) => ({
      priceAlert: t.field({
        type: PriceAlertType,
        description: 'The new price alert.',
        resolve: ({ priceAlert }, _args, graphql) =>
          givenBy(graphql, priceAlert, () => graphql.loaders.priceAlert(priceAlert.id)),
      }),
    }),
    verb: async (ctx, input) => ({ priceAlert: await createPriceAlert(ctx, input) }),
  });

  addDeletion(addMutation, {
    name: 'deletePriceAlert',
    description: 'Deletes a price alert.',
    problems: ['NotFound'],
    remove: deletePriceAlert,
  });
}

const PERCENT = `percent, ${LIMITS.alertMinPercent} to ${withCommas(LIMITS.alertMaxPercent)} with at most ${LIMITS.alertPercentDecimals} decimals; at most 100 for a fall.`;
const DAYS = `over how many days, 1 to ${LIMITS.alertDays}.`;

function addWhen({ builder, enums, MoneyInput }: SchemaParts) {
  const ChangeInput = builder.inputType('PriceChangeInput', {
    description: 'A change of a value against that of some days before.',
    fields: (t) => ({
      percent: t.float({ required: true, description: `By at least how much: ${PERCENT}` }),
      days: t.int({ required: true, description: `Counted ${DAYS}` }),
      direction: t.field({
        type: enums.ChangeDirection,
        defaultValue: 'Either',
        description: 'Where the value moves.',
      }),
    }),
  });
  return builder.inputType('PriceAlertWhenInput', {
    description: 'What a price alert waits for.',
    isOneOf: true,
    fields: (t) => ({
      above: t.field({ type: MoneyInput, description: 'The value is more than this, in any currency.' }),
      below: t.field({ type: MoneyInput, description: 'The value is less than this, in any currency.' }),
      change: t.field({
        type: ChangeInput,
        description: 'The value has moved by a percentage or more, against that of some days before.',
      }),
    }),
  });
}
