// Makes the bundle in dist/ that production runs, unless it is of these sources already: the sources and all packages
// in a few files, which start in half the time. In plain JavaScript, as it runs before each start.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = join(ROOT, 'dist');
const DAY_MILLIS = 24 * 3600 * 1000;

/** Programs, by their names in dist/. All files are in one folder, so that `src/paths.ts` finds the project above it. */
const PROGRAMS = {
  main: 'src/main.ts',
  cli: 'src/cli/main.ts',
  worker: 'src/server/worker.ts',
  'load-shipped-data': 'src/server/load-shipped-data.ts',
  'embedded-init': 'src/db/embedded-init.ts',
};

/** Reads files beside itself. */
const EXTERNAL = ['@electric-sql/pglite'];

const sources = digestOfSources();
if (read('built-from') !== sources) await build();

/** Of names, sizes and times, which takes a few milliseconds. */
function digestOfSources() {
  const inFolder = readdirSync(join(ROOT, 'src'), { recursive: true }).map((file) => join('src', file));
  const hash = createHash('sha256');
  for (const file of [...inFolder, 'package-lock.json', 'scripts/build.mjs'].sort()) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

async function build() {
  const esbuild = await import('esbuild');
  const { outputFiles } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS,
    outdir: DIST,
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    external: EXTERNAL,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // For the packages that are CommonJS.
    banner: {
      js: `import { createRequire as createRequire_ } from 'node:module';\nconst require = createRequire_(import.meta.url);`,
    },
    logLevel: 'warning',
    write: false,
  });
  mkdirSync(DIST, { recursive: true });
  // Programs last, each whole or not at all: another process may start, or build, at the same time.
  const isProgram = ({ path }) => basename(path, '.js') in PROGRAMS;
  for (const { path, contents } of outputFiles.sort((a, b) => isProgram(a) - isProgram(b)))
    write(path, contents);
  write(join(DIST, 'built-from'), sources);
  removeOld(new Set(outputFiles.map(({ path }) => basename(path))));
}

function read(name) {
  try {
    return readFileSync(join(DIST, name), 'utf8');
  } catch {
    return null;
  }
}

function write(path, contents) {
  const part = `${path}.${randomUUID()}`;
  writeFileSync(part, contents);
  renameSync(part, path);
}

/** Files of earlier builds, but for those of today: a service that runs may load one yet. */
function removeOld(current) {
  for (const name of readdirSync(DIST)) {
    if (current.has(name) || name === 'built-from') continue;
    const isOld = Date.now() - statSync(join(DIST, name)).mtimeMs > DAY_MILLIS;
    if (isOld) rmSync(join(DIST, name), { force: true });
  }
}
