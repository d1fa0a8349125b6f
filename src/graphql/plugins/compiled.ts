import {
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { isPromise, type Plugin } from 'graphql-yoga';
import { parsedBytes } from './documents.ts';
import { LruCache } from './lru-cache.ts';
import { measureOperation } from './operation-measure.ts';

/** Compiling takes as long as some executions do, so an operation is compiled when it comes back. */
export const COMPILED_FROM_EXECUTION = 3;

const CACHE_LIMITS = { maxEntries: 300, maxBytes: 32 * 1024 * 1024 };

/** Compiling a larger one would hold up all others for a second, and take megabytes. */
const MAX_FIELDS = 300;

// Measured: fields of interfaces take the most.
const BYTES_PER_OPERATION = 64 * 1024;
const BYTES_PER_FIELD = 4 * 1024;

interface Compiled {
  query: CompiledQuery['query'];
  /** With its document, which it holds. */
  bytes: number;
}

type Execute = (args: ExecutionArgs) => Promise<ExecutionResult> | ExecutionResult;

/**
 * Executes queries from their nth execution on by functions compiled for them; 0 for never. The compiler's errors say less
 * than the executor's, so a query that meets any is executed again by that one, with what has been loaded for it.
 * Mutations are not compiled: they could not be executed again, and their time is the database's.
 */
export function useCompiledExecution(fromExecution: number): Plugin {
  const executions = new WeakMap<OperationDefinitionNode, number>();
  const cache = new LruCache<OperationDefinitionNode, Compiled>(CACHE_LIMITS, (_, { bytes }) => bytes);

  const compiledOf = (args: ExecutionArgs): Compiled | null => {
    const operation = getOperationAST(args.document, args.operationName);
    if (operation?.operation !== OperationTypeNode.QUERY) return null;
    const known = cache.get(operation);
    if (known) return known;
    const count = (executions.get(operation) ?? 0) + 1;
    executions.set(operation, count === fromExecution ? 0 : count);
    const compiled = count === fromExecution ? compile(args, operation) : null;
    if (compiled) cache.set(operation, compiled);
    return compiled;
  };

  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const compiled = compiledOf(args);
      if (!compiled) return;
      const execute = executeFn as Execute;
      setExecuteFn(((args) => {
        const result = compiled.query(args.rootValue, args.contextValue, args.variableValues ?? {});
        const checked = (one: ExecutionResult) => (one.errors ? execute(args) : one);
        return isPromise(result) ? result.then(checked) : checked(result);
      }) satisfies Execute);
    },
  };
}

function compile(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  operation: OperationDefinitionNode,
): Compiled | null {
  const { fields } = measureOperation(schema, document, operation, variableValues ?? {});
  if (fields > MAX_FIELDS) return null;
  const compiled = compileQuery(schema, document, operationName ?? undefined);
  if (!isCompiledQuery(compiled)) return null;
  const bytes = parsedBytes(document) + BYTES_PER_OPERATION + fields * BYTES_PER_FIELD;
  return { query: compiled.query as CompiledQuery['query'], bytes };
}
