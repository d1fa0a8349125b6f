import {
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import type { GraphQLContext } from '../context.ts';
import { parsedBytes } from '../plugins/documents.ts';
import { LruCache } from '../plugins/lru-cache.ts';
import { measureOperation } from '../plugins/operation-measure.ts';
import { conditionVariables } from './collect-fields.ts';
import { type Compiled, compile } from './compile.ts';
import { Kept } from './kept.ts';
import { variableReader } from './variables.ts';

/** Compiling takes as long as some executions do, so an operation is compiled when it comes back. */
export const COMPILED_FROM_EXECUTION = 3;

const CACHE_LIMITS = { maxEntries: 300, maxBytes: 32 * 1024 * 1024 };

/** Compiling a larger one would hold up all others, and take megabytes. */
const MAX_FIELDS = 300;
/** Each set of their values is compiled apart. */
const MAX_CONDITIONS = 3;

const BYTES_PER_OPERATION = 8 * 1024;
const BYTES_PER_FIELD = 4 * 1024;

/** An operation that was executed before, and can be by what was made of it. */
export interface CompiledOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  execute(context: GraphQLContext, variables: Record<string, unknown>): Executed;
  /** With its document. */
  bytes: number;
}

export interface Executed {
  /** As JSON; null where the interpreter has to execute the operation. */
  data: Promise<string | null> | string | null;
  /** Whether it is the same for all whose preferences are, as long as the catalogue in memory is. */
  isOfCatalogue: boolean;
}

/** What names an operation: its document's text, and its own name where there are several. */
export interface OperationKey {
  query?: string | undefined;
  operationName?: string | null | undefined;
}

/** The operations that come often, compiled from their nth execution on; 0 for never. */
export function compiledOperations(schema: GraphQLSchema, fromExecution: number) {
  const executions = new WeakMap<OperationDefinitionNode, number>();
  const cache = new LruCache<string, CompiledOperation>(
    CACHE_LIMITS,
    (key, { bytes }) => 2 * key.length + bytes,
  );
  const texts = new Kept<string>();
  return {
    cache,
    get: (key: OperationKey): CompiledOperation | undefined => cache.get(textOf(key)),
    /** Takes note of an execution that is about to begin, and gives what it is to be executed by, if anything yet. */
    executed(
      key: OperationKey & { variables?: Record<string, unknown> | undefined },
      document: DocumentNode,
      operation: OperationDefinitionNode,
    ): CompiledOperation | null {
      const count = (executions.get(operation) ?? 0) + 1;
      // Anew, so that one that was forgotten is compiled again.
      executions.set(operation, count === fromExecution ? 0 : count);
      const compiled =
        count === fromExecution
          ? compileOperation(schema, document, operation, key.variables ?? {}, texts)
          : null;
      if (compiled) cache.set(textOf(key), compiled);
      return compiled;
    },
  };
}

function textOf({ query, operationName }: OperationKey): string {
  // In JSON a name ends at its quotes; one that is empty is no name that a document has, and is to be refused.
  return `${operationName == null ? '' : JSON.stringify(operationName)}\n${query}`;
}

function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  sent: Record<string, unknown>,
  texts: Kept<string>,
): CompiledOperation | null {
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) return null;
  const { fields } = measureOperation(schema, document, operation, sent);
  const conditions = conditionVariables(document, operation);
  if (fields > MAX_FIELDS || conditions.length > MAX_CONDITIONS) return null;
  const readVariables = variableReader(schema, operation.variableDefinitions ?? []);
  const known = new Map<string, Compiled | null>();
  const compiledFor = (variables: Record<string, unknown>): Compiled | null => {
    // Any other value the interpreter refuses.
    if (conditions.some((name) => typeof variables[name] !== 'boolean')) return null;
    const key = conditions.map((name) => variables[name]).join();
    let compiled = known.get(key);
    if (compiled === undefined) {
      compiled = compile(schema, document, operation, variables as Record<string, boolean>, texts);
      known.set(key, compiled);
    }
    return compiled;
  };
  return {
    schema,
    document,
    operation,
    execute(context, sent) {
      const variables = readVariables(sent);
      const compiled = variables && compiledFor(variables);
      if (!compiled) return { data: null, isOfCatalogue: false };
      const data = compiled.execute(context, variables);
      return { data, isOfCatalogue: compiled.isOfCatalogue && typeof data === 'string' };
    },
    bytes: parsedBytes(document) + BYTES_PER_OPERATION + fields * BYTES_PER_FIELD * 2 ** conditions.length,
  };
}
