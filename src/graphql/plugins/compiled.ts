import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { isPromise, type Plugin } from 'graphql-yoga';
import { BoundedMap } from '../../domain/bounded-map.ts';

/** Compiling takes as long as some executions do, so an operation is compiled when it comes back. */
export const COMPILED_FROM_EXECUTION = 3;

/** A compiled operation takes some 100 kB at most. */
const MAX_DOCUMENTS = 300;

interface Operation {
  executions: number;
  compiled: CompiledQuery | null;
}

type Execute = (args: ExecutionArgs) => Promise<ExecutionResult> | ExecutionResult;

/**
 * Executes queries from their nth execution on by functions compiled for them; 0 for never. The compiler's errors say less
 * than the executor's, so a query that meets any is executed again by that one, with what has been loaded for it.
 * Mutations are not compiled: they could not be executed again, and their time is the database's.
 */
export function useCompiledExecution(fromExecution: number): Plugin {
  // By document, then by the name of the operation: a document may have several.
  const operations = new BoundedMap<DocumentNode, Map<string, Operation>>(MAX_DOCUMENTS);

  const compiledOf = (schema: GraphQLSchema, document: DocumentNode, name: string): CompiledQuery | null => {
    const named = operations.get(document) ?? new Map<string, Operation>();
    if (named.size === 0) operations.set(document, named);
    const operation = named.get(name) ?? { executions: 0, compiled: null };
    named.set(name, operation);
    if (++operation.executions === fromExecution) operation.compiled = compile(schema, document, name);
    return operation.compiled;
  };

  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { schema, document, operationName } = args;
      if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.QUERY) return;
      const compiled = compiledOf(schema, document, operationName ?? '');
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

function compile(schema: GraphQLSchema, document: DocumentNode, name: string): CompiledQuery | null {
  const compiled = compileQuery(schema, document, name === '' ? undefined : name);
  return isCompiledQuery(compiled) ? (compiled as CompiledQuery) : null;
}
