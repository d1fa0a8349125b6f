import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pgliteOptions } from '../../src/db/embedded-options.ts';

// Making a database from nothing takes 2 s and 750 MB; loading a dump of an empty one takes 0.25 s and
// 80 MB. So the dump (39 MB) is made once for each version of PGlite, and kept beside its package.

let template: Promise<Blob> | undefined;

/**
 * A new PGlite in memory, set up as the embedded database is. Close it when the test is done.
 * @param source a dump to start from (`pglite.dumpDataDir('none')`), by default an empty database
 */
export async function freshPglite(source?: Blob): Promise<PGlite> {
  if (!source) template ??= loadTemplate();
  return PGlite.create({ ...pgliteOptions, loadDataDir: source ?? (await template) });
}

async function loadTemplate(): Promise<Blob> {
  const file = await templateFile();
  const saved = await readFile(file).catch(() => undefined);
  if (saved) return new Blob([saved]);
  const dump = await dumpOfEmptyDatabase();
  await saveWhole(file, dump);
  return dump;
}

async function templateFile(): Promise<string> {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const packageFolder = dirname(dirname(main));
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  return join(packageFolder, '..', '..', '.cache', 'cardledger', `pglite-${version}.tar`);
}

async function dumpOfEmptyDatabase(): Promise<Blob> {
  const pglite = await PGlite.create(pgliteOptions);
  try {
    await pglite.exec('CHECKPOINT');
    return await pglite.dumpDataDir('none');
  } finally {
    await pglite.close();
  }
}

/** Other workers may read or write the file at the same time: they see all of it or nothing. */
async function saveWhole(file: string, content: Blob): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomUUID()}`;
  await writeFile(unfinished, content.stream());
  await rename(unfinished, file);
}
