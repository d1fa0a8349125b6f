import { getOperationAST, OperationTypeNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { inOneMarket } from '../../services/one-market.ts';
import { createGraphQLContext, type GraphQLContext } from '../context.ts';

/**
 * Sees to it that a query's amounts are all of one state of the market. Its statements are not one snapshot, which would
 * take a transaction and hold its connection; instead each row tells what it was made of, and where an import came
 * between, the query is executed again, in a snapshot.
 */
export function useOneMarket(): Plugin<GraphQLContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (operation?.operation !== OperationTypeNode.QUERY) return;
      setExecuteFn(async (first) => {
        const result = await executeFn(first);
        const { context }: GraphQLContext = first.contextValue;
        if (!context.seen!.isMixed) return result;
        return inOneMarket(context, (snapshot) => {
          const contextValue = {
            ...first.contextValue,
            ...createGraphQLContext(snapshot, first.contextValue),
          };
          return executeFn({ ...first, contextValue });
        });
      });
    },
  };
}
