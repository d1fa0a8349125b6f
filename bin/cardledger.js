#!/usr/bin/env node
// Starts the command line from any directory, without a build step.
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

// Our own, as the directory that this is started from may have another one.
register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
await import('../src/cli/main.ts');
