// Makes the bundle in dist/ that production runs, unless it is of these sources already: the sources and all packages
// in a few files, which start in half the time, and in dist/web/ the page at `/`. In plain JavaScript, as it runs before
// each start.
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
  'loop-watch-thread': 'src/server/loop-watch-thread.ts',
  'load-shipped-data': 'src/server/load-shipped-data.ts',
  'embedded-init': 'src/db/embedded-init.ts',
  'embedded-thread': 'src/db/embedded-thread.ts',
};

/** Reads files beside itself. */
const EXTERNAL = ['@electric-sql/pglite'];

const sources = digestOfSources();
if (read('built-from') !== sources) await build();

/** Of names, sizes and times, which takes a few milliseconds. */
function digestOfSources() {
  const inFolder = ['src', 'web', 'pages/site'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true }).map((file) => join(folder, file)),
  );
  const hash = createHash('sha256');
  for (const file of [...inFolder, 'package-lock.json', 'scripts/build.mjs'].sort()) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

async function build() {
  const esbuild = await import('esbuild');
  const page = await buildPage(esbuild);
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
  mkdirSync(join(DIST, 'web'), { recursive: true });
  for (const { path, contents } of page) write(path, contents);
  // Programs last, each whole or not at all: another process may start, or build, at the same time.
  const isProgram = ({ path }) => basename(path, '.js') in PROGRAMS;
  for (const { path, contents } of outputFiles.sort((a, b) => isProgram(a) - isProgram(b)))
    write(path, contents);
  write(join(DIST, 'built-from'), sources);
  removeOld(new Set(outputFiles.map(({ path }) => basename(path))));
}

/** The page at `/`, which knows of the service only what its API says. */
async function buildPage(esbuild) {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: { main: 'web/main.tsx' },
    outdir: join(DIST, 'web'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
    write: false,
  });
  return outputFiles;
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
    if (current.has(name) || name === 'built-from' || name === 'web') continue;
    const isOld = Date.now() - statSync(join(DIST, name)).mtimeMs > DAY_MILLIS;
    if (isOld) rmSync(join(DIST, name), { force: true });
  }
}
