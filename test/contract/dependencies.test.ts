import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';

const read = (file: string) => readFileSync(projectPath(file), 'utf8');

interface LockedPackage {
  version: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
}

const manifest = JSON.parse(read('package.json'));
const locked = Object.entries<LockedPackage>(JSON.parse(read('package-lock.json')).packages).filter(
  ([path]) => path !== '',
);

/** None of them asks for more than to be named. */
const LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense'];

/** Packages of a table of CONTRIBUTING, such as `@types/*`. */
function namedIn(heading: string): string[] {
  const table = read('CONTRIBUTING.md').split(heading)[1]?.split('\n\n')[0] ?? '';
  return [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  );
}

const isNamed = (name: string, names: string[]) =>
  names.includes(name) || names.includes(name.replace(/\/.*/, '/*'));

describe.each([
  ['dependencies', '| Package | Why |'],
  ['devDependencies', '| For development | Why |'],
])('%s', (kind, heading) => {
  const names = namedIn(heading);
  const installed = Object.keys(manifest[kind]);

  it('are all named in CONTRIBUTING, with the reason', () => {
    expect(installed.filter((name) => !isNamed(name, names))).toEqual([]);
  });

  it('are no more than CONTRIBUTING names', () => {
    const scopes = installed.map((name) => name.replace(/\/.*/, '/*'));
    expect(names.filter((name) => !installed.includes(name) && !scopes.includes(name))).toEqual([]);
  });
});

describe('what is installed', () => {
  it('has one version and one digest each', () => {
    const loose = locked.filter(
      ([, { version, integrity }]) => !version || !integrity?.startsWith('sha512-'),
    );
    expect(loose.map(([path]) => path)).toEqual([]);
  });

  it('runs no script of its own', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  });

  it('names no host', () => {
    expect(locked.filter(([, entry]) => 'resolved' in entry).map(([path]) => path)).toEqual([]);
  });
});

describe('what is shipped', () => {
  it('has a licence that lets everybody use it', () => {
    const others = locked.filter(([, { dev, license }]) => !dev && !LICENCES.includes(license ?? ''));
    expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });

  it('is listed in the bill of materials, with its version and licence', () => {
    const text = execFileSync('npm', ['run', '-s', 'sbom'], { cwd: projectPath('.'), encoding: 'utf8' });
    const bill = JSON.parse(text);
    expect(bill.bomFormat).toBe('CycloneDX');
    const components = new Map<string, { version: string; licenses?: unknown[]; hashes: unknown[] }>(
      bill.components.map((component: { name: string }) => [component.name, component]),
    );
    for (const name of Object.keys(manifest.dependencies)) {
      const entry = locked.find(([path]) => path === `node_modules/${name}`)![1];
      expect(components.get(name)).toMatchObject({ version: entry.version });
      expect(components.get(name)?.licenses?.length).toBeGreaterThan(0);
    }
    expect(['vitest', 'typescript', '@biomejs/biome'].filter((name) => components.has(name))).toEqual([]);
    const known = new Set(bill.components.map((component: { 'bom-ref': string }) => component['bom-ref']));
    known.add(bill.metadata.component['bom-ref']);
    for (const { ref } of bill.dependencies) expect(known.has(ref), ref).toBe(true);
  });
});
