import { setTimeout as sleep } from 'node:timers/promises';
import { type GraphQLError, OperationTypeNode } from 'graphql';
import { ClientLeft } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { fewAtATime } from '../lib/few-at-a-time.ts';
import { workFor } from '../lib/processor-time.ts';
import { assertAwaited, platformAbove } from '../services/context.ts';
import { isUnavailable } from '../services/events/follower.ts';
import { assertMayChange } from '../services/may-change.ts';
import { inOneMarket } from '../services/one-market.ts';
import { boundsOf, boundsOfReading } from './bounds.ts';
import {
  contextOfEvent,
  contextOfMutation,
  createGraphQLContext,
  type GraphQLContext,
  letReplicasAnswer,
} from './context.ts';
import { type Cost, chargeTo } from './cost/limits.ts';
import type { ExecuteMutation, Execution } from './execute/operation.ts';
import type { Prepared } from './prepare.ts';
import { JsonData } from './result.ts';

/** What is executed: an operation that was admitted, and the values of its variables. */
export interface Admitted {
  /** As it was known before; each execution adds what it reads. */
  cost: Cost;
  prepared: Prepared;
  variableValues: Record<string, unknown>;
}

/** Executes a query or a mutation, observed; the amounts of a query, and those of each mutation, are all of one state of the market. */
export async function runOperation(admitted: Admitted, graphql: GraphQLContext) {
  const result = await observed(admitted, graphql, async () => {
    if (admitted.prepared.operation.operation === OperationTypeNode.MUTATION)
      assertMayChange(graphql.context);
    return executed(admitted, graphql);
  });
  return resultOf(result);
}

const fewOfAnAccount = fewAtATime(LIMITS.largeOperationsPerCaller);
const fewBelowAPlatform = fewAtATime(LIMITS.largeOperationsPerPlatform);

/**
 * Large operations, and events, few at a time: what many of them have loaded the collector of garbage would move, and all others wait for. Mutations
 * apart from the others, as they may wait for the place of a large batch meanwhile.
 */
function fewOfLarge<T>(
  kind: 'reading' | 'changing',
  points: number,
  { context }: GraphQLContext,
  execute: () => Promise<T>,
): Promise<T> {
  if (points < LIMITS.largeOperationPoints) return execute();
  const { caller, leaving, work } = context;
  const begin = async () => {
    assertAwaited(leaving);
    workFor(work);
    return execute();
  };
  const platform = platformAbove(caller);
  const ofAll = () =>
    platform === undefined ? begin() : fewBelowAPlatform(`${kind} ${platform}`, begin, leaving);
  return fewOfAnAccount(`${kind} ${caller.accountId}`, ofAll, leaving);
}

/** Begins a subscription, observed until its stream begins: its results, or the errors that say why there are none. */
export async function runSubscription(admitted: Admitted, graphql: GraphQLContext) {
  const { prepared, variableValues } = admitted;
  const events = await observed(admitted, graphql, () =>
    prepared.compiled.subscribe({ context: graphql, variableValues }),
  );
  return 'errors' in events ? events : resultsOf(admitted, graphql, events);
}

function executed(admitted: Admitted, graphql: GraphQLContext): Promise<Execution> {
  const { prepared, cost } = admitted;
  const isQuery = prepared.operation.operation === OperationTypeNode.QUERY;
  return fewOfLarge(isQuery ? 'reading' : 'changing', cost.requested, graphql, async () =>
    isQuery ? queried(admitted, graphql) : mutated(admitted, graphql),
  );
}

async function queried(admitted: Admitted, graphql: GraphQLContext): Promise<Execution> {
  // It may have waited for others.
  graphql.context.work?.assertLeft();
  letReplicasAnswer(graphql);
  return executedInOneMarket(admitted, graphql, admitted.cost.requested);
}

function mutated(
  { prepared, variableValues, cost }: Admitted,
  graphql: GraphQLContext,
): Promise<Execution> | Execution {
  const known = cost.requested;
  graphql.context.charge = chargeTo(cost, known);
  const shared = { hasBegun: false, hasChanged: false };
  return prepared.compiled.execute({
    context: graphql,
    variableValues,
    bounds: boundsOf(graphql),
    eachMutation(execute) {
      const admitted = { prepared, cost: { ...cost, requested: known } };
      return mutatedInOneMarket(execute, contextOfMutation(graphql, shared), admitted);
    },
  });
}

/**
 * One mutation, which is done once. Where a change of the market came between its statements, what it is answered with is read once more in a
 * snapshot, in which nothing can be changed: what its verb gave stands for it. Where this reading fails, the first one is the answer: nobody is
 * to take what was done for failed.
 *
 * @param admitted with the cost before it was executed, by which this reading is bounded as the first was
 */
