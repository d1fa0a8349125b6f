import { type ExecutionResult, OperationTypeNode } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { LIMITS } from '../domain/limits.ts';
import { answered } from '../http/answer.ts';
import { operationContext } from './context.ts';
import { parseExactly } from './exact-numbers.ts';
import type { JsonType } from './media-types.ts';
import type { DocumentParams, ResolveDocument } from './plugins/documents.ts';
import { type LogError, publicResult } from './plugins/error-codes.ts';
import type { Preparation, Prepared } from './prepare.ts';
import { answerOf, failedBefore, withCost } from './result.ts';
import { runOperation } from './run-operation.ts';
import type { ServerContext } from './server.ts';

const PARAMETERS = new Set(['query', 'variables', 'operationName', 'extensions', 'documentId']);

/** Whether the body of a request can be read in one go: JSON of a stated size, in no encoding. */
export function isPlainPost({ headers, method }: Request): boolean {
  if (method !== 'POST' || headers.get('content-encoding') !== null) return false;
  const type = headers.get('content-type');
  const isJson = type === 'application/json' || type?.startsWith('application/json;');
  const bytes = headers.get('content-length');
  return isJson === true && bytes !== null && Number(bytes) <= LIMITS.bodyBytes;
}

/** What a body asks for: an operation that is prepared, or one that is refused by the way it is named. */
export type Asked = { known: Prepared; params: GraphQLParams } | { refused: unknown };

export interface QuickParts {
  preparation: Preparation;
  resolve: ResolveDocument;
  log: LogError;
}

/** The query or mutation that a body asks for; undefined where none that is prepared, which is for Yoga to answer. */
export function askedOperation(text: string, { preparation, resolve }: QuickParts): Asked | undefined {
  const given = givenParams(text);
  if (!given) return undefined;
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
  server: ServerContext,
  { preparation, log }: QuickParts,
): Promise<Response> {
  const result = await resultOf(asked, server, preparation).catch(failedBefore);
  const { text, status, headers } = answerOf(publicResult(result, server.requestId, log), type);
  return answered(text, status, headers);
}

async function resultOf(
  asked: Asked,
  server: ServerContext,
  preparation: Preparation,
): Promise<ExecutionResult> {
  if ('refused' in asked) throw asked.refused;
  const { known, params } = asked;
  const withShares = server.costFields;
  const admission = preparation.admit(params, known.document, { known, withShares });
  if (admission.errors) return withCost({ errors: admission.errors }, admission.cost);
  const graphql = await operationContext(server, () => null);
  const result = await runOperation(admission, graphql).catch(failedBefore);
  return withCost(result, admission.cost);
}

/** The parameters of GraphQL over HTTP; undefined where anything about them is not as it should be, which Yoga says. */
function givenParams(text: string): DocumentParams | undefined {
  let given: DocumentParams;
  try {
    given = parseExactly(text) as DocumentParams;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isObject(given)) return undefined;
  for (const name in given) if (!PARAMETERS.has(name)) return undefined;
  const { query, operationName, variables, extensions } = given;
  if (query != null && typeof query !== 'string') return undefined;
  if (operationName != null && typeof operationName !== 'string') return undefined;
  if (variables != null && !isObject(variables)) return undefined;
  return extensions == null || isObject(extensions) ? given : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
