import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { findPostgres, startPostgres } from './postgres-server.ts';

/** Which the server tells superusers alone. */
async function dataDirectory(url: string): Promise<string> {
  const sql = postgres(url, { max: 1 });
  const [row] = await sql`show data_directory`;
  await sql.end();
  return String(row?.data_directory);
}

describe.runIf(findPostgres())('startPostgres', () => {
  it('starts a server with the settings asked for, and leaves nothing after stop', async () => {
    const server = await startPostgres({ settings: { work_mem: '7MB' } });
    const sql = postgres(server.url, { max: 1 });
    expect((await sql`show work_mem`)[0]).toEqual({ work_mem: '7MB' });
    expect((await sql`select lower('É') as lower`)[0]).toEqual({ lower: 'é' });
    await sql.end();
    const directory = await dataDirectory(server.superuserUrl);
    await server.stop();
    await server.stop();
    expect(existsSync(directory)).toBe(false);
  });

  it('shows the log of a server that does not start', async () => {
    await expect(startPostgres({ settings: { work_mem: 'much' } })).rejects.toThrow(/work_mem.*much/s);
  });

  it('leaves nothing behind when its process is killed', async () => {
    const module = JSON.stringify(new URL('./postgres-server.ts', import.meta.url).href);
    const program = `
      const { startPostgres } = await import(${module});
      process.stdout.write((await startPostgres()).superuserUrl);`;
    const owner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program]);
    const [url] = await once(owner.stdout, 'data');
    const directory = await dataDirectory(String(url));
    expect(existsSync(directory)).toBe(true);
    owner.kill('SIGKILL');
    await eventually(() => expect(existsSync(directory)).toBe(false));
  });
});
