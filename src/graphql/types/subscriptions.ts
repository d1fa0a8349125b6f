import { GraphQLError } from 'graphql';
import { summaryId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ALERTS_STREAM, type Event } from '../../services/events/follower.ts';
import type { ImportStep } from '../../services/events/import-progress.ts';
import { contextOfEvent, type GraphQLContext } from '../context.ts';
import { mustExist } from '../node.ts';
import type { SchemaParts } from './refs.ts';

interface Change {
  kind: Exclude<Event['kind'], 'Missed' | 'AlertTriggered' | 'AccountDeleted' | 'MarketImported' | 'Created'>;
  collectionId: string;
  transactionIds: string[];
  variantIds: string[];
}

/** Ids are values, but each of these is looked up as an object is. */
const LOOKED_UP = LIMITS.bulkTransactions;

/** What can be followed. */
export function addSubscriptions(parts: SchemaParts): void {
  const { builder, PriceAlertType } = parts;
  const ChangeType = addCollectionChange(parts);
  const ProgressType = addImportProgress(parts);
  builder.subscriptionType({ description: 'What can be followed, by server-sent events.' });

  builder.subscriptionField('collectionChanged', (t) =>
    t.field({
      type: ChangeType,
      description: 'Every change of a collection of yours, until it is deleted.',
      args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
      subscribe: (_root, { id }, { follow }) => follow(id),
      resolve: changeOf,
    }),
  );

  builder.subscriptionField('priceAlertTriggered', (t) =>
    t.field({
      type: PriceAlertType,
      description: 'A price alert of yours, each time that it fires, in its state when the event is sent.',
      subscribe: async (_root, _args, graphql) =>
        ofAlertsThatExist(await graphql.follow(ALERTS_STREAM), graphql),
      resolve: (event, _args, { loaders }) => {
        if (event.kind === 'Missed') throw eventsMissed();
        return mustExist(loaders.priceAlert(event.alertId!));
      },
    }),
  );

  builder.subscriptionField('importProgress', (t) =>
    t.field({
      type: ProgressType,
      description:
        'How far the import into a collection of yours is that is under way, a preview or the recording, or else the next one; to its end.',
      args: { collectionId: t.arg.id({ required: true, description: 'Id of the collection.' }) },
      subscribe: (_root, { collectionId }, { followImport }) => followImport(collectionId),
      resolve: (step) => step,
    }),
  );
}

function addImportProgress({ builder, enums }: SchemaParts) {
  return builder.objectRef<ImportStep>('ImportProgress').implement({
    description: 'How far an import is.',
    fields: (t) => ({
      phase: t.expose('phase', { type: enums.ImportPhase, description: 'What is being done.' }),
      done: t.exposeInt('done', { description: 'Rows of the file of which that is done.' }),
      total: t.exposeInt('total', {
        nullable: true,
        description: 'Rows of which it is to be done in all; null while the file is still read.',
      }),
    }),
  });
}

