import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type GraphQLSchema, isObjectType, lexicographicSortSchema, printSchema } from 'graphql';
import { createSchema } from '../src/graphql/schema.ts';
import { isNullOnlyByError, SemanticNonNull } from '../src/graphql/semantic-non-null.ts';
import { projectPath } from '../src/paths.ts';
import { openApiDocument } from '../src/rest/openapi.ts';
import { createRestApp } from '../src/rest/server.ts';

/** The published contracts as the code has them, by file. */
export function contracts(): Record<string, string> {
  return {
    'schema/schema.graphql': `${printWithDirectives(lexicographicSortSchema(createSchema()))}\n`,
    'schema/openapi.json': `${JSON.stringify(openApiDocument(createRestApp()), null, 2)}\n`,
  };
}

/** The types of the REST API for programs in TypeScript, by openapi-typescript from the published document. */
export function openApiTypes(): string {
  const document = readFileSync(projectPath('schema/openapi.json'), 'utf8');
  // Neither has a place in types, but both would be most of them.
  const input = JSON.stringify(JSON.parse(document), (key, value) =>
    key === 'headers' || key === 'example' || key === 'examples' ? undefined : value,
  );
  const hook = new URL('./typescript-5.mjs', import.meta.url).href;
  const program = projectPath('node_modules/openapi-typescript/bin/cli.js');
  return execFileSync(process.execPath, ['--import', hook, program], { input, encoding: 'utf8' });
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
