import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Writes a bill of materials (CycloneDX) of what is shipped to standard output. `npm sbom --omit=dev` leaves out what
 * is shipped and is also asked for by a development package, so the whole is taken, and those marked as development
 * are left out.
 */
const cwd = new URL('..', import.meta.url);
const whole = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  }),
);
const isForDevelopment = ({ properties = [] }) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');

const { name } = JSON.parse(readFileSync(new URL('package.json', cwd)));
const components = whole.components.filter((component) => !isForDevelopment(component));
const root = whole.metadata.component;
const shipped = new Set([root['bom-ref'], ...components.map((component) => component['bom-ref'])]);
const dependencies = whole.dependencies
  .filter(({ ref }) => shipped.has(ref))
  .map((entry) => ({ ...entry, dependsOn: entry.dependsOn?.filter((ref) => shipped.has(ref)) }));
const metadata = { ...whole.metadata, component: { ...root, name } };
process.stdout.write(`${JSON.stringify({ ...whole, metadata, components, dependencies }, null, 2)}\n`);
