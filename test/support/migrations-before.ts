import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { projectPath } from '../../src/paths.ts';

/** The migrations before one, in a folder of their own. */
export async function migrationsBefore(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(projectPath('migrations'), folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { tag: string }[] };
  const entries = journal.entries.slice(
    0,
    journal.entries.findIndex(({ tag }) => tag.startsWith(name)),
  );
  await writeFile(path, JSON.stringify({ ...journal, entries }));
  return folder;
}
