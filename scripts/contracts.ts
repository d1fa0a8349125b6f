import { lexicographicSortSchema, printSchema } from 'graphql';
import { createSchema } from '../src/graphql/schema.ts';
import { createRestApp, openApiDocument } from '../src/rest/server.ts';

/** The published contracts as the code has them, by file. */
export function contracts(): Record<string, string> {
  return {
    'schema/schema.graphql': `${printSchema(lexicographicSortSchema(createSchema()))}\n`,
    'schema/openapi.json': `${JSON.stringify(openApiDocument(createRestApp()), null, 2)}\n`,
  };
}
