import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, from which shipped files are read. */
const root = new URL('../', import.meta.url);

export function projectPath(relative: string): string {
  return fileURLToPath(new URL(relative, root));
}

/** Makes a directory and those above it, for its owner alone. Node's own `recursive` never ends below `/proc`. */
export async function makeDirectory(path: string, triesParent = true): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && (await stat(path).catch(() => null))?.isDirectory()) return;
    if (code !== 'ENOENT' || !triesParent || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await makeDirectory(path, false);
  }
}
