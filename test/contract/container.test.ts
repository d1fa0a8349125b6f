import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config.ts';
import { projectPath } from '../../src/paths.ts';
import { freePort } from '../server/server-process.ts';
import { eventually } from '../support/eventually.ts';

// These tests need no container engine; test/slow/container.test.ts builds the image and runs it.

interface Instruction {
  name: string;
  value: string;
}

const read = (file: string) => readFileSync(projectPath(file), 'utf8');

/** The instructions of each stage, with lines that are continued as one. */
function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name, value] = /^([A-Z]+)\s+(.*)$/.exec(line)!;
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name: name!, value: value!.trim() });
  }
  return stages;
}

const [build, image] = stagesOf(read('Dockerfile')) as [Instruction[], Instruction[]];
const valuesOf = (stage: Instruction[], name: string) =>
  stage.filter((instruction) => instruction.name === name).map(({ value }) => value);
const environment = Object.fromEntries(
  valuesOf(image, 'ENV').flatMap((value) =>
    value.split(' ').map((pair) => pair.split('=') as [string, string]),
  ),
);
const command: string[] = JSON.parse(valuesOf(image, 'CMD')[0]!);
const healthCheck: string[] = JSON.parse(/CMD (\[.*\])$/.exec(valuesOf(image, 'HEALTHCHECK')[0]!)![1]!);

describe('Dockerfile', () => {
  it('runs as a user without rights, the bundle of another stage', () => {
    expect(valuesOf(build, 'RUN')).toEqual(['npm ci --omit=dev', 'node scripts/build.mjs']);
    expect(valuesOf(image, 'USER')).toEqual(['node']);
    expect(valuesOf(image, 'COPY')).toContain('--from=build /app/dist ./dist');
    const order = image.map(({ name }) => name);
    expect(order.indexOf('USER')).toBeGreaterThan(order.lastIndexOf('RUN'));
    expect(environment).toMatchObject({ HOST: '0.0.0.0', DATA_DIR: '/data', NODE_ENV: 'production' });
    expect(valuesOf(image, 'VOLUME')).toEqual(['/data']);
  });

  it('starts what npm start starts', () => {
    const { start } = JSON.parse(read('package.json')).scripts;
    expect(start).toMatch(new RegExp(`exec ${command.join(' ').replaceAll('.', '\\.')}$`));
  });

  it('has an oldest Node that will do', () => {
    const [version] = /(?<=NODE_VERSION=)\d+/.exec(read('Dockerfile'))!;
    const [oldest] = /\d+/.exec(JSON.parse(read('package.json')).engines.node)!;
    expect(Number(version)).toBeGreaterThanOrEqual(Number(oldest));
  });
});

describe('compose.yaml', () => {
  const { services, volumes } = parse(read('compose.yaml'));
  const { cardledger, database } = services;
  /** Values as compose fills them in where nothing is set but the password. */
  const filledIn = (value: unknown) =>
    String(value)
      .replaceAll(/\$\{\w+:\?[^}]*\}/g, 'secret')
      .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');

  it('gives the service settings that it takes', () => {
    const settings: [string, string][] = Object.entries(cardledger.environment).map(([name, value]) => [
      name,
      filledIn(value),
    ]);
    const known = read('src/config.ts');
    for (const [name] of settings) expect(known).toContain(`  ${name}: `);
    // All but those that the image sets itself, and a file that would have to be mounted.
    const taken = known
      .split('z.object({')[1]!
      .split('\n});')[0]!
      .matchAll(/^ {2}([A-Z_]+): /gm);
    const elsewhere = ['PORT', 'HOST', 'DATA_DIR', 'PERSISTED_DOCUMENTS'];
    expect([...settings.map(([name]) => name), ...elsewhere].sort()).toEqual(
      Array.from(taken, ([, name]) => name).sort(),
    );
    expect(loadConfig(Object.fromEntries(settings))).toMatchObject({
      databaseUrl: 'postgres://cardledger:secret@database/cardledger',
      demo: false,
      workers: 1,
      otelExporterOtlpEndpoint: null,
    });
  });

  it('keeps secrets out, the file system read-only, and starts behind a healthy database', () => {
    expect(cardledger).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      depends_on: { database: { condition: 'service_healthy' } },
      volumes: ['data:/data'],
    });
    expect(database.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    expect(database.healthcheck.test.join(' ')).toContain('pg_isready');
    expect(Number(/^postgres:(\d+)/.exec(database.image)![1])).toBeGreaterThanOrEqual(15);
    expect(Object.keys(volumes)).toEqual(['data', 'database']);
    const [database_] = database.volumes[0].split(':');
    expect(Object.keys(volumes)).toContain(database_);
  });
});

