import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../src/server/connection-limits.ts';
import { drain } from '../../src/server/drain.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { eventually } from '../support/eventually.ts';
import { answerOf, takes } from '../support/slow-clients.ts';

async function listening(app: () => Promise<Response>, limits: Partial<ConnectionLimits>) {
  const logger = pino({ level: 'silent' });
  const server = createHttpServer(app, { ...CONNECTION_LIMITS, ...limits }, logger).listen(0, '127.0.0.1');
  onTestFinished(() => server.closeAllConnections());
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

it('closes connections that nothing came on, and answers what is under way', async () => {
  const answers: ((answer: Response) => void)[] = [];
  const app = () => new Promise<Response>((resolve) => answers.push(resolve));
  const { server, port } = await listening(app, { headersTimeout: 30_000 });
  const [unused, begun, asking] = [1, 2, 3].map(() => connect(port, '127.0.0.1')) as [Socket, Socket, Socket];
  await Promise.all([unused, begun, asking].map((socket) => once(socket, 'connect')));
  begun.write('GET / HTTP/1.1\r\n');
  asking.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await eventually(() => expect(answers).toHaveLength(1));
  const drained = drain(server);
  // What is read shows that its end has come.
  await once(unused.resume(), 'close');
  answers[0]!(new Response('whole'));
  expect(await answerOf(asking)).toContain('whole');
  begun.write('Host: localhost\r\n\r\n');
  await eventually(() => expect(answers).toHaveLength(2));
  answers[1]!(new Response('too'));
  expect(await answerOf(begun)).toContain('too');
  await drained;
});

it('lets a client take the answer that is written to its connection', async () => {
  const text = 'x'.repeat(32 * 1024 * 1024);
  const { server, port } = await listening(async () => new Response(text), { keepAliveTimeout: 600_000 });
  const [idle, slow] = [1, 2].map(() => connect(port, '127.0.0.1')) as [Socket, Socket];
  const idleClosed = once(idle, 'close');
  idle.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await takes(idle, text.length);
  const answered = once(server, 'request');
  slow.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [{ socket }] = await answered;
  await eventually(() => expect(socket.writableLength).toBeGreaterThan(0));
  const drained = drain(server);
  await idleClosed;
  await sleep(200);
  expect(socket.destroyed).toBe(false);
  await takes(slow, text.length);
  await drained;
});