async function mutatedInOneMarket(
  execute: ExecuteMutation,
  graphql: GraphQLContext,
  { prepared, cost }: Pick<Admitted, 'prepared' | 'cost'>,
): Promise<Execution> {
  const { context, mutation, requestId, log } = graphql;
  const result = await execute({ context: graphql });
  const hasLeft = context.leaving?.aborted;
  if (!context.seen!.isMixed && !hasLeft) return result;
  const isDone = await mutation!.outcome?.then(
    () => true,
    () => false,
  );
  if (!isDone) return result;
  if (hasLeft) return unread(result);
  let cause: unknown;
  try {
    const again = await inOneMarket(context, async (snapshot) => {
      const own = createGraphQLContext(snapshot, graphql);
      own.context.charge = chargeTo(cost, cost.requested);
      await preferencesExpected(prepared, own, cost.requested);
      return execute({
        context: { ...own, mutation: { ...mutation!, isDone: true } },
        bounds: boundsOf(own),
      });
    });
    const added = again.errors?.find((error) => !result.errors?.some((known) => isSameError(error, known)));
    if (!added) return again;
    cause = added.originalError ?? added;
  } catch (error) {
    cause = error;
  }
  if (!context.leaving?.aborted) log(new Error(NOT_READ_AGAIN, { cause }), requestId);
  return result;
}

/** Of a mutation that is done: that nobody reads on what it gave is no failure, behind which the next would not be executed. */
function unread(result: Execution): Execution {
  return result.data === 'null' ? { ...result, data: '' } : result;
}

function isSameError(a: GraphQLError, b: GraphQLError): boolean {
  return a.message === b.message && String(a.path) === String(b.path);
}

const NOT_READ_AGAIN =
  'What a mutation was answered with may be of two states of the market: it could not be read once more.';

/**
 * Statements are not one snapshot, which would take a transaction and hold its connection; instead each row tells what it
 * was made of, and where an import came between, what only reads is executed again, in a snapshot.
 *
 * @param known the cost before it was executed
 * @param rootValue the event of a subscription
 */
async function executedInOneMarket(
  { prepared, variableValues, cost }: Admitted,
  graphql: GraphQLContext,
  known: number,
  rootValue?: unknown,
): Promise<Execution> {
  const execute = async (context: GraphQLContext) => {
    context.context.charge = chargeTo(cost, known);
    await preferencesExpected(prepared, context, known);
    const bounds = boundsOfReading(context);
    return prepared.compiled.execute({ context, variableValues, rootValue, bounds });
  };
  const result = await execute(graphql);
  const { context } = graphql;
  if (!context.seen!.isMixed || context.leaving?.aborted) return result;
  return inOneMarket(context, async (snapshot) => execute(createGraphQLContext(snapshot, graphql)));
}

/** Where they will be needed: read beside the first statement, so that prices can be written when its rows are there. */
async function preferencesExpected(
  { isByPreferences }: Prepared,
  { loaders, context }: GraphQLContext,
  points: number,
): Promise<void> {
  const expected = isByPreferences ? loaders.expectPreferences() : undefined;
  if (!expected || points < LIMITS.largeOperationPoints) return;
  // The thousands of fields that would wait for them would then all be made in one turn of the loop.
  await expected;
  assertAwaited(context.leaving);
}

const INSIST_MILLIS = 500;

/** Each event is executed when its result is asked for. */
function resultsOf(admitted: Admitted, graphql: GraphQLContext, events: AsyncIterable<unknown>) {
  const iterator = events[Symbol.asyncIterator]();
  const known = admitted.cost.requested;
  const { work } = graphql.context;
  let isOver = false;
  return {
    async next() {
      const { done, value: rootValue } = await iterator.next();
      if (done) return { done, value: undefined };
      for (;;) {
        // An event that is not to be lost waits until the account may have more done.
        await work?.untilLeft(() => isOver);
        if (isOver) return { done: true as const, value: undefined };
        workFor(work);
        const ofEvent = contextOfEvent(graphql);
        try {
          const result = await fewOfLarge('reading', known, ofEvent, async () => {
            // It may have waited for others.
            if (isOver || work?.isUsedUp) return null;
            return executedInOneMarket(admitted, ofEvent, known, rootValue);
          });
          if (result) return { value: resultOf(result) };
        } catch (error) {
          if (error instanceof ClientLeft) return { done: true as const, value: undefined };
          // Nobody would send the event again: it waits until the database has a place for its snapshot.
          if (!isUnavailable(error)) throw error;
          await sleep(INSIST_MILLIS, undefined, { ref: false });
        }
      }
    },
    async return() {
      isOver = true;
      await iterator.return?.();
      return { done: true as const, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Has an operation's time and failure told. Who has left has not failed by that. */
async function observed<T extends object>(
  { prepared: { operation } }: Admitted,
  { context }: GraphQLContext,
  work: () => Promise<T>,
): Promise<T> {
  const end = context.observation?.operation(operation.operation, operation.name?.value);
  let failed = true;
  try {
    const result = await work();
    const { errors = [] }: { errors?: readonly GraphQLError[] } = result;
    failed = errors.some(({ originalError }) => !(originalError instanceof ClientLeft));
    return result;
  } catch (error) {
    failed = !(error instanceof ClientLeft);
    throw error;
  } finally {
    end?.(failed);
  }
}

function resultOf({ data, errors }: Execution) {
  const json = new JsonData(data) as unknown as Record<string, unknown>;
  return errors ? { errors, data: data === 'null' ? null : json } : { data: json };
}