describe('what is in the image', () => {
  let root: string;
  const asUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

  /** What the instructions copy, as committed: nothing that only this machine has. */
  const copyFiles = (stage: Instruction[], folder: string) => {
    const context = new Set(read('.dockerignore').match(/(?<=^!).+$/gm));
    for (const value of valuesOf(stage, 'COPY').filter((value) => !value.startsWith('--from='))) {
      for (const source of value.split(' ').slice(0, -1)) {
        expect(context).toContain(source);
        const files = execFileSync('git', ['ls-files', source], { cwd: projectPath('.'), encoding: 'utf8' });
        for (const file of files.trim().split('\n')) cpSync(projectPath(file), join(folder, file));
      }
    }
  };

  /** Those that `npm ci --omit=dev` installs, from here, in a second; that it does is shown by readme.test.ts. */
  const copyPackages = (folder: string) => {
    const { packages } = JSON.parse(read('package-lock.json'));
    const isShipped = (path: string) => !packages[path].dev && existsSync(projectPath(path));
    const top = Object.keys(packages).filter((path) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path));
    execFileSync('cp', ['--archive', '--parents', ...top.filter(isShipped), folder], {
      cwd: projectPath('.'),
    });
  };

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'cardledger-image-'));
    const built = join(root, 'build');
    const app = join(root, 'app');
    copyFiles(build, built);
    for (const command of valuesOf(build, 'RUN')) {
      if (command === 'npm ci --omit=dev') {
        copyPackages(built);
        continue;
      }
      const [program, ...args] = command.split(' ') as [string, ...string[]];
      execFileSync(program, args, { cwd: built, stdio: ['ignore', 'ignore', 'pipe'] });
    }
    copyFiles(image, app);
    for (const value of valuesOf(image, 'COPY').filter((value) => value.startsWith('--from='))) {
      const [, source, target] = value.split(' ') as [string, string, string];
      mkdirSync(dirname(join(app, target)), { recursive: true });
      renameSync(join(built, source.replace('/app/', '')), join(app, target));
    }
    for (const folder of ['data', 'tmp']) {
      mkdirSync(join(root, folder));
      if (asUser.uid) chownSync(join(root, folder), asUser.uid, asUser.gid);
    }
    execFileSync('chmod', ['755', root]);
    execFileSync('chmod', ['-R', 'a-w,a+rX', app]);
  });

  afterAll(() => {
    execFileSync('chmod', ['-R', 'u+w', root]);
    rmSync(root, { recursive: true, force: true });
  });

  it('serves from a tree that it may not write to, as another user, and ends at SIGTERM', async () => {
    const PORT = String(await freePort());
    const env = {
      PATH: process.env.PATH,
      ...environment,
      HOST: '127.0.0.1',
      PORT,
      DATA_DIR: join(root, 'data'),
      TMPDIR: join(root, 'tmp'),
      DEMO: '0',
    };
    const options = { ...asUser, cwd: join(root, 'app'), env, encoding: 'utf8' } as const;
    const denied = `require('fs').writeFileSync('dist/x.js', '')`;
    expect(() => execFileSync('node', ['-e', denied], { ...options, stdio: 'pipe' })).toThrow(/EACCES|EPERM/);

    const child = spawn(command[0]!, command.slice(1), { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const closed = once(child, 'close');
    const errors = text(child.stderr);
    const lines = createInterface(child.stdout);
    const ready = new Promise<boolean>((resolve) => {
      lines.on('line', (line) => line.includes('"ready ') && resolve(true));
    });
    const isReady = await Promise.race([ready, closed.then(() => false)]);
    expect(isReady, isReady ? '' : await errors).toBe(true);
    // As it is asked again and again.
    await eventually(() =>
      execFileSync(healthCheck[0]!, healthCheck.slice(1), { ...options, stdio: 'pipe' }),
    );
    // Of packages that are not in the bundle.
    for (const path of [
      '/graphiql/graphiql.js',
      '/graphiql/start.js',
      '/docs/swagger-ui.css',
      '/docs/start.js',
      '/site/site.css',
      '/web/main.js',
      '/web/main.css',
    ]) {
      expect((await fetch(`http://127.0.0.1:${PORT}${path}`)).status, path).toBe(200);
    }
    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
    expect(() =>
      execFileSync(healthCheck[0]!, healthCheck.slice(1), { ...options, stdio: 'pipe' }),
    ).toThrow();

    const doctor = JSON.parse(
      execFileSync(join(root, 'app/bin/cardledger.js'), ['doctor', '--json'], options),
    );
    expect(doctor.ok).toBe(true);
    expect(statSync(join(root, 'data/embedded')).uid).toBe(asUser.uid ?? process.getuid!());
  });
});
