import { type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql';
import { isAsyncIterable, type YogaServerInstance } from 'graphql-yoga';
import { BoundedMap } from '../domain/bounded-map.ts';
import { LIMITS } from '../domain/limits.ts';
import { answered } from '../http/answer.ts';
import { textHeaders } from '../http/text.ts';
import type { DocumentParams, ResolveDocument } from './plugins/documents.ts';
import { publicResult } from './plugins/error-codes.ts';
import { parseExactly } from './plugins/exact-numbers.ts';
import { withCost } from './plugins/operation-limits.ts';
import type { ServerContext } from './server.ts';

const PARAMETERS = new Set(['query', 'variables', 'operationName', 'extensions', 'documentId']);
const JSON_TYPES = /^application\/(graphql-response\+)?json(;|$)/;
const MAX_ACCEPTS = 100;

export interface DirectPath {
  /** The answer to the body of a plain JSON `POST`, or null where Yoga has to give it. */
  answer(text: string, accept: string, server: ServerContext): Promise<Response | null>;
  /** Learns from an answer of Yoga's which type goes with an `Accept`. */
  learn(accept: string, response: Response): void;
}

/** Whether a request may take the direct path: JSON of a stated size, in no encoding. */
export function isPlainPost(request: Request): boolean {
  const { headers, method } = request;
  if (method !== 'POST' || headers.get('content-encoding') !== null) return false;
  const type = headers.get('content-type');
  const isJson = type === 'application/json' || type?.startsWith('application/json;');
  const bytes = headers.get('content-length');
  return isJson === true && bytes !== null && Number(bytes) <= LIMITS.bodyBytes;
}

/**
 * Yoga without its HTTP side, which takes most of the time of a small query: the same plugins, caches and executor, for
 * operations that get as far as being executed. Whatever is refused before that has changed nothing, and is left to
 * Yoga, so that every refusal is made in one place.
 */
export function directPath(
  yoga: Pick<YogaServerInstance<ServerContext, object>, 'getEnveloped'>,
  resolve: ResolveDocument,
  log: (error: unknown, requestId: string) => void,
): DirectPath {
  const contentTypes = new BoundedMap<string, string>(MAX_ACCEPTS);

  async function execute(text: string, server: ServerContext): Promise<ExecutionResult | null> {
    let mayHaveWritten = false;
    try {
      const params = plainParams(text, resolve);
      if (!params) return null;
      const initialContext = { ...server, params };
      const { schema, parse, validate, contextFactory, execute } = yoga.getEnveloped(initialContext as never);
      const document = parse(params.query!);
      if (validate(schema, document).length > 0) return null;
      const operation = getOperationAST(document, params.operationName);
      if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return null;
      const contextValue = await contextFactory();
      mayHaveWritten = operation.operation === OperationTypeNode.MUTATION;
      const result: ExecutionResult = await execute({
        schema,
        document,
        contextValue,
        variableValues: params.variables,
        operationName: params.operationName,
      });
      // Without data, the variables were refused.
      if (isAsyncIterable(result) || result.data === undefined) return null;
      return withCost(result, initialContext);
    } catch (error) {
      // Yoga meets the same error, and says what there is to say; but nothing is written twice.
      if (mayHaveWritten) throw error;
      return null;
    }
  }

  return {
    learn(accept, response) {
      const type = response.headers.get('content-type');
      if (response.status === 200 && type && JSON_TYPES.test(type)) contentTypes.set(accept, type);
    },
    async answer(text, accept, server) {
      const contentType = contentTypes.get(accept);
      if (contentType === undefined) return null;
      const result = await execute(text, server);
      if (result === null) return null;
      const { requestId } = server;
      const body = JSON.stringify(publicResult(result, requestId, log));
      return answered(body, 200, textHeaders(body, contentType));
    },
  };
}

/** The parameters of GraphQL over HTTP with their document, or null where anything about them is not as it should be. */
function plainParams(text: string, resolve: ResolveDocument) {
  const given = parseExactly(text) as DocumentParams | null;
  if (!isObject(given)) return null;
  for (const name in given) if (!PARAMETERS.has(name)) return null;
  const { operationName, variables, extensions } = given;
  if (operationName != null && typeof operationName !== 'string') return null;
  if (variables != null && !isObject(variables)) return null;
  if (extensions != null && !isObject(extensions)) return null;
  const params = resolve(given);
  return typeof params.query === 'string' && params.query !== '' ? params : null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
