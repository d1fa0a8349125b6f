import { OperationTypeNode } from 'graphql';
import { inOneMarket } from '../services/one-market.ts';
import { createGraphQLContext, type GraphQLContext } from './context.ts';
import type { Execution } from './execute/operation.ts';
import type { Prepared } from './prepare.ts';
import { JsonData } from './result.ts';

/** What is executed: an operation that was admitted, and the values of its variables. */
export interface Admitted {
  prepared: Prepared;
  variableValues: Record<string, unknown>;
}

/** Executes a query or a mutation, observed; the amounts of a query are all of one state of the market. */
export async function runOperation(admitted: Admitted, graphql: GraphQLContext) {
  const end = observe(admitted, graphql);
  let failed = true;
  try {
    const result = await executed(admitted, graphql);
    failed = result.errors !== undefined;
    return resultOf(result);
  } finally {
    end?.(failed);
  }
}

/** Begins a subscription: its results, or the errors that say why there are none. */
export async function runSubscription(admitted: Admitted, graphql: GraphQLContext) {
  const { prepared, variableValues } = admitted;
  const end = observe(admitted, graphql);
  let failed = true;
  try {
    const events = await prepared.compiled.subscribe({ context: graphql, variableValues });
    failed = 'errors' in events;
    return 'errors' in events ? events : resultsOf(admitted, graphql, events);
  } finally {
    // The time of a subscription is the time until its stream begins.
    end?.(failed);
  }
}

/**
 * Statements are not one snapshot, which would take a transaction and hold its connection; instead each row tells what it
 * was made of, and where an import came between, a query is executed again, in a snapshot.
 */
async function executed({ prepared, variableValues }: Admitted, graphql: GraphQLContext): Promise<Execution> {
  const { compiled, operation } = prepared;
  const result = await compiled.execute({ context: graphql, variableValues });
  const { context } = graphql;
  if (operation.operation !== OperationTypeNode.QUERY || !context.seen!.isMixed) return result;
  return inOneMarket(context, async (snapshot) =>
    compiled.execute({ context: createGraphQLContext(snapshot, graphql), variableValues }),
  );
}

/** Each event is executed when its result is asked for. */
function resultsOf(
  { prepared, variableValues }: Admitted,
  context: GraphQLContext,
  events: AsyncIterable<unknown>,
) {
  const iterator = events[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value: rootValue } = await iterator.next();
      if (done) return { done, value: undefined };
      return { value: resultOf(await prepared.compiled.execute({ context, variableValues, rootValue })) };
    },
    async return() {
      await iterator.return?.();
      return { done: true as const, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function observe({ prepared: { operation } }: Admitted, { context }: GraphQLContext) {
  return context.observation?.operation(operation.operation, operation.name?.value);
}

function resultOf({ data, errors }: Execution) {
  const json = new JsonData(data) as unknown as Record<string, unknown>;
  return errors ? { errors, data: data === 'null' ? null : json } : { data: json };
}
