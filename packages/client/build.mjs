// Makes dist/: one ES module by esbuild, and the types beside it by tsc, which checks the sources too.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(HERE, 'dist');

const { build, compiler } = await tools();
rmSync(DIST, { recursive: true, force: true });
await build({
  absWorkingDir: HERE,
  entryPoints: ['src/index.ts'],
  outdir: 'dist',
  bundle: true,
  minify: true,
  sourcemap: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
});

const { status } = spawnSync(process.execPath, [join(dirname(compiler), 'bin/tsc')], {
  cwd: HERE,
  stdio: ['ignore', 2, 2],
});
if (status !== 0) process.exit(1);
for (const name of readdirSync(DIST).filter((name) => name.endsWith('.d.ts'))) {
  const file = join(DIST, name);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.\/.*)\.ts'/g, "$1.js'"));
}

/** Both are packages of the repository, for its development: who starts the service alone has no compiler. */
async function tools() {
  try {
    const { build } = await import('esbuild');
    return { build, compiler: createRequire(import.meta.url).resolve('typescript/package.json') };
  } catch {
    const root = join(HERE, '../../');
    console.error(`@cardledger/client cannot be built here: run "npm ci" in ${root} first, then try again.`);
    process.exit(1);
  }
}
