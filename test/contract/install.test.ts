import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/ensure-installed.mjs', import.meta.url));

const LOCK: Record<string, { version: string; dev?: boolean; optional?: boolean }> = {
  '': { version: '1.0.0' },
  'node_modules/used': { version: '1.0.0' },
  'node_modules/tool': { version: '2.0.0', dev: true },
  'node_modules/other-platform': { version: '3.0.0', optional: true },
};

// Stands for npm: writes down how it was called, and installs all but the optional package.
const FAKE_NPM = `
const fs = require('node:fs');
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
fs.appendFileSync('npm-calls', process.argv.slice(2, 4).join(' ') + '\\n');
if (fs.existsSync('npm-breaks')) process.exit(7);
fs.rmSync('node_modules', { recursive: true, force: true });
const wanted = Object.entries(packages).filter(([path, { dev, optional }]) =>
  path && !optional && !(dev && process.argv.includes('--omit=dev')));
for (const [path] of wanted) {
  fs.mkdirSync(path, { recursive: true });
  fs.writeFileSync(path + '/package.json', '{}');
}
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(wanted) }));
`;

describe('ensure-installed', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'cardledger-install-'));
    mkdirSync(join(root, 'scripts'));
    cpSync(SCRIPT, join(root, 'scripts/ensure-installed.mjs'));
    writeFileSync(join(root, 'npm-cli.js'), FAKE_NPM);
    writeFileSync(join(root, 'package.json'), JSON.stringify({ engines: { node: '>=20.19' } }));
    lock(LOCK);
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const lock = (packages: object) =>
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));

  const ensure = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/ensure-installed.mjs', ...args], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: join(root, 'npm-cli.js') },
    });

  const calls = () => {
    const file = join(root, 'npm-calls');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };

  it('installs once, without development packages, and says so on standard error only', () => {
    const first = ensure();
    expect(first).toMatchObject({ status: 0, stdout: '' });
    expect(first.stderr).toContain('Installing packages');
    expect(ensure()).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(calls()).toEqual(['ci --omit=dev']);
  });

  it('adds development packages when they are asked for, and keeps them then', () => {
    ensure();
    ensure('--dev');
    ensure();
    lock({ ...LOCK, 'node_modules/used': { version: '1.0.1' } });
    ensure();
    ensure('--dev');
    expect(calls()).toEqual(['ci --omit=dev', 'ci --include=dev', 'ci --include=dev']);
  });

  it.each([
    ['another version', { ...LOCK, 'node_modules/used': { version: '1.0.1' } }],
    ['a new package', { ...LOCK, 'node_modules/used/node_modules/inner': { version: '1.0.0' } }],
    ['one package less', { '': LOCK[''], 'node_modules/tool': LOCK['node_modules/tool'] }],
  ])('installs again for a lock file with %s', (_, packages) => {
    ensure();
    lock(packages);
    ensure();
    ensure();
    expect(calls()).toHaveLength(2);
  });

  it('does an unfinished install again', () => {
    ensure();
    rmSync(join(root, 'node_modules/.package-lock.json'));
    ensure();
    rmSync(join(root, 'node_modules/used'), { recursive: true });
    ensure();
    expect(calls()).toHaveLength(3);
  });

  it('fails with a clear message when npm fails, and tries again the next time', () => {
    writeFileSync(join(root, 'npm-breaks'), '');
    const broken = ensure();
    expect(broken.status).toBe(1);
    expect(broken.stderr).toContain('The packages could not be installed');
    rmSync(join(root, 'npm-breaks'));
    expect(ensure().status).toBe(0);
  });

  it('refuses a Node that is too old, and takes the oldest that will do', () => {
    const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
    const require = (node: string) =>
      writeFileSync(join(root, 'package.json'), JSON.stringify({ engines: { node } }));
    require(`>=${major}.${minor + 1}`);
    const refused = ensure();
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain(`needs Node ${major}.${minor + 1} or later`);
    expect(calls()).toEqual([]);
    require(`>=${major}.${minor}`);
    expect(ensure().status).toBe(0);
  });
});
