import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectPath } from '../../src/paths.ts';

const run = promisify(execFile);

/** Packages that an example asks for, with their ranges; none where it has no `package.json`. */
export function dependenciesOf(example: string): [name: string, range: string][] {
  const file = projectPath(`examples/${example}/package.json`);
  if (!existsSync(file)) return [];
  const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries({ ...dependencies, ...devDependencies });
}

/** Packs `packages/client`, which builds it, and gives the tarball. */
export async function packClient(folder: string): Promise<string> {
  const { stdout } = await runIn(projectPath('packages/client'), 'npm', [
    ...['pack', '--json', '--pack-destination', folder],
  ]);
  return join(folder, /"filename": "(.*)"/.exec(stdout)![1]!);
}

/**
 * Copies an example as a user would, beside the schema, with the packages that its `package.json` names and no others: those
 * of this repository, and the client as it was packed. Gives its folder.
 */
export async function copyOf(example: string, workspace: string, packedClient: string): Promise<string> {
  const folder = join(workspace, 'examples', example);
  await cp(projectPath(`examples/${example}`), folder, {
    recursive: true,
    filter: (path) => !/node_modules|dist$/.test(path),
  });
  for (const [name] of dependenciesOf(example)) {
    const target = join(folder, 'node_modules', name);
    await mkdir(join(target, '..'), { recursive: true });
    if (name === '@cardledger/client') await cp(packedClient, target, { recursive: true });
    else await symlink(projectPath(`node_modules/${name}`), target);
  }
  return folder;
}

/** Runs a program in a folder, with those that the packages of this repository bring. */
export async function runIn(
  folder: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
) {
  const { PATH, HOME } = process.env;
  const path = `${projectPath('node_modules/.bin')}:${PATH}`;
  return run(command, args, { cwd: folder, env: { PATH: path, ...(HOME && { HOME }), ...env } });
}

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** A server of the files in a folder, at an address of its own. */
export async function serveFiles(folder: string): Promise<{ url: string; stop: () => void }> {
  const server = createServer(async (request, response) => {
    const path = request.url === '/' ? '/index.html' : request.url!;
    try {
      const content = await readFile(join(folder, path));
      response
        .writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream' })
        .end(content);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}
