import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectPath } from '../../src/paths.ts';
import { MAIN, NODE_FLAGS } from '../support/bundle.ts';
import { freePort } from '../support/postgres-server.ts';

/** The service as a process that can be killed and started again at the same address, on the same data. */
export interface Service {
  url: string;
  port: number;
  /** @param main the program of another version */
  start(main?: string): Promise<void>;
  /** Sends the signal, and gives the exit code or the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  isRunning(): boolean;
  /** A new access token of the demo account. */
  token(): Promise<string>;
}

export async function newService(dataDir: string, settings: NodeJS.ProcessEnv): Promise<Service> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  process.once('exit', () => child?.kill('SIGKILL'));
  return {
    url,
    port,
    isRunning,
    async start(main = MAIN) {
      const started = spawn(process.execPath, [...NODE_FLAGS, main], {
        cwd: projectPath('.'),
        env: {
          PATH: process.env.PATH,
          NODE_ENV: 'production',
          DATA_DIR: dataDir,
          PORT: String(port),
          RATE_LIMIT_PER_MINUTE: '0',
          WORK_LIMIT_PER_MINUTE: '0',
          TOKEN_LIMIT_PER_MINUTE: '0',
          DEMO: '1',
          ...settings,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      let errors = '';
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors = (errors + text).slice(-4000);
      });
      let isReady = false;
      for await (const line of createInterface({ input: started.stdout })) {
        isReady = line.includes('"ready ');
        if (isReady) break;
      }
      // The end of the loop pauses it, and a service whose log nobody reads stands still.
      started.stdout.resume();
      if (!isReady) throw new Error(`The service ended before it was ready. ${errors}`);
    },
    async end(signal) {
      const ended = child!;
      const exited = once(ended, 'exit');
      ended.kill(signal);
      const [code, by] = (await exited) as [number | null, NodeJS.Signals | null];
      return code ?? by!;
    },
    async token() {
      const { clientId, clientSecret } = JSON.parse(
        await readFile(join(dataDir, 'demo-client.json'), 'utf8'),
      );
      const ask = () =>
        fetch(`${url}/oauth2/token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: clientId,
            client_secret: clientSecret,
            scope: 'default',
          }),
        });
      let answer = await ask();
      // A database that is busy with what a start does.
      while (answer.status === 503) answer = await ask();
      if (!answer.ok) throw new Error(`no token: ${answer.status}`);
      return ((await answer.json()) as { access_token: string }).access_token;
    },
  };
}
