import {
  type DocumentNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  OperationTypeNode,
} from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { answered } from '../http/answer.ts';
import { isObject } from '../http/json-body.ts';
import { operationContext, type RequestParts } from './context.ts';
import type { DocumentParams, ResolveDocument } from './documents.ts';
import type { JsonType } from './media-types.ts';
import type { Preparation, Prepared } from './prepare.ts';
import { publicResult } from './public-result.ts';
import { answerOf, failedBefore, withCost } from './result.ts';
import { runOperation } from './run-operation.ts';

const PARAMETERS = new Set(['query', 'variables', 'operationName', 'extensions', 'documentId']);

/** What a body asks for: an operation that is prepared, or one that is refused by the way it is named. */
export type Asked = { known: Prepared; params: GraphQLParams } | { refused: unknown };

interface QuickRequest extends RequestParts {
  costFields: boolean;
}

/** The query or mutation that a body asks for; undefined where none that is prepared, which is for Yoga to answer. */
export function askedOperation(
  given: unknown,
  preparation: Preparation,
  resolve: ResolveDocument,
): Asked | undefined {
  if (!isWellShaped(given)) return undefined;
  try {
    const params = resolve(given);
    const known = preparation.known(params);
    return known && known.operation.operation !== OperationTypeNode.SUBSCRIPTION
      ? { known, params }
      : undefined;
  } catch (error) {
    return { refused: error };
  }
}

/**
 * The quick way: without Yoga's HTTP side, which takes most of the time of a small operation, and by the same functions
 * otherwise. An error that nobody expected is logged, and is the answer.
 */
export async function answerQuickly(
  asked: Asked,
  type: JsonType,
  request: QuickRequest,
  preparation: Preparation,
): Promise<Response> {
  const result = await resultOf(asked, request, preparation).catch(failedBefore);
  const { text, status, headers } = answerOf(publicResult(result, request.requestId, request.log), type);
  return answered(text, status, headers);
}

async function resultOf(
  asked: Asked,
  request: QuickRequest,
  preparation: Preparation,
): Promise<ExecutionResult> {
  if ('refused' in asked) throw asked.refused;
  const { known, params } = asked;
  return executed(params, known.document, known, request, preparation);
}

/** The result of a query or mutation of the service itself, of which clients choose nothing but the variables. */
export async function resultOfOwn(
  params: GraphQLParams & { query: string },
  request: QuickRequest,
  preparation: Preparation,
): Promise<FormattedExecutionResult> {
  const known = preparation.known(params);
  const document = known?.document ?? preparation.parse(params.query);
  const result = await executed(params, document, known, request, preparation).catch(failedBefore);
  return publicResult(result, request.requestId, request.log);
}

async function executed(
  params: GraphQLParams,
  document: DocumentNode,
  known: Prepared | undefined,
  request: QuickRequest,
  preparation: Preparation,
): Promise<ExecutionResult> {
  const withShares = request.costFields;
  const admission = preparation.admit(params, document, { known, withShares });
  if (admission.errors) return withCost({ errors: admission.errors }, admission.cost, request.context.work);
  const graphql = await operationContext(request, () => null);
  const result = await runOperation(admission, graphql).catch(failedBefore);
  return withCost(result, admission.cost, request.context.work);
}

/** Whether these are the parameters of GraphQL over HTTP; Yoga says what about others is not as it should be. */
function isWellShaped(given: unknown): given is DocumentParams {
  if (!isObject(given)) return false;
  for (const name in given) if (!PARAMETERS.has(name)) return false;
  const { query, operationName, variables, extensions } = given as DocumentParams;
  if (query != null && typeof query !== 'string') return false;
  if (operationName != null && typeof operationName !== 'string') return false;
  return (variables == null || isObject(variables)) && (extensions == null || isObject(extensions));
}
