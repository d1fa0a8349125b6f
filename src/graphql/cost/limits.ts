import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { type CostShare, costShares, measureOperation, type OperationMeasure } from './measure.ts';

/** The limits of one operation (docs/decisions.md#limits-of-an-operation). `introspectionDepth` is that of the standard introspection query. */
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

/** What `extensions.cost` says of an operation. */
export interface Cost {
  requested: number;
  maximum: number;
  /** The share of each field, where it is asked for. */
  fields?: CostShare[];
}

/** Parses a document within the limits. Throws GraphQLErrors. */
export function parseWithinLimits(text: string): DocumentNode {
  const bytes = Buffer.byteLength(text);
  if (bytes > OPERATION_LIMITS.documentBytes)
    throw tooMuch('documentBytes', 'The document has', 'bytes', bytes);
  try {
    return parse(text, { maxTokens: OPERATION_LIMITS.tokens });
  } catch (error) {
    if (isTokenLimitError(error)) throw tooMuch('tokens', 'The document has', 'tokens');
    // The parser calls itself for each bracket.
    if (error instanceof RangeError) throw refusal('DEPTH_LIMIT', 'The brackets are nested too deeply.');
    throw error;
  }
}

/**
 * The cost of an operation with these variables, its fields, and the error of the limit that it is beyond, if any. It may be an
 * operation that is not valid: validation itself is bounded by the limit on tokens and by graphql's own budget for
 * overlapping fields (16.15). Throws a GraphQLError where a page has no size that it may have.
 */
export function judge(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  withShares: boolean,
): { cost: Cost; fields: number; readsVariables: boolean; error: GraphQLError | undefined } {
  const measure = measureOperation(schema, document, operation, variables);
  const cost: Cost = { requested: measure.cost, maximum: OPERATION_LIMITS.cost };
  const error = excessOf(measure);
  if (withShares && !error) cost.fields = costShares(schema, document, operation, variables);
  return { cost, fields: measure.fields, readsVariables: measure.readsVariables, error };
}

/**
 * Lets an execution add to the cost that was `known` before it what follows from the size of what it reads, before that is
 * read. Each execution of an operation begins anew. What is added throws a GraphQLError beyond the limit.
 */
export function chargeTo(cost: Cost, known: number): (points: number) => void {
  cost.requested = known;
  return (points) => {
    cost.requested += points;
    const { requested, maximum } = cost;
    if (requested > maximum)
      throw tooMuch('cost', 'By the size of what it reads, the operation has a cost of', 'points', requested);
  };
}

function excessOf({ depth, introspectionDepth, aliases, cost }: OperationMeasure): GraphQLError | undefined {
  if (depth > OPERATION_LIMITS.depth) return tooMuch('depth', 'The operation has', 'levels of fields', depth);
  if (introspectionDepth > OPERATION_LIMITS.introspectionDepth)
    return tooMuch('introspectionDepth', 'The introspection has', 'levels of fields', introspectionDepth);
  if (aliases > OPERATION_LIMITS.aliases) return tooMuch('aliases', 'The operation has', 'aliases', aliases);
  if (cost > OPERATION_LIMITS.cost) return tooMuch('cost', 'The operation has a cost of', 'points', cost);
  return undefined;
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
  return new GraphQLError(message, { extensions: { code, ...details, http: { status: 400, spec: false } } });
}

const ADVICE: Record<keyof typeof OPERATION_LIMITS, string> = {
  documentBytes: 'Send values as variables, or split the document.',
  tokens: 'Send values as variables, or split the document.',
  depth: 'Ask for the deeper objects with an operation of their own.',
  introspectionDepth: 'Use the standard introspection query.',
  aliases: 'Fragments count once for each spread. Split the operation, or use nodes(ids:).',
  cost: 'Ask for smaller pages (first, last) or shorter ranges of days, or split the operation.',
};

/** graphql's parser has no other sign for this than its message. */
function isTokenLimitError(result: unknown): boolean {
  return result instanceof GraphQLError && result.message.includes(`${OPERATION_LIMITS.tokens} tokens`);
}
