import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pgliteOptions } from './embedded-options.ts';

// The program that makes a new database in the empty directory it is given, and ends. It is a process
// of its own because the making takes 800 MB, which WebAssembly never gives back.

// Without its parent nobody would use what it makes.
process.once('disconnect', () => process.exit(1));

const directory = process.argv[2];
if (directory === undefined) throw new Error('usage: embedded-init DIRECTORY');

const pglite = await PGlite.create(directory, pgliteOptions);
await pglite.close();
syncTree(directory);
process.exit(0);

/** Flushes a directory and all in it to the disk, so that the rename that follows never comes before its content. */
function syncTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) syncTree(child);
    else syncPath(child);
  }
  syncPath(path);
}

function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
