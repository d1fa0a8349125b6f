#!/usr/bin/env node
// Starts the command line from any directory. In a clone the bundle is made first where the sources have changed.
import { existsSync } from 'node:fs';

if (existsSync(new URL('../src', import.meta.url))) await import('../scripts/build.mjs');
await import('../dist/cli.js');