function addCollectionChange({ builder, CollectionType, SummaryType, TransactionType }: SchemaParts) {
  const KindType = builder.enumType('CollectionChangeKind', {
    description: 'What happened to a collection.',
    values: {
      UPDATED: { value: 'Updated', description: 'Its own fields were changed.' },
      DELETED: { value: 'Deleted', description: 'It was deleted. No more changes follow.' },
      TRANSACTIONS_CREATED: {
        value: 'TransactionsCreated',
        description: 'Transactions were recorded in it, or moved to it.',
      },
      TRANSACTION_UPDATED: { value: 'TransactionUpdated', description: 'A transaction in it was changed.' },
      TRANSACTION_DELETED: {
        value: 'TransactionDeleted',
        description: 'A transaction in it was deleted, or some were moved to another collection.',
      },
      REVALUED: {
        value: 'Revalued',
        description:
          'Market prices, exchange rates or preferences gave its amounts, and those of all in it, new values.',
      },
    } as const,
  });

  return builder.objectRef<Change>('CollectionChange').implement({
    description:
      'One change of a collection. What it names is given as it is when the change is sent, which may be newer than the change.',
    fields: (t) => ({
      kind: t.expose('kind', { type: KindType, description: 'What happened.' }),
      collectionId: t.exposeID('collectionId', { description: 'Id of the collection.' }),
      collection: t.field({
        type: CollectionType,
        nullable: true,
        description: 'The collection; null once it is deleted.',
        resolve: ({ collectionId }, _args, { loaders }) => loaders.collection(collectionId),
      }),
      transactions: t.field({
        type: [TransactionType],
        description: 'The transactions that were recorded or changed, without those that are gone again.',
        extensions: { maxItems: LIMITS.bulkTransactions },
        resolve: async ({ collectionId, transactionIds }, _args, { loaders }) =>
          present(await Promise.all(transactionIds.map((id) => transactionIn(collectionId, id, loaders)))),
      }),
      deletedTransactionIds: t.field({
        type: ['ID'],
        description: 'The transactions concerned that are gone from the collection.',
        extensions: { points: LOOKED_UP },
        resolve: async ({ collectionId, transactionIds }, _args, { loaders }) =>
          missing(transactionIds, (id) => transactionIn(collectionId, id, loaders)),
      }),
      transactionSummaries: t.field({
        type: [SummaryType],
        description: 'The summaries of the variants of these transactions.',
        extensions: { maxItems: LIMITS.bulkTransactions },
        resolve: async (change, _args, { loaders }) =>
          present(await Promise.all(summaryIds(change).map((id) => loaders.summary(id)))),
      }),
      deletedTransactionSummaryIds: t.field({
        type: ['ID'],
        description: 'Those of these summaries that are gone.',
        extensions: { points: LOOKED_UP },
        resolve: async (change, _args, { loaders }) =>
          missing(summaryIds(change), (id) => loaders.summary(id)),
      }),
    }),
  });
}

/** Null where it is gone from there, also where it was moved. */
async function transactionIn(collectionId: string, id: string, loaders: GraphQLContext['loaders']) {
  const transaction = await loaders.transaction(id);
  return transaction?.collectionId === collectionId ? transaction : null;
}

/** Without the events of alerts that were deleted since. */
function ofAlertsThatExist(
  events: AsyncIterableIterator<Event>,
  graphql: GraphQLContext,
): AsyncIterableIterator<Event> {
  return {
    async next() {
      for (;;) {
        const next = await events.next();
        if (next.done || next.value.kind === 'Missed') return next;
        const { loaders } = contextOfEvent(graphql);
        if (await loaders.priceAlert(next.value.alertId!)) return next;
      }
    },
    return: () => events.return!(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function changeOf(event: Event): Change {
  if (event.kind === 'Missed') throw eventsMissed();
  return {
    // Nobody follows what is not there yet.
    kind: event.kind === 'Created' ? 'Updated' : (event.kind as Change['kind']),
    collectionId: event.stream,
    transactionIds: event.transactionIds ?? [],
    variantIds: event.variantIds ?? [],
  };
}

function eventsMissed(): GraphQLError {
  const message = `The events after the last one that you know are not kept any more (${LIMITS.eventHours} hours). Read again what you show; what comes from now on follows here.`;
  return new GraphQLError(message, { extensions: { code: 'EVENTS_MISSED' } });
}

function summaryIds({ collectionId, variantIds }: Change): string[] {
  return variantIds.map((variantId) => summaryId(collectionId, variantId));
}

function present<T>(items: readonly (T | null)[]): T[] {
  return items.filter((item) => item !== null);
}

async function missing(ids: readonly string[], load: (id: string) => Promise<unknown>): Promise<string[]> {
  const found = await Promise.all(ids.map(load));
  return ids.filter((_, i) => found[i] === null);
}
