import '../../scripts/build.mjs';
import { projectPath } from '../../src/paths.ts';

/** What `npm start` runs: the bundle, made of the sources as they are now. */
export const MAIN = projectPath('dist/main.js');
