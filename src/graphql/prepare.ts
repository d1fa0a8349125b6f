import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { asksByPreferences } from './catalogue-texts.ts';
import { type Cost, judge, OPERATION_LIMIT_CODES, parseWithinLimits } from './cost/limits.ts';
import { assertExactNumbers, sayingWhatWasSent } from './exact-numbers.ts';
import { hasVariables } from './execute/arguments.ts';
import type { ReplaceWriter } from './execute/compile.ts';
import { type CompiledOperation, compileOperation } from './execute/operation.ts';
import { validateDocument } from './validation.ts';

const CACHE_LIMITS = { max: 1000, maxSize: 48 * 1024 * 1024 };
// Measured with locations, which messages need: a name that is a field takes the most.
const BYTES_PER_TOKEN = 512;
const BYTES_PER_OPERATION = 8 * 1024;
/** Of a compiled operation, where all of it is met in an execution. */
const BYTES_PER_FIELD = 4 * 1024;

/** What names an operation: its document's text, and its own name where there are several. */
export interface OperationKey {
  query?: string | undefined;
  operationName?: string | null | undefined;
}

/** An operation that is valid and compiled. */
export interface Prepared {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  compiled: CompiledOperation;
  /** Whether it asks for what follows from the caller's preferences. */
  isByPreferences: boolean;
}

/** An operation that may be executed with these values, or why not; and its cost, where that is known. */
export type Admission =
  | { cost: Cost; prepared: Prepared; variableValues: Record<string, unknown>; errors?: undefined }
  | { cost?: Cost; errors: readonly GraphQLError[] };

export type Preparation = ReturnType<typeof createPreparation>;

/**
 * What there is between the text of a document and its execution: it is parsed and measured, and validated and compiled,
 * once for as long as it is remembered; and all that can be refused is refused here.
 */
export function createPreparation(schema: GraphQLSchema, replaceWriter?: ReplaceWriter) {
  const cache = new LRUCache<string, Prepared & { bytes: number }>({
    ...CACHE_LIMITS,
    sizeCalculation: ({ bytes }, name) => 2 * name.length + bytes,
  });
  // Counted where an operation is admitted: it may be looked for before Yoga, and again by it.
  const use = {
    hits: 0,
    misses: 0,
    get size() {
      return cache.size;
    },
  };

  /** Validates and compiles an operation, and remembers it; or gives the errors. */
  function prepare(
    key: OperationKey,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    fields: number,
  ): Prepared | readonly GraphQLError[] {
    const errors = validateDocument(schema, document);
    if (errors.length > 0) return errors.map((error) => refused(error, 'GRAPHQL_VALIDATION_FAILED'));
    const compiled = compileOperation(schema, document, operation, replaceWriter);
    const ofDocument = (document.tokenCount ?? 0) * BYTES_PER_TOKEN;
    const bytes = ofDocument + BYTES_PER_OPERATION + fields * BYTES_PER_FIELD * compiled.variants;
    const prepared = { document, operation, compiled, isByPreferences: asksByPreferences(schema, document) };
    cache.set(nameOf(key), { ...prepared, bytes });
    return prepared;
  }

  /** Throws GraphQLErrors. */
  function parse(text: string): DocumentNode {
    try {
      const document = parseWithinLimits(text);
      assertExactNumbers(text, document);
      return document;
    } catch (error) {
      const isOfSyntax = error instanceof GraphQLError && error.extensions.code === undefined;
      throw isOfSyntax ? refused(error, 'GRAPHQL_PARSE_FAILED') : error;
    }
  }

  return {
    cache,
    use,
    /** An operation that was prepared before. */
    known: (key: OperationKey): Prepared | undefined => cache.get(nameOf(key)),
    parse,
    /** Throws the GraphQLError for which a document is refused whatever values come with it. */
    assertAdmissible(text: string): void {
      const document = parse(text);
      for (const operation of document.definitions) {
        if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
        const error = refusalOf(schema, document, operation);
        if (error) throw error;
      }
      const [error] = validateDocument(schema, document);
      if (error) throw error;
    },
    /**
     * Whether the operation of a document that was parsed may be executed with these variables. Its limits come first:
     * what is beyond them is not even validated. Throws a GraphQLError where a page has no size that it may have.
     *
     * @param known what was prepared of it before
     */
    admit(
      key: OperationKey & { variables?: Record<string, unknown> | null | undefined },
      document: DocumentNode,
      { known, withShares }: { known: Prepared | undefined; withShares: boolean },
    ): Admission {
      const variables = key.variables ?? {};
      const operation = known?.operation ?? getOperationAST(document, key.operationName)!;
      if (!schema.getRootType(operation.operation)) {
        const message = `The schema has no ${operation.operation}.`;
        return { errors: [refused(new GraphQLError(message), 'GRAPHQL_VALIDATION_FAILED')] };
      }
      const { cost, fields, error } = judge(schema, document, operation, variables, withShares);
      if (error) return { cost, errors: [error] };
      if (known) use.hits++;
      else use.misses++;
      const prepared = known ?? prepare(key, document, operation, fields);
      if (!('compiled' in prepared)) return { cost, errors: prepared };
      const coerced = prepared.compiled.coerce(variables);
      return coerced.errors
        ? { cost, errors: coerced.errors.map((error) => refused(sayingWhatWasSent(error), 'BAD_USER_INPUT')) }
        : { cost, prepared, variableValues: coerced.variableValues };
    },
  };
}

/** Why an operation is beyond its limits, unless it may be within them with other values than none. */
function refusalOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): GraphQLError | undefined {
  try {
    const { error, readsVariables } = judge(schema, document, operation, {}, false);
    const isByValues = readsVariables && error?.extensions.code === OPERATION_LIMIT_CODES.cost;
    return isByValues ? undefined : error;
  } catch (error) {
    // A page of no size that there is.
    if (!(error instanceof GraphQLError)) throw error;
    return error.nodes?.some((node) => node.kind === Kind.FIELD && hasVariables(node)) ? undefined : error;
  }
}

function nameOf({ query, operationName }: OperationKey): string {
  // In JSON a name ends at its quotes; one that is empty is no name that a document has, and is to be refused.
  return `${operationName == null ? '' : JSON.stringify(operationName)}\n${query}`;
}

/** `spec`: 400 for application/graphql-response+json, 200 for application/json. */
function refused(error: GraphQLError, code: string): GraphQLError {
  Object.assign(error.extensions, { code, http: { status: 400, spec: true } });
  return error;
}
