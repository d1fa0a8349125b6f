import { type ExecutionResult, getOperationAST, getVariableValues, OperationTypeNode } from 'graphql';
import { type GraphQLParams, isAsyncIterable, type YogaServerInstance } from 'graphql-yoga';
import { BoundedMap } from '../domain/bounded-map.ts';
import { LIMITS } from '../domain/limits.ts';
import { answered } from '../http/answer.ts';
import { textHeaders } from '../http/text.ts';
import { catalogueAtHand, untilChecked } from '../memory/memory.ts';
import { preferencesAtHand } from '../services/accounts/preferences.ts';
import { flat, Kept, pricesOf } from './compiled/kept.ts';
import type { CompiledOperation, compiledOperations } from './compiled/operations.ts';
import { operationContext } from './context.ts';
import type { DocumentParams, ResolveDocument } from './plugins/documents.ts';
import { publicResult } from './plugins/error-codes.ts';
import { parseExactly } from './plugins/exact-numbers.ts';
import { costWithinLimits, withCost } from './plugins/operation-limits.ts';
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
 *
 * An operation that was taken before and is compiled needs nothing of Yoga: that its document is a good one is known, and
 * its variables, limits and cost are looked at here. Where it meets anything but success, it takes the long way.
 */
export function directPath(
  yoga: Pick<YogaServerInstance<ServerContext, object>, 'getEnveloped'>,
  operations: ReturnType<typeof compiledOperations>,
  resolve: ResolveDocument,
  log: (error: unknown, requestId: string) => void,
): DirectPath {
  const contentTypes = new BoundedMap<string, string>(MAX_ACCEPTS);
  /** By the text of the request. */
  const answers = new Kept<KeptAnswer>();

  /** @param isNew whether nothing was compiled of it that has been tried already */
  async function interpreted(
    params: GraphQLParams,
    server: ServerContext,
    isNew: boolean,
  ): Promise<string | null> {
    const initialContext = { ...server, params };
    const { schema, parse, validate, contextFactory, execute } = yoga.getEnveloped(initialContext as never);
    const document = parse(params.query!);
    if (validate(schema, document).length > 0) return null;
    const operation = getOperationAST(document, params.operationName);
    if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return null;
    const compiled = isNew ? operations.executed(params, document, operation) : null;
    const body = compiled && (await executed(compiled, params, server));
    if (body) return body;
    const { variableDefinitions = [] } = operation;
    // Executed here, what Yoga is to refuse would be observed twice.
    if (getVariableValues(schema, variableDefinitions, params.variables ?? {}).errors) return null;
    const contextValue = await contextFactory();
    const result: ExecutionResult = await execute({
      schema,
      document,
      contextValue,
      variableValues: params.variables,
      operationName: params.operationName,
    });
    if (isAsyncIterable(result) || result.data === undefined) return null;
    return JSON.stringify(publicResult(withCost(result, initialContext), server.requestId, log));
  }

  return {
    learn(accept, response) {
      const type = response.headers.get('content-type');
      if (response.status === 200 && type && JSON_TYPES.test(type)) contentTypes.set(accept, type);
    },
    async answer(text, accept, server) {
      const contentType = contentTypes.get(accept);
      if (contentType === undefined) return null;
      try {
        const body = keptAnswer(text, server) ?? (await answerTo(text, server));
        return body === null ? null : answered(body, 200, textHeaders(body, contentType));
      } catch {
        // Yoga meets the same error, and says what there is to say.
        return null;
      }
    },
  };

  async function answerTo(text: string, server: ServerContext): Promise<string | null> {
    const given = givenParams(text);
    const params = given && resolve(given);
    if (typeof params?.query !== 'string' || params.query === '') return null;
    // A document that comes with its hash is to be stored each time.
    const keepAs = given!.documentId == null && given!.extensions == null ? text : undefined;
    const compiled = operations.get(params);
    const body = compiled && (await executed(compiled, params, server, keepAs));
    return body ?? interpreted(params, server, compiled === undefined);
  }

  /** What was answered to the same request before, where nothing but the catalogue and preferences had a part in it. */
  function keptAnswer(text: string, { context, costFields }: ServerContext): string | null {
    if (costFields || untilChecked(context)) return null;
    const catalogue = catalogueAtHand(context);
    const preferences = catalogue && preferencesAtHand(context);
    const known = preferences && answers.of(catalogue, answers, pricesOf(preferences)).get(text);
    if (!known) return null;
    context.observation?.operation(known.kind, known.name)(false);
    return known.body;
  }

  /** The answer of a compiled operation, or null where it has to be interpreted. */
  async function executed(
    compiled: CompiledOperation,
    params: GraphQLParams,
    server: ServerContext,
    keepAs?: string,
  ): Promise<string | null> {
    const { schema, document, operation } = compiled;
    const kind = operation.operation;
    const name = operation.name?.value;
    const variables = params.variables ?? {};
    if (server.costFields) return null;
    const cost = costWithinLimits(schema, document, operation, variables);
    const graphql = await operationContext(server, () => null);
    const { observation, seen } = graphql.context;
    const end = observation?.operation(kind, name);
    const { data: given, isOfCatalogue } = compiled.execute(graphql, variables);
    const data = await given;
    if (data === null || (kind === OperationTypeNode.QUERY && seen!.isMixed)) return null;
    end?.(false);
    const body = `{"data":${data},"extensions":{"cost":${JSON.stringify(cost)}}}`;
    const { catalogue, preferences } = graphql;
    if (isOfCatalogue && keepAs !== undefined && catalogue && preferences) {
      const known = answers.of(catalogue, answers, pricesOf(preferences));
      answers.keep(known, keepAs, { kind, name, body: flat(body) }, keepAs.length + body.length);
    }
    return body;
  }
}

/** Without the operation itself, which would hold all of its document. */
interface KeptAnswer {
  kind: OperationTypeNode;
  name: string | undefined;
  body: string;
}

/** The parameters of GraphQL over HTTP, or null where anything about them is not as it should be. */
function givenParams(text: string): DocumentParams | null {
  const given = parseExactly(text) as DocumentParams | null;
  if (!isObject(given)) return null;
  for (const name in given) if (!PARAMETERS.has(name)) return null;
  const { operationName, variables, extensions } = given;
  if (operationName != null && typeof operationName !== 'string') return null;
  if (variables != null && !isObject(variables)) return null;
  return extensions == null || isObject(extensions) ? given : null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
