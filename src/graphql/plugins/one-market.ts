import { getOperationAST, OperationTypeNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { repriceAccount } from '../../services/market/reprice.ts';
import { createGraphQLContext, type GraphQLContext } from '../context.ts';

/** A third import while a query runs would be a strange coincidence. */
const MAX_TRIES = 3;

/**
 * Sees to it that a query's amounts are all of one state of the market. Its statements are not one snapshot, which would
 * hold a connection; instead each row tells what it was made of, and where an import came between, the account is
 * brought to the new prices and the query is executed again.
 */
export function useOneMarket(): Plugin<GraphQLContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (operation?.operation !== OperationTypeNode.QUERY) return;
      setExecuteFn(async (first) => {
        let contextValue: GraphQLContext = first.contextValue;
        for (let attempt = 1; ; attempt++) {
          const result = await executeFn({ ...first, contextValue });
          const { context, requestId } = contextValue;
          if (context.marketRevisions!.size < 2 || attempt === MAX_TRIES) return result;
          await repriceAccount(context.db, context.caller.accountId);
          contextValue = { ...contextValue, ...createGraphQLContext(context, requestId) };
        }
      });
    },
  };
}
