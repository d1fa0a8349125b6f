import { type ExecutionArgs, getOperationAST } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { GraphQLContext } from '../context.ts';

/** Tells the request's observation of the operation that is executed; one that is refused before has none. */
export function useObservation(): Plugin<GraphQLContext> {
  return {
    onExecute({ args }) {
      const end = begin(args);
      return (
        end && {
          onExecuteDone: ({ result }) => end(!isAsyncIterable(result) && result.errors !== undefined),
        }
      );
    },
    /** The time of a subscription is the time until its stream begins. */
    onSubscribe({ args }) {
      const end = begin(args);
      return end && { onSubscribeResult: ({ result }) => end(!isAsyncIterable(result)) };
    },
  };
}

function begin(args: ExecutionArgs): ((failed: boolean) => void) | undefined {
  const { context } = args.contextValue as GraphQLContext;
  const operation = getOperationAST(args.document, args.operationName);
  return operation ? context.observation?.operation(operation.operation, operation.name?.value) : undefined;
}
