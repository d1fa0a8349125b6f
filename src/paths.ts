import { mkdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** The project's folder, from which shipped files are read. Both `src/` and the bundle of it in `dist/` are there. */
const root = new URL('../', import.meta.url);

export function projectPath(relative: string): string {
  return fileURLToPath(new URL(relative, root));
}

/**
 * A program of our own, to be run by Node as this one is: from the bundle, or from the sources.
 * @param source its module below `src/`, such as `server/worker`; an entry of the bundle (`scripts/build.mjs`)
 */
export function programOf(source: string): { file: string; execArgv: string[] } {
  if (!import.meta.url.endsWith('.ts'))
    return { file: projectPath(`dist/${basename(source)}.js`), execArgv: [] };
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return { file: projectPath(`src/${source}.ts`), execArgv: ['--import', tsx] };
}

/** The same as a thread of this process. */
export function startThread(source: string, workerData: unknown): Worker {
  const { file, execArgv } = programOf(source);
  const [, tsx] = execArgv;
  if (tsx === undefined) return new Worker(file, { workerData });
  // Node 20 does not apply what `--import` registers to the module that a thread starts with.
  const program = `import(${JSON.stringify(new URL('esm/api/index.mjs', tsx))})
    .then(({ register }) => (register(), import(${JSON.stringify(pathToFileURL(file))})))`;
  return new Worker(program, { eval: true, workerData });
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
