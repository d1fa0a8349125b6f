// Run before each npm script, in plain JavaScript as nothing may be installed yet: checks the Node version and
// runs `npm ci` where node_modules is not what package-lock.json says. `--dev` asks for the development packages too.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const withDev = process.argv.includes('--dev');

checkNode();
const wanted = readPackages('package-lock.json');
// npm writes this file as the last step of an install.
const installed = readPackages('node_modules/.package-lock.json');
if (!isComplete()) install();

function checkNode() {
  const { engines } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const [major, minor] = engines.node.match(/\d+/g).map(Number);
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  fail(
    `cardledger needs Node ${major}.${minor} or later, and this is ${process.versions.node}: install a newer one.`,
  );
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(ROOT + file, 'utf8')).packages;
  } catch {
    return {};
  }
}

function isComplete() {
  const leftOver = Object.keys(installed).some((path) => !wanted[path]);
  return !leftOver && Object.keys(wanted).every((path) => path === '' || isThere(path));
}

function isThere(path) {
  const { version, integrity, dev, optional } = wanted[path];
  if (dev && !withDev) return true;
  const found = installed[path];
  // npm leaves out optional packages that are for other platforms.
  if (!found) return Boolean(optional);
  return (
    found.version === version && found.integrity === integrity && existsSync(`${ROOT}${path}/package.json`)
  );
}

function install() {
  const keepsDev = withDev || Object.values(installed).some(({ dev }) => dev);
  const args = ['ci', keepsDev ? '--include=dev' : '--omit=dev', '--loglevel=error'];
  console.error(`Installing packages: npm ${args.join(' ')}`);
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  // All to standard error: standard output is the script's own.
  const { status, error } = spawnSync(command, [...first, ...args], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail(`The packages could not be installed: ${error?.message ?? 'npm says why above'}.`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
