import { type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
import { type CostShare, costShares, measureOperation, type OperationMeasure } from './operation-measure.ts';

/** The limits of one operation (decisions §8). `introspectionDepth` is that of the standard introspection query. */
export const OPERATION_LIMITS = {
  documentBytes: 64 * 1024,
  tokens: 2000,
  depth: 12,
  introspectionDepth: 15,
  aliases: 30,
  cost: 10_000,
} as const;

/**
 * The `extensions.code` of each refusal, all with HTTP 400 and nothing executed. `first` and `last` out of their range
 * are `BAD_USER_INPUT`.
 */
export const OPERATION_LIMIT_CODES = {
  documentBytes: 'DOCUMENT_TOO_LARGE',
  tokens: 'TOO_MANY_TOKENS',
  depth: 'DEPTH_LIMIT',
  introspectionDepth: 'DEPTH_LIMIT',
  aliases: 'ALIAS_LIMIT',
  cost: 'COST_LIMIT',
} as const satisfies Record<keyof typeof OPERATION_LIMITS, string>;

export interface Cost {
  requested: number;
  maximum: number;
  fields?: CostShare[];
}

const costs = new WeakMap<object, Cost>();

/**
 * Refuses operations beyond `OPERATION_LIMITS` before they are validated, and adds `extensions.cost` to every answer:
 * with the share of each field where the context asks for it by `costFields`.
 * Validation itself is bounded by the limit on tokens and by graphql's own budget for overlapping fields (16.15).
 * Where `getEnveloped` is called by hand, its context must have Yoga's `params`, and `withCost` must be called too.
 */
export function useOperationLimits(): Plugin<{ costFields?: boolean }> {
  return {
    onParse({ params, parseFn, setParseFn }) {
      const { source } = params;
      const bytes = Buffer.byteLength(typeof source === 'string' ? source : source.body);
      if (bytes > OPERATION_LIMITS.documentBytes)
        throw tooMuch('documentBytes', 'The document has', 'bytes', bytes);
      setParseFn((source, options) => parseFn(source, { ...options, maxTokens: OPERATION_LIMITS.tokens }));
      return ({ result }) => {
        if (isTokenLimitError(result)) throw tooMuch('tokens', 'The document has', 'tokens');
        // The parser calls itself for each bracket.
        if (result instanceof RangeError) throw refusal('DEPTH_LIMIT', 'The brackets are nested too deeply.');
      };
    },

    onValidate({ params: { schema, documentAST }, context }) {
      if (!context.params) throw new Error('useOperationLimits needs the request in context.params.');
      const { operationName, variables } = context.params;
      const operation = getOperationAST(documentAST, operationName);
      if (!operation) return;
      if (!schema.getRootType(operation.operation)) {
        throw refusal('GRAPHQL_VALIDATION_FAILED', `The schema has no ${operation.operation}.`);
      }
      const measure = measureOperation(schema, documentAST, operation, variables ?? {});
      const cost = costOf(measure);
      costs.set(context, cost);
      assertWithinLimits(measure);
      if (context.costFields) {
        cost.fields = costShares(schema, documentAST, operation, variables ?? {});
      }
    },

    onExecutionResult({ result, context, setResult }) {
      if (!result) return;
      if (isAsyncIterable(result)) setResult(mapAsyncIterator(result, (event) => withCost(event, context)));
      else setResult(withCost(result, context));
    },
  };
}

/** What `extensions.cost` says of an operation. Throws where it is beyond a limit. */
export function costWithinLimits(...operation: Parameters<typeof measureOperation>): Cost {
  const measure = measureOperation(...operation);
  assertWithinLimits(measure);
  return costOf(measure);
}

function costOf({ cost }: OperationMeasure): Cost {
  return { requested: cost, maximum: OPERATION_LIMITS.cost };
}

/** The result with `extensions.cost`, where the cost of this context's operation is known. */
export function withCost<T extends ExecutionResult>(result: T, context: object): T {
  const cost = costs.get(context);
  return cost ? { ...result, extensions: { ...result.extensions, cost } } : result;
}

function assertWithinLimits(measure: OperationMeasure): void {
  const { depth, introspectionDepth, aliases, cost } = measure;
  if (depth > OPERATION_LIMITS.depth) throw tooMuch('depth', 'The operation has', 'levels of fields', depth);
  if (introspectionDepth > OPERATION_LIMITS.introspectionDepth) {
    throw tooMuch('introspectionDepth', 'The introspection has', 'levels of fields', introspectionDepth);
  }
  if (aliases > OPERATION_LIMITS.aliases) throw tooMuch('aliases', 'The operation has', 'aliases', aliases);
  if (cost > OPERATION_LIMITS.cost) throw tooMuch('cost', 'The operation has a cost of', 'points', cost);
}

function tooMuch(
  limit: keyof typeof OPERATION_LIMITS,
  subject: string,
  unit: string,
  actual?: number,
): GraphQLError {
  const maximum = OPERATION_LIMITS[limit];
  const message = `${subject} ${actual ?? 'too many'} ${unit}; at most ${maximum} are allowed. ${ADVICE[limit]}`;
  return refusal(OPERATION_LIMIT_CODES[limit], message, { limit: maximum });
}

function refusal(code: string, message: string, details: object = {}): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...details, http: { status: 400 } } });
}

const ADVICE: Record<keyof typeof OPERATION_LIMITS, string> = {
  documentBytes: 'Send values as variables, or split the document.',
  tokens: 'Send values as variables, or split the document.',
  depth: 'Ask for the deeper objects with an operation of their own.',
  introspectionDepth: 'Use the standard introspection query.',
  aliases: 'Fragments count once for each spread. Split the operation, or use nodes(ids:).',
  cost: 'Ask for smaller pages (first, last), or split the operation.',
};

/** graphql's parser has no other sign for this than its message. */
function isTokenLimitError(result: unknown): boolean {
  return result instanceof GraphQLError && result.message.includes(`${OPERATION_LIMITS.tokens} tokens`);
}
