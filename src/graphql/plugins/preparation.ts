import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type OperationTypeNode,
} from 'graphql';
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
import type { GraphQLContext } from '../context.ts';
import { isAcceptable } from '../media-types.ts';
import type { Admission, Preparation, Prepared } from '../prepare.ts';
import { withCost } from '../result.ts';
import { type Admitted, runOperation, runSubscription } from '../run-operation.ts';

interface OfRequest extends GraphQLContext {
  costFields?: boolean;
  known?: Prepared | undefined;
  admission?: Admission;
}

/** Lets Yoga parse, validate and execute by what is prepared of a document; with `extensions.cost` in every answer. */
export function usePreparation(preparation: Preparation): Plugin<OfRequest> {
  return {
    onParse({ context, params: { source }, extendContext, setParsedDocument }) {
      const known = preparation.known(context.params);
      extendContext({ known });
      const text = typeof source === 'string' ? source : source.body;
      setParsedDocument(known?.document ?? preparation.parse(text));
    },

    onValidate({ context, params, extendContext, setResult }) {
      const { known, costFields: withShares = false } = context;
      const document: DocumentNode = params.documentAST;
      const admission = preparation.admit(context.params, document, { known, withShares });
      extendContext({ admission });
      setResult(admission.errors ?? unacceptable(context.request, admission.prepared));
    },

    onExecute({ setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) => runOperation(...admitted(args)));
    },

    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn((args: ExecutionArgs) => runSubscription(...admitted(args)));
    },

    onExecutionResult({ result, context, setResult }) {
      const { admission, context: asker } = context as Partial<OfRequest>;
      const cost = admission?.cost;
      const told = (result: ExecutionResult) => withCost(result, cost, asker?.work);
      if (!result) return;
      if (isAsyncIterable(result)) setResult(mapAsyncIterator(result, told));
      else setResult(told(result));
    },
  };
}

function admitted({ contextValue }: ExecutionArgs): [Admitted, GraphQLContext] {
  const context = contextValue as OfRequest;
  const { admission } = context;
  if (!admission || admission.errors) throw new Error('An operation was not admitted.');
  return [admission, context];
}

/** Nothing is executed whose result could not be sent. */
function unacceptable({ headers }: Request, { operation }: Prepared): GraphQLError[] {
  return isAcceptable(headers.get('Accept'), operation.operation) ? [] : [notAcceptable(operation.operation)];
}

function notAcceptable(kind: OperationTypeNode): GraphQLError {
  const message =
    kind === 'subscription'
      ? 'A subscription is answered with text/event-stream; name it in the Accept header.'
      : `A ${kind} is answered with application/json or application/graphql-response+json; name one of them in the Accept header.`;
  return new GraphQLError(message, {
    extensions: { code: 'MalformedRequest', http: { status: 406, spec: false } },
  });
}
