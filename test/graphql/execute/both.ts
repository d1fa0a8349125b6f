import { type ExecutionArgs, execute, type GraphQLError, getOperationAST, parse, validate } from 'graphql';
import { expect } from 'vitest';
import { compileOperation } from '../../../src/graphql/execute/operation.ts';

type Given = Omit<ExecutionArgs, 'document'> & { text: string };

/** What an operation of a valid document gives, as JSON: by what is compiled of it, and by graphql-js. */
export function both({ schema, text, ...args }: Given) {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const operation = getOperationAST(document, args.operationName)!;
  const compiled = compileOperation(schema, document, operation);
  return {
    async compiled(): Promise<string> {
      const coerced = compiled.coerce(args.variableValues ?? {});
      if (coerced.errors) return JSON.stringify({ errors: coerced.errors });
      const { variableValues } = coerced;
      const { contextValue: context, rootValue } = args;
      const { data, errors } = await compiled.execute({ context, variableValues, rootValue });
      return jsonOf(errors, data);
    },
    async interpreted(): Promise<string> {
      const { data, errors } = await execute({ schema, document, ...args });
      return data === undefined ? JSON.stringify({ errors }) : jsonOf(errors, JSON.stringify(data));
    },
  };
}

function jsonOf(errors: readonly GraphQLError[] | undefined, data: string): string {
  return `{${errors ? `"errors":${JSON.stringify(errors)},` : ''}"data":${data}}`;
}

/** Fails where the two differ; gives the result. */
export async function expectAlike(given: Given): Promise<{ data: unknown; errors?: GraphQLError[] }> {
  const { compiled, interpreted } = both(given);
  const expected = await interpreted();
  // Again, when all of it has been compiled.
  for (let time = 1; time <= 2; time++) expect(await compiled()).toBe(expected);
  return JSON.parse(expected);
}
