import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { CONNECTION_LIMITS } from '../../src/server/connection-limits.ts';
import { drain } from '../../src/server/drain.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { answerOf } from '../support/slow-clients.ts';

it('closes connections that nothing came on, and answers what is under way', async () => {
  let answer = (_: Response) => {};
  const app = () =>
    new Promise<Response>((resolve) => {
      answer = resolve;
    });
  const server = createHttpServer(app, CONNECTION_LIMITS, pino({ level: 'silent' })).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [unused, asking] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all([once(unused, 'connect'), once(asking, 'connect')]);
  asking.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(server, 'request');
  const drained = drain(server);
  // What is read shows that its end has come.
  await once(unused.resume(), 'close');
  answer(new Response('whole'));
  expect(await answerOf(asking)).toContain('whole');
  await drained;
});
