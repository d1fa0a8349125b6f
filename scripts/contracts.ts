import { type GraphQLSchema, isObjectType, lexicographicSortSchema, printSchema } from 'graphql';
import { createSchema } from '../src/graphql/schema.ts';
import { isNullOnlyByError, SemanticNonNull } from '../src/graphql/semantic-non-null.ts';
import { openApiDocument } from '../src/rest/openapi.ts';
import { createRestApp } from '../src/rest/server.ts';

/** The published contracts as the code has them, by file. */
export function contracts(): Record<string, string> {
  return {
    'schema/schema.graphql': `${printWithDirectives(lexicographicSortSchema(createSchema()))}\n`,
    'schema/openapi.json': `${JSON.stringify(openApiDocument(createRestApp()), null, 2)}\n`,
  };
}

/** graphql's own printer leaves out the directives that are applied to fields. */
function printWithDirectives(schema: GraphQLSchema): string {
  let sdl = printSchema(schema);
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields()).filter(isNullOnlyByError)) {
      const definition = new RegExp(
        `\\ntype ${type.name} [^]*?\\n  ${field.name}(\\([^]*?\\n  \\))?: [^ \\n]+`,
      );
      sdl = sdl.replace(definition, `$& @${SemanticNonNull.name}`);
    }
  }
  return sdl;
}
