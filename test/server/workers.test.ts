import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { removeFoldersAfterwards, temporaryFolder } from '../cli/support.ts';
import { samplesOf } from '../observability/support.ts';
import { eventually } from '../support/eventually.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { demoToken, freePort, NPM_START, type ServedProcess, serveProcess } from './server-process.ts';

removeFoldersAfterwards();

async function serve(workers: number): Promise<ServedProcess & { token: string }> {
  const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
  const folder = await temporaryFolder();
  const settings = { DATABASE_URL: url, DATA_DIR: folder, WORKERS: String(workers), DEMO: '1' };
  const server = await serveProcess(
    { ...settings, RATE_LIMIT_PER_MINUTE: '0', WORK_LIMIT_PER_MINUTE: '0' },
    folder,
  );
  return { ...server, token: await demoToken(server.url, folder) };
}

const workersOf = ({ lines }: ServedProcess): number[] =>
  lines.filter(({ msg }) => msg === 'a worker listens').map(({ pid }) => pid);

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('WORKERS', () => {
  it('above 1 needs a PostgreSQL', async () => {
    await expect(serveProcess({ WORKERS: '2' }, await temporaryFolder())).rejects.toThrow(
      /^cardledger cannot start: The configuration is wrong: WORKERS above 1 needs DATABASE_URL/,
    );
  });

  it.skipIf(!inject('postgresUrl'))(
    'share the port, are counted together, started again, and stopped',
    async () => {
      const server = await serve(2);
      const { url, token, line, stop } = server;
      const workers = workersOf(server);
      expect(workers).toHaveLength(2);
      const headers = { Authorization: `Bearer ${token}`, Connection: 'close' };
      for (let i = 0; i < 8; i++) expect((await fetch(`${url}/collection`, { headers })).status).toBe(200);
      const samples = samplesOf(await (await fetch(`${url}/metrics`)).text());
      const counted = samples.get(
        'cardledger_http_request_duration_seconds_count{method="GET",route="/collection",status="200"}',
      );
      expect(counted).toBe(8);
      expect(samples.get('cardledger_db_pool_size{pool="alone"}')).toBe(16);
      expect(samples.get('cardledger_import_age_seconds{kind="prices"}')).toBeLessThan(1e9);

      process.kill(workers[0]!, 'SIGKILL');
      await line(({ msg }) => msg?.startsWith('a worker died; another one starts in 100 ms'));
      await line(({ msg, pid }) => msg === 'a worker listens' && !workers.includes(pid));
      expect((await fetch(`${url}/collection`, { headers })).status).toBe(200);
      const all = workersOf(server);
      expect(all.filter(isAlive)).toHaveLength(2);
      expect(await stop()).toBe(0);
      expect(all.filter(isAlive)).toEqual([]);
    },
  );
});

it.skipIf(!inject('postgresUrl')).each([1, 2])(
  'a process whose loop stands still is ended, where WORKERS is %i',
  { timeout: 120_000 },
  async (workers) => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    const folder = await temporaryFolder();
    const standing =
      "import { isMainThread } from 'node:worker_threads'; if (isMainThread) process.on('SIGUSR2', () => { for (;;); });";
    const server = await serveProcess(
      {
        ...{ DATABASE_URL: url, DATA_DIR: folder, WORKERS: String(workers) },
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(standing)}`,
      },
      folder,
    );
    const pid = workers === 1 ? server.pid : workersOf(server)[0]!;
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGUSR2');
    await server.line((line) => line.pid === pid && line.msg?.startsWith('the event loop has stood still'));
    await eventually(() => expect(isAlive(pid)).toBe(false));
  },
);

describe.skipIf(!inject('postgresUrl'))('the start of WORKERS', () => {
  const settingsFor = async (folder: string) => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    return { DATABASE_URL: url, DATA_DIR: folder, DEMO: '1' };
  };

  it('ends with what is wrong where a worker cannot start', async () => {
    const folder = await temporaryFolder();
    const settings = {
      ...(await settingsFor(folder)),
      WORKERS: '3',
      PERSISTED_DOCUMENTS: 'no-such-file.json',
    };
    await expect(serveProcess(settings, folder)).rejects.toThrow(
      /no-such-file\.json[\s\S]*cardledger cannot start: A worker could not start; the lines above say why\.\n$/,
    );
  });

  it.each(['1', '2'])('is given up at SIGTERM without a failure, with %s', async (WORKERS) => {
    const folder = await temporaryFolder();
    const [command, ...args] = NPM_START;
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, PORT: String(await freePort()), WORKERS, ...(await settingsFor(folder)) };
    const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const errors = text(child.stderr);
    const closed = once(child, 'close');
    // The first line of the log comes before the workers listen.
    await Promise.race([once(child.stdout, 'data'), closed]);
    child.stdout.resume();
    child.kill('SIGTERM');
    expect([(await closed)[0], await errors]).toEqual([0, '']);
  });
});

describe.skipIf(!inject('postgresUrl')).each([1, 2])('SIGTERM under load, with %d workers', (workers) => {
  it('leaves no accepted request without its answer', async () => {
    const server = await serve(workers);
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const answered = new Map<string, number>();
    let isOpen = true;
    let sent = 0;
    const client = async () => {
      while (isOpen) {
        const id = `load-${sent++}`;
        const status = await get(agent, `${server.url}/collection`, server.token, id);
        if (status === null) isOpen = false;
        else answered.set(id, status);
        if (answered.size === 300) process.kill(server.pid, 'SIGTERM');
      }
    };
    await Promise.all(Array.from({ length: 32 }, client));
    agent.destroy();
    expect(await server.stop()).toBe(0);
    const logged = server.lines.filter(({ requestId }) => requestId?.startsWith('load-'));
    expect(logged.length).toBeGreaterThan(300);
    expect(new Set(answered.values())).toEqual(new Set([200]));
    expect(logged.map(({ requestId }) => requestId).filter((id) => !answered.has(id))).toEqual([]);
  });
});

/** The status once the whole answer is there; null where the server takes no more requests. */
function get(agent: Agent, url: string, token: string, id: string): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}`, 'X-Request-Id': id };
    const outgoing = request(url, { agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
      response.on('error', () => resolve(null));
    });
    outgoing.on('error', () => resolve(null));
    outgoing.end();
  });
}
