import { writeFileSync } from 'node:fs';
import { generate } from '@graphql-codegen/cli';
import codegen from '../codegen.ts';
import { projectPath } from '../src/paths.ts';
import { contracts } from './contracts.ts';

/** Writes what is made from the code: the published contracts, then the typed documents of tests and examples. */
for (const [file, text] of Object.entries(contracts())) {
  writeFileSync(projectPath(file), text);
  console.error(`wrote ${file}`);
}
await generate({ ...codegen, silent: true }, true);
console.error('wrote test/generated/');
