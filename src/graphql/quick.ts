import type { ExecutionResult } from 'graphql';
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

/**
 * The quick way of a query or mutation that is prepared: without Yoga's HTTP side, which takes most of the time of a small
 * one, and by the same functions otherwise.
 *
 * @returns undefined where the body is no request for one
 */
export async function answerQuickly(
  text: string,
  type: JsonType,
  server: ServerContext,
  { preparation, resolve, log }: { preparation: Preparation; resolve: ResolveDocument; log: LogError },
): Promise<Response | undefined> {
  const given = givenParams(text);
  if (!given) return undefined;
  let result: ExecutionResult;
  try {
    const params = resolve(given);
    const known = preparation.known(params);
    if (known?.operation.operation !== 'query' && known?.operation.operation !== 'mutation') return undefined;
    result = await resultOf(preparation, known, params, server);
  } catch (error) {
    result = failedBefore(error);
  }
  const answer = answerOf(publicResult(result, server.requestId, log), type);
  return answered(answer.text, answer.status, answer.headers);
}

async function resultOf(
  preparation: Preparation,
  known: Prepared,
  params: GraphQLParams,
  server: ServerContext,
): Promise<ExecutionResult> {
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
