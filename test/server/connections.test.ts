import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../src/server/connections.ts';
import { startServer, subscribe, type TestServer } from '../graphql/subscriptions/support.ts';
import { sharedDatabase } from '../harness.ts';
import { newCollection } from '../http/support.ts';
import { answerOf, slowClients, statusOf } from '../support/slow-clients.ts';

/** The server's own limits, with times that a test can wait for. */
const QUICK: ConnectionLimits = {
  ...CONNECTION_LIMITS,
  headersTimeout: CONNECTION_LIMITS.headersTimeout! / 20,
  requestTimeout: CONNECTION_LIMITS.requestTimeout! / 20,
  connectionsCheckingInterval: CONNECTION_LIMITS.connectionsCheckingInterval! / 20,
  idleTimeout: CONNECTION_LIMITS.idleTimeout / 20,
};

const isHealthy = async ({ port }: TestServer) => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;

describe('the connections of a server', () => {
  let db: OpenDatabase;
  beforeAll(async () => {
    db = await sharedDatabase('pglite');
  }, 120_000);

  /** The server, and what it logs. */
  const start = async (limits: ConnectionLimits) => {
    const stream = new PassThrough();
    const logged = text(stream);
    const server = await startServer(db, { limits, logger: pino({ level: 'warn' }, stream) });
    const log = () => {
      stream.end();
      return logged;
    };
    return { ...server, log };
  };
  const send = async ({ port }: TestServer, request: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(request);
    return answerOf(socket);
  };

  it('have times that close slow headers and bodies within 40 s', () => {
    const { headersTimeout, requestTimeout, connectionsCheckingInterval } = CONNECTION_LIMITS;
    expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 5000, requestTimeout: 30_000 });
    expect(requestTimeout! + connectionsCheckingInterval!).toBeLessThan(40_000);
  });

  it('are closed where they are slow, while others are served', async () => {
    const server = await start(QUICK);
    let open = true;
    const slow = slowClients({ port: server.port, token: server.app.token }, 60, 50).finally(() => {
      open = false;
    });
    let served = 0;
    while (open) if (await isHealthy(server)) served++;
    expect(new Set((await slow).map(({ status }) => status))).toEqual(new Set([408]));
    expect(served).toBeGreaterThan(10);
    // Slow clients are no failures of the service.
    expect(await server.log()).toBe('');
  });

  it('stay open for a subscription, which is an answer and no request', async () => {
    const server = await start(QUICK);
    const id = await newCollection(server.app);
    const subscription = subscribe(server, id);
    await subscription.connected;
    // Whose request has had its time by then; and the pings are more often than connections are idle.
    await slowClients({ port: server.port, token: server.app.token }, 6, 50);
    const idle = connect(server.port, '127.0.0.1');
    await answerOf(idle);

    await server.app.send('PUT', `/collection/${id}`, {
      name: 'Later',
      valued: false,
      description: '',
      pinned: false,
      image: 0,
    });
    await subscription.until(1);
    expect(subscription.changes()[0]!.collection!.name).toBe('Later');
  });

  it('are closed where the client takes nothing of its answer', async () => {
    const server = await start({ ...QUICK, idleTimeout: 200 });
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const closed = answerOf(socket);
    socket.pause();
    // More than the buffers between the two hold.
    socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
    // Only who writes notices that the other side is gone.
    const timer = setInterval(() => socket.write('x'), 100);
    onTestFinished(() => clearInterval(timer));
    await closed;
    expect(await isHealthy(server)).toBe(true);
  });

  it('are bounded', async () => {
    const server = await start({ ...CONNECTION_LIMITS, maxConnections: 5 });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const held = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const socket = connect(server.port, '127.0.0.1');
        onTestFinished(() => void socket.destroy());
        socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
        const [answer] = await once(socket, 'data');
        expect(statusOf(String(answer))).toBe(200);
        return socket;
      }),
    );
    expect(await send(server, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('');
    held[0]!.destroy();
    await once(held[0]!, 'close');
    const outgoing = get(`http://127.0.0.1:${server.port}/healthz`, { agent });
    const [response] = await once(outgoing, 'response');
    expect(response.statusCode).toBe(200);
  });

  describe('answer with a problem', () => {
    const HOST = 'Host: x\r\nConnection: close\r\n';
    it.each([
      ['what is no HTTP', 400, '\x16\x03\x01\x02\x00\x01'],
      ['HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['an unknown method', 400, `FOO /healthz HTTP/1.1\r\n${HOST}\r\n`],
      [
        'two lengths',
        400,
        `POST /collection HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      ],
      ['a negative length', 400, `POST /collection HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`],
      ['a folded header', 400, `GET /healthz HTTP/1.1\r\nX: a\r\n b\r\n${HOST}\r\n`],
      ['U+0000 in the path', 400, `GET /\u0000 HTTP/1.1\r\n${HOST}\r\n`],
      [
        'headers of more than 16 KiB',
        431,
        `GET /healthz HTTP/1.1\r\n${HOST}X: ${'x'.repeat(16 * 1024)}\r\n\r\n`,
      ],
      ['a broken host', 400, 'GET /healthz HTTP/1.1\r\nHost: a b/c\r\nConnection: close\r\n\r\n'],
      ['a request of no path', 400, `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`],
      ['a proxy request that is no URL', 400, `GET http://[::/ HTTP/1.1\r\n${HOST}\r\n`],
      ['an unknown scheme', 400, `GET ftp://x/healthz HTTP/1.1\r\n${HOST}\r\n`],
      ['a path out of the documents', 404, `GET /docs/..%2f..%2fpackage.json HTTP/1.1\r\n${HOST}\r\n`],
    ])('%s', async (_name, status, request) => {
      const server = await start(CONNECTION_LIMITS);
      const answer = await send(server, request);
      expect(statusOf(answer)).toBe(status);
      expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i);
      const body = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
      expect(body).toMatchObject({ status, instance: expect.stringMatching(/^\//) });
      expect(body.requestId).toMatch(/\S/);
      expect(JSON.stringify(body)).not.toMatch(/node:|node_modules|Error:/);
      expect(await server.log()).toBe('');
    });

    it('but not headers that are just below 16 KiB', async () => {
      const server = await start(CONNECTION_LIMITS);
      const request = `GET /healthz HTTP/1.1\r\n${HOST}X: ${'x'.repeat(16 * 1024 - 200)}\r\n\r\n`;
      expect(statusOf(await send(server, request))).toBe(200);
    });
  });

  it('may break in the middle of a body, which is no failure of the service', async () => {
    const server = await start(CONNECTION_LIMITS);
    for (const path of ['/collection', '/graphql', '/oauth2/token']) {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      const type = path === '/oauth2/token' ? 'x-www-form-urlencoded' : 'json';
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.app.token}\r\nContent-Type: application/${type}\r\nExpect: 100-continue\r\nContent-Length: 999\r\n\r\n{`,
      );
      // The server has read the headers by then.
      await once(socket, 'data');
      socket.destroy();
      expect(await isHealthy(server)).toBe(true);
    }
    await server.stop();
    expect(await server.log()).toBe('');
  });
});
