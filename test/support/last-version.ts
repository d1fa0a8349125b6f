import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '../../src/paths.ts';

/** The commit of the last release. */
const LAST_VERSION = 'b07a2df2df81a3036616710ce5b1501d252e0960';
const ROOT = projectPath('.');

/** Whether the history of this repository has the last version; a shallow clone lacks it, and a line says so. */
export function hasLastVersion(): boolean {
  const { status } = spawnSync('git', ['cat-file', '-e', `${LAST_VERSION}^{commit}`], { cwd: ROOT });
  if (status !== 0)
    console.error(
      `\nThe history lacks the last version (${LAST_VERSION}): what runs it is left out. Run git fetch --unshallow.\n`,
    );
  return status === 0;
}

/** Puts the files of the last version in a new folder, with the packages of this one, and gives its path. */
export function checkOutLastVersion(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cardledger-last-version-'));
  const archive = ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', LAST_VERSION, folder];
  execFileSync('sh', archive, { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
