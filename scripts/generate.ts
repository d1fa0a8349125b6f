import { writeFileSync } from 'node:fs';
import { generate } from '@graphql-codegen/cli';
import codegen from '../codegen.ts';
import { projectPath } from '../src/paths.ts';
import { contracts, openApiTypes } from './contracts.ts';

/** Writes what is made from the code: the published contracts, then what is made from them. */
for (const [file, text] of Object.entries(contracts())) {
  writeFileSync(projectPath(file), text);
  console.error(`wrote ${file}`);
}
writeFileSync(projectPath('packages/client/src/openapi.ts'), openApiTypes());
console.error('wrote packages/client/src/openapi.ts');
await generate({ ...codegen, silent: true }, true);
console.error('wrote test/generated/');
