import { readFileSync } from 'node:fs';
import '../../scripts/build.mjs';
import { projectPath } from '../../src/paths.ts';

/** What `npm start` runs: the bundle, made of the sources as they are now. */
export const MAIN = projectPath('dist/main.js');

/** The command line of the same. */
export const CLI = projectPath('dist/cli.js');

/** The flags of node that `npm start` gives. */
export const NODE_FLAGS: string[] = JSON.parse(
  readFileSync(projectPath('package.json'), 'utf8'),
).scripts.start.match(/--\S+/g);
