import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { programOf, projectPath } from '../../src/paths.ts';

async function endOf(...args: string[]) {
  const { execArgv } = programOf('server/worker');
  const child = spawn(process.execPath, [...execArgv, projectPath('test/server/loop-child.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { output, code, signal, pid: child.pid };
}

it('ends a process whose loop stands still, with one line', async () => {
  const { output, code, signal, pid } = await endOf('5', 'stands');
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
  expect(JSON.parse(output)).toMatchObject({
    level: 60,
    pid,
    msg: 'the event loop has stood still for 1.5 s: the process is ended (SIGKILL), to be started again',
  });
});

it('leaves one alone whose loop goes round', async () => {
  expect(await endOf('40', 'ends')).toEqual({
    ...{ output: '', code: 0, signal: null },
    pid: expect.any(Number),
  });
});
