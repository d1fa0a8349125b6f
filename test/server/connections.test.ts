import { once } from 'node:events';
import { Agent, get, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { BODY_LIMITS, type BodyLimits } from '../../src/http/body-room.ts';
import type { NodeBindings } from '../../src/http/exchange.ts';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../src/server/connection-limits.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { startServer, subscribe, type TestServer } from '../graphql/subscriptions/support.ts';
import { sharedDatabase } from '../harness.ts';
import { newCollection } from '../http/support.ts';
import { eventually } from '../support/eventually.ts';
import { answerOf, slowClients, statusOf, takes } from '../support/slow-clients.ts';

/** The server's own limits, with times that a test can wait for. */
const QUICK: ConnectionLimits = {
  ...CONNECTION_LIMITS,
  headersTimeout: CONNECTION_LIMITS.headersTimeout! / 20,
  requestTimeout: CONNECTION_LIMITS.requestTimeout! / 20,
  idleTimeout: CONNECTION_LIMITS.idleTimeout / 20,
};

const isHealthy = async ({ port }: TestServer) => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;

describe('the connections of a server', () => {
  let db: OpenDatabase;
  beforeAll(async () => {
    db = await sharedDatabase('pglite');
  });

  /** The server, and what it logs. */
  const start = async (limits: ConnectionLimits, bodies?: BodyLimits, level = 'warn') => {
    const stream = new PassThrough();
    const logged = text(stream);
    const server = await startServer(db, {
      limits,
      ...(bodies && { bodies }),
      logger: pino({ level }, stream),
    });
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

  /** One without an app behind it. */
  const listen = async (fetch: (request: Request) => Promise<Response>, limits = CONNECTION_LIMITS) => {
    const http = createHttpServer(fetch, limits, pino({ level: 'silent' })).listen(0, '127.0.0.1');
    onTestFinished(() => void http.close());
    await once(http, 'listening');
    return { http, port: (http.address() as AddressInfo).port };
  };
  /** Tells of each piece of a body on which connection it came. */
  const onPiece = (http: Server, cameOn: (socket: Socket) => void) =>
    http.prependListener('request', (incoming) => {
      const push = incoming.push.bind(incoming);
      incoming.push = (piece: unknown) => {
        cameOn(incoming.socket);
        return push(piece);
      };
    });

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
    expect(served).toBeGreaterThan(0);
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

  describe('whose clients do not take their answers', () => {
    /** Much more than the system holds of a connection. */
    const ANSWER_BYTES = 64 * 1024 * 1024;
    const TWO = { ...CONNECTION_LIMITS, maxUntaken: 2 * ANSWER_BYTES + 10_000 };
    const TEXT = 'x'.repeat(ANSWER_BYTES);

    const startWith = async (limits: ConnectionLimits, answer = () => new Response(TEXT)) => {
      const stream = new PassThrough();
      const logged = text(stream);
      const fetch = async (request: Request, { outgoing }: NodeBindings) => {
        const [accountId, platformId] = request.headers.get('X-Owner')?.split(' below ') ?? [];
        if (accountId) outgoing!.owner = { accountId, platformId };
        return answer();
      };
      const http = createHttpServer(fetch, limits, pino({ level: 'warn' }, stream)).listen(0, '127.0.0.1');
      onTestFinished(() => void http.close());
      await once(http, 'listening');
      const { port } = http.address() as AddressInfo;
      /** One that takes nothing, once its answer is made. */
      const ask = async (owner: string | undefined, localAddress = '127.0.0.1') => {
        const socket = connect({ port, host: '127.0.0.1', localAddress }).pause();
        onTestFinished(() => void socket.destroy());
        socket.on('error', () => {});
        const asked = once(http, 'request');
        socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${owner ? `X-Owner: ${owner}\r\n` : ''}\r\n`);
        const [{ socket: end }] = await asked;
        await eventually(() => expect(end.destroyed || end.writableLength > 0).toBe(true));
        return { socket, end: end as Socket };
      };
      const log = async () => {
        await sleep(1100);
        stream.end();
        return logged;
      };
      return { ask, log };
    };
    const takeAll = ({ socket }: { socket: Socket }) => takes(socket, ANSWER_BYTES);
    const areClosed = (asked: { end: Socket }[]) => asked.map(({ end }) => end.destroyed);

    it('stay open while all that they have is within the bound', async () => {
      const { ask, log } = await startWith(TWO);
      const asked = [await ask('a'), await ask('b')];
      expect(areClosed(asked)).toEqual([false, false]);
      for (const one of asked) await takeAll(one);
      expect(await log()).toBe('');
    });

    it('are closed beyond it: of the account that has most, the first', async () => {
      const { ask, log } = await startWith(TWO);
      const asked = [await ask('b'), await ask('a'), await ask('a')];
      expect(areClosed(asked)).toEqual([false, true, false]);
      expect(await log()).toMatch(
        /"dropped":1,.*"accountId":"acc_\w+",.*their clients did not take their answers/,
      );
    });

    it('are closed beyond it: of all who are not known, whatever addresses they have', async () => {
      const { ask } = await startWith(TWO);
      const asked = [await ask('a'), await ask(undefined, '127.0.0.2'), await ask(undefined)];
      expect(areClosed(asked)).toEqual([false, true, false]);
    });

    it('are closed beyond it: of all below a platform, of whom the account with the most has its own first closed', async () => {
      const limits = { ...CONNECTION_LIMITS, maxUntaken: 4 * ANSWER_BYTES + 10_000 };
      const { ask } = await startWith(limits);
      const asked = [await ask('a'), await ask('a'), await ask('b below p')];
      asked.push(await ask('c below p'), await ask('c below p'));
      expect(areClosed(asked)).toEqual([false, false, false, true, false]);
    });

    it('do not count once they are taken, or their clients have left', async () => {
      const { ask } = await startWith(TWO);
      const asked = [await ask('a'), await ask('a')];
      await takeAll(asked[0]!);
      asked.push(await ask('a'));
      expect(areClosed(asked)).toEqual([false, false, false]);
      asked[1]!.socket.resetAndDestroy();
      await eventually(() => expect(asked[1]!.end.destroyed).toBe(true));
      asked.push(await ask('a'));
      expect(areClosed(asked)).toEqual([false, true, false, false]);
      // The first, which was taken, stays open for another request.
      asked.push(await ask('a'));
      expect(areClosed(asked)).toEqual([false, true, true, false, false]);
    });

    it('are closed beyond it where who reads has less left', async () => {
      const { ask } = await startWith(TWO);
      const slow = await ask('b');
      const pending = await ask('a');
      let taken = 0;
      slow.socket.on('data', (piece: Buffer) => {
        taken += piece.length;
        if (taken > ANSWER_BYTES / 4) slow.socket.pause();
      });
      slow.socket.resume();
      await eventually(() => expect(taken).toBeGreaterThan(ANSWER_BYTES / 4));
      expect(areClosed([slow, pending, await ask('c')])).toEqual([false, true, false]);
    });

    it('count bytes, and not characters', async () => {
      const characters = '漢'.repeat(Math.ceil(ANSWER_BYTES / 3));
      const limits = { ...CONNECTION_LIMITS, maxUntaken: 1.5 * ANSWER_BYTES };
      const { ask } = await startWith(limits, () => new Response(characters));
      const asked = [await ask('a'), await ask('a')];
      expect(areClosed(asked)).toEqual([true, false]);
    });

    it('count what a stream has given', async () => {
      const piece = new Uint8Array(ANSWER_BYTES);
      const stream = () =>
        new ReadableStream({
          start: (controller) => controller.enqueue(piece),
        });
      const limits = { ...CONNECTION_LIMITS, maxUntaken: 1.5 * ANSWER_BYTES };
      const { ask } = await startWith(limits, () => new Response(stream()));
      const asked = [await ask('a'), await ask('a')];
      await eventually(() => expect(areClosed(asked)).toEqual([true, false]));
    });
  });

  it('wait for an answer that takes long', async () => {
    const logger = pino({ level: 'silent' });
    const slow = () => sleep(500, new Response('at last'));
    const server = createHttpServer(slow, { ...QUICK, idleTimeout: 100 }, logger).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('at last');
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

  it('are closed where they send too many requests ahead', async () => {
    const server = await start(CONNECTION_LIMITS);
    const ahead = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answers = (text: string) => text.split('HTTP/1.1 200 ').length - 1;
    expect(answers(await send(server, ahead.repeat(9) + last))).toBe(10);
    expect(answers(await send(server, ahead.repeat(10) + last))).toBe(0);
    expect(await isHealthy(server)).toBe(true);
  });

  it('begin a request when the one before is answered', async () => {
    const begun: string[] = [];
    const answers: (() => void)[] = [];
    const fetch = async ({ url }: Request) => {
      begun.push(new URL(url).pathname);
      await new Promise<void>((resolve) => answers.push(resolve));
      return new Response('done');
    };
    const { port } = await listen(fetch);
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const ahead = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`;
    socket.write(ahead('/a') + ahead('/b') + ahead('/c'));
    for (const begunBefore of [['/a'], ['/a', '/b'], ['/a', '/b', '/c']]) {
      await eventually(() => expect(begun).toEqual(begunBefore));
      answers.at(-1)!();
      const [answer] = await once(socket, 'data');
      expect(statusOf(String(answer))).toBe(200);
    }
    // Of too many only the first has begun.
    socket.write(ahead('/d').repeat(CONNECTION_LIMITS.maxPipelined + 1));
    await once(socket, 'close');
    expect(begun).toEqual(['/a', '/b', '/c', '/d']);
  });

  it('begin no request that does not come whole', async () => {
    const begun: string[] = [];
    let answer = () => {};
    const fetch = async ({ url }: Request) => {
      begun.push(new URL(url).pathname);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return new Response('done');
    };
    const { http, port } = await listen(fetch, QUICK);
    const refusing = once(http, 'clientError');
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const answers = answerOf(socket);
    const first = 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
    socket.write(`${first}POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{}`);
    await refusing;
    // What is sent further does not end the first.
    await sleep(2.5 * QUICK.requestTimeout!);
    answer();
    const text = await answers;
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
    expect(begun).toEqual(['/a']);
  });

  describe('on which a body comes in pieces', () => {
    const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;
    const chunked = (server: TestServer, path: string, body: string, method = 'POST') => {
      const headers = `Host: x\r\nAuthorization: Bearer ${server.app.token}\r\nContent-Type: application/json\r\nConnection: close`;
      return `${method} ${path} HTTP/1.1\r\n${headers}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
    };
    const end = '0\r\n\r\n';
    const named = (pieces: number, bytes: number) =>
      `c\r\n{"name":"x"}\r\n${chunk(bytes).repeat(pieces - 1)}`;

    it('take so many small ones, and are closed at one more', async () => {
      const server = await start(CONNECTION_LIMITS);
      const { maxPieces } = CONNECTION_LIMITS;
      for (const [pieces, bytes, status] of [
        [maxPieces, 1, 200],
        [maxPieces + 1, 1, null],
        [5 * maxPieces, 33, 200],
        [5 * maxPieces, 31, null],
      ] as const) {
        const answer = await send(server, chunked(server, '/collection', named(pieces, bytes) + end));
        expect([pieces, bytes, statusOf(answer)]).toEqual([pieces, bytes, status]);
      }
    });

    it.each([
      ['that is read', '/collection', 'POST', ''],
      ['of a request that has none', '/healthz', 'GET', ''],
      ['of a request that is refused by its path', '/nothing', 'POST', ''],
      ['of one that never reaches the app', '/x/../healthz', 'POST', ''],
      ['that is too long', '/collection', 'POST', chunk(1024 * 1024 + 1)],
    ])('are not read on, of a body %s', async (what, path, method, before) => {
      const server = await start(CONNECTION_LIMITS);
      let seen = 0;
      onPiece(server.http, () => void seen++);
      const socket = connect(server.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const closed = answerOf(socket);
      socket.write(chunked(server, path, before, method));
      // Behind the answer, where there is one before the body is read.
      if (what !== 'that is read') await once(socket, 'data');
      await sleep(50);
      socket.write(chunk(1).repeat(5000));
      await closed;
      expect(seen).toBeLessThanOrEqual(CONNECTION_LIMITS.maxPieces + 30);
      // What its parser does was not taken from the next connections.
      const next = chunked(server, '/collection', named(2, 1) + end);
      for (let i = 0; i < 3; i++) expect(statusOf(await send(server, next))).toBe(200);
    });
  });

  it('are good for another request where little of a body comes behind its answer, and else read no further', async () => {
    const server = await start(CONNECTION_LIMITS);
    let read = 0;
    server.http.prependListener('request', (incoming) => {
      const push = incoming.push.bind(incoming);
      incoming.push = (piece: Uint8Array | null) => {
        read += piece?.length ?? 0;
        return push(piece);
      };
    });
    const healthy = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answeredEarly = async (bytes: number, behind: string) => {
      const socket = connect(server.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const answers = answerOf(socket);
      socket.write(`POST /collection HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`);
      // Of who has no token, which is seen before the body.
      await once(socket, 'data');
      read = 0;
      socket.write(' '.repeat(bytes) + behind);
      return [...(await answers).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    };
    expect(await answeredEarly(64 * 1024, healthy)).toEqual([401, 200]);
    expect(read).toBe(64 * 1024);
    expect(await answeredEarly(64 * 1024, '')).toEqual([401]);
    expect(await answeredEarly(8 * 1024 * 1024, healthy)).toEqual([401]);
    // And what the system had at hand.
    expect(read).toBeLessThan(512 * 1024);
  });

  it('say that they close where much of a body is still to come, so that no client puts its next request on them', async () => {
    const server = await start(CONNECTION_LIMITS);
    const answered = async (bytes: number) => {
      const socket = connect(server.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.write(`POST /collection HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`);
      const [head] = await once(socket, 'data');
      return /^connection: (.*)\r$/im.exec(String(head))?.[1];
    };
    expect(await answered(64 * 1024)).toBe('keep-alive');
    expect(await answered(64 * 1024 + 1)).toBe('close');
    for (let i = 0; i < 10; i++) {
      const refused = await fetch(`http://127.0.0.1:${server.port}/collection`, {
        method: 'POST',
        body: ' '.repeat(1_100_000),
      });
      expect(refused.status).toBe(401);
      await refused.text();
      expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
    }
  });

  it.each([
    ['whose length nobody has said', 'Transfer-Encoding: chunked', '0\r\n\r\n'],
    ['of which much was still to come', 'Content-Length: 66000', ' '.repeat(66_000)],
  ])(
    'do nothing that comes behind an answer which says that it is the last, to a body %s',
    async (_, header, rest) => {
      const server = await start(CONNECTION_LIMITS);
      const socket = connect(server.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      let answers = '';
      socket.on('data', (data) => {
        answers += data;
      });
      const closed = once(socket, 'close');
      socket.write(`POST /collection HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
      await eventually(() => expect(answers).toMatch(/^HTTP\/1\.1 401 .*\r\nconnection: close\r\n/is));
      const body = '{"name":"Twice"}';
      const create =
        `POST /collection HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.app.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      socket.write(rest + create.repeat(2));
      await closed;
      expect(answers.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      const list = await server.app.send('GET', '/collection');
      expect(JSON.stringify(list.body)).not.toContain('Twice');
    },
  );

  describe('on which a file is uploaded', () => {
    const header = 'occurredDate,action,quantity,unitAmount,currency,fcId\n';
    const rows = (count: number) => '2026-01-31,Purchase,1,1.50,USD,WTR001-RN\n'.repeat(count);
    const healthy = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const ragged = '1,2\n'.repeat(1001);

    it.each([
      ['whose header is wrong', 'Dear,Sir,or,Madam\n', 400],
      ['whose header is wrong, of more than its beginning', `Dear,Sir,or,Madam\n${rows(1500)}`, 400],
      ['that is damaged', `${header}${rows(1000)}${ragged}`, 400],
      ['that is a picture', '\x89PNG', 400],
      ['that is sound', header + rows(1), 200],
    ])('are good for another request behind one %s, whose end comes late', async (_, file, status) => {
      const server = await start(CONNECTION_LIMITS);
      const id = await newCollection(server.app);
      const head = `POST /collection/${id}/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.app.token}\r\nContent-Type: text/csv\r\n`;
      const last = '\n'.repeat(40_000);
      const length = Buffer.byteLength(file, 'latin1') + last.length;
      const socket = connect(server.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      let answers = '';
      let isClosed = false;
      socket.on('data', (data) => {
        answers += data;
      });
      socket.on('close', () => {
        isClosed = true;
      });
      const statuses = () =>
        [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      socket.write(`${head}Content-Length: ${length}\r\n\r\n`);
      socket.write(Buffer.from(file, 'latin1'));
      await sleep(300);
      socket.write(last);
      await eventually(() => expect(statuses()).toEqual([status]));
      socket.write(healthy);
      await eventually(() => expect(statuses()).toEqual([status, 200]));
      await sleep(700);
      expect(isClosed).toBe(false);
      socket.write(healthy);
      await eventually(() => expect(statuses()).toEqual([status, 200, 200]));
      expect(await server.log()).toBe('');
    });
  });

  /** One that stays open, and has been answered once. */
  const held = async ({ port }: TestServer, localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const status = new Promise<number | null>((resolve) => {
      socket.once('data', (answer) => resolve(statusOf(String(answer))));
      socket.once('close', () => resolve(null));
    });
    return { socket, status: await status };
  };

  it('are bounded for an address, to which its proxies do not count', async () => {
    const server = await start({
      ...CONNECTION_LIMITS,
      maxPerAddress: 3,
      isTrustedProxy: (address) => address === '127.0.0.9',
    });
    const open = await Promise.all([held(server), held(server), held(server)]);
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await held(server)).status).toBeNull();
    expect((await held(server, '127.0.0.2')).status).toBe(200);
    for (let i = 0; i < 5; i++) expect((await held(server, '127.0.0.9')).status).toBe(200);
    open[0]!.socket.destroy();
    await eventually(async () => expect((await held(server)).status).toBe(200));
    await eventually(async () => expect((await held(server)).status).toBeNull());
  });

  describe('of an address that opens many', () => {
    const limits = {
      ...CONNECTION_LIMITS,
      maxNew: 3,
      newMillis: 600_000,
      isTrustedProxy: (address: string) => address === '127.0.0.9',
    };
    const opened = async (server: TestServer, localAddress?: string) => {
      const { socket, status } = await held(server, localAddress);
      socket.destroy();
      return status;
    };

    it('are closed at once beyond so many, which no other address is told of, nor a proxy', async () => {
      const server = await start(limits);
      for (let i = 0; i < 3; i++) expect(await opened(server)).toBe(200);
      expect(await opened(server)).toBeNull();
      expect(await opened(server, '127.0.0.2')).toBe(200);
      for (let i = 0; i < 5; i++) expect(await opened(server, '127.0.0.9')).toBe(200);
      await sleep(1200);
      expect(await server.log()).toContain('too many new ones of one address');
    });

    it('are taken again when that was long ago, and where an address has no limit', async () => {
      // One in 4 s.
      const soon = await start({ ...limits, newMillis: 12_000 });
      const unlimited = await start({ ...limits, maxPerAddress: 0 });
      for (let i = 0; i < 4; i++) expect(await opened(unlimited)).toBe(200);
      await eventually(async () => expect(await opened(soon)).toBeNull());
      await eventually(async () => expect(await opened(soon)).toBe(200));
    });
  });

  it('are closed at once where the client has gone already, as nobody would be answered', async () => {
    const server = await start(CONNECTION_LIMITS);
    const taken = vi.fn();
    server.http.on('connection', taken);
    const close = vi.fn();
    const { _handle: listening } = server.http as unknown as {
      _handle: { onconnection(status: number, connection: object): void };
    };
    // As Node hands over a connection that was reset before it is taken.
    listening.onconnection(0, { getpeername: () => -107, close });
    expect(close).toHaveBeenCalledOnce();
    expect(taken).not.toHaveBeenCalled();
  });

  describe('of an address of which many were cut off', () => {
    const cutOff = async ({ port }: { port: number }, localAddress = '127.0.0.1') => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(CONNECTION_LIMITS.maxPipelined + 1));
      expect(await answerOf(socket)).toBe('');
    };
    const isTrustedProxy = (address: string) => address === '127.0.0.9';
    const limits = { ...CONNECTION_LIMITS, maxCutOff: 3, cutOffMillis: 600_000, isTrustedProxy };

    it('are closed at once, which no other address is told of, nor a proxy', async () => {
      const server = await start(limits);
      for (let i = 0; i < 2; i++) await cutOff(server);
      expect((await held(server)).status).toBe(200);
      await cutOff(server);
      expect((await held(server)).status).toBeNull();
      expect((await held(server, '127.0.0.2')).status).toBe(200);
      for (let i = 0; i < 3; i++) await cutOff(server, '127.0.0.9');
      expect((await held(server, '127.0.0.9')).status).toBe(200);
      await sleep(1200);
      expect(await server.log()).toMatch(/connections were cut off.*too many of their address were cut off/s);
    });

    describe('and which has others open', () => {
      const long = { keepAliveTimeout: 300_000, headersTimeout: 300_000, requestTimeout: 300_000 };
      const slow = { ...limits, ...long };
      const lengthOf = async (request: Request) => new Response(String((await request.text()).length));
      const send = (port: number, text: string) => {
        const socket = connect(port, '127.0.0.1');
        onTestFinished(() => void socket.destroy());
        socket.on('error', () => {});
        socket.write(text);
        return socket;
      };

      /** Where 20 send too many pieces at once: in how many turns of the loop something is read, and of how many at most in one. */
      const turnsOf = async (own: Partial<ConnectionLimits>) => {
        const { http, port } = await listen(lengthOf, { ...slow, ...own });
        let begun = 0;
        http.on('request', () => void begun++);
        let pieces = 0;
        let most = 0;
        let turns = 0;
        const ofThisTurn = new Set<Socket>();
        onPiece(http, (socket) => {
          pieces++;
          if (ofThisTurn.size === 0) {
            turns++;
            setImmediate(() => ofThisTurn.clear());
          }
          most = Math.max(most, ofThisTurn.add(socket).size);
        });
        const start = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
        const sockets = Array.from({ length: 20 }, () => send(port, start));
        await eventually(() => expect(begun).toBe(20));
        const closed = sockets.map(answerOf);
        for (const socket of sockets) socket.write('1\r\n \r\n'.repeat(5000));
        expect(await Promise.all(closed)).toEqual(sockets.map(() => ''));
        expect(pieces).toBe(20 * (CONNECTION_LIMITS.maxPieces + 1));
        return { most, turns };
      };

      it('no more is read in one turn of the loop than until so many are cut off, again and again', async () => {
        const { most, turns } = await turnsOf({ maxCutOff: 3 });
        expect(most).toBeLessThanOrEqual(3);
        expect(turns).toBeGreaterThanOrEqual(7);
        // Not one in each, and more on the other side of the limit, as soon as what they send comes in one turn.
        await eventually(async () => expect((await turnsOf({ maxCutOff: 3 })).turns).toBeLessThan(10));
        for (const own of [{ maxCutOff: 21 }, { maxPerAddress: 0 }])
          await eventually(async () => expect((await turnsOf(own)).most).toBeGreaterThan(3));
      });

      it('are answered as ever: new ones, those behind an answer, and with a body that comes or is not taken yet', async () => {
        let take = () => {};
        const taken = new Promise<void>((resolve) => {
          take = resolve;
        });
        const { http, port } = await listen(
          async (request) => {
            if (request.url.endsWith('/late')) await taken;
            return lengthOf(request);
          },
          { ...slow, maxCutOff: 1 },
        );
        const post = (path: string, bytes: number) =>
          `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`;
        const flood = send(port, '');
        const unused = send(port, '');
        const idle = send(port, 'HEAD / HTTP/1.1\r\nHost: x\r\n\r\n');
        await once(idle, 'data');
        const half = ' '.repeat(500_000);
        const coming = send(port, post('/', 1_000_000) + half);
        const late = send(port, post('/late', 1_000_000) + half);
        const connected = () => new Promise((resolve) => http.getConnections((_, count) => resolve(count)));
        await eventually(async () => expect(await connected()).toBe(5));
        const answers = [unused, idle, coming, late].map(answerOf);
        const cutOff = answerOf(flood);
        // All of it comes in the turn in which the first is cut off.
        flood.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(CONNECTION_LIMITS.maxPipelined + 1));
        for (const socket of [unused, idle]) socket.write(post('/', 1_000_000) + half);
        for (const socket of [unused, idle, coming, late]) socket.write(half);
        expect(await cutOff).toBe('');
        take();
        for (const answer of await Promise.all(answers)) {
          expect(statusOf(answer)).toBe(200);
          expect(answer).toMatch(/\r\n\r\n1000000$/);
        }
      });
    });

    it('are taken again when that was long ago, and where an address has no limit', async () => {
      const soon = await start({ ...limits, cutOffMillis: 5000 });
      const unlimited = await start({ ...limits, maxPerAddress: 0 });
      for (const server of [unlimited, soon]) for (let i = 0; i < 3; i++) await cutOff(server);
      expect((await held(unlimited)).status).toBe(200);
      expect((await held(soon)).status).toBeNull();
      await eventually(async () => expect((await held(soon)).status).toBe(200));
    });
  });

  describe('of a process that has all it may', () => {
    const isClosed = ({ socket }: { socket: Socket }) => socket.closed;
    const closed = (sockets: { socket: Socket }[], expected: boolean[]) =>
      eventually(() => expect(sockets.map(isClosed)).toEqual(expected));
    const many = async (server: TestServer, count: number, localAddress: string) => {
      const open: Awaited<ReturnType<typeof held>>[] = [];
      for (let i = 0; i < count; i++) open.push(await held(server, localAddress));
      return open;
    };
    /** The server's own limits, but for times that a slow machine may take. */
    const startFull = (limits: Partial<ConnectionLimits>) =>
      start(
        {
          ...CONNECTION_LIMITS,
          keepAliveTimeout: 300_000,
          headersTimeout: 300_000,
          requestTimeout: 300_000,
          ...limits,
        },
        {
          ...BODY_LIMITS,
          windowMillis: 300_000,
        },
      );
    /** One whose request never comes to its end. */
    const unfinished = async (server: TestServer, localAddress: string) => {
      const socket = connect({ port: server.port, host: '127.0.0.1', localAddress });
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => {});
      socket.write(
        `POST /collection HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.app.token}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
      );
      expect(String((await once(socket, 'data'))[0])).toContain(' 100 ');
      return { socket };
    };

    it('make room for those of an address that has fewer: what had no request for the longest time', async () => {
      const server = await startFull({ maxConnections: 4 });
      const open = [await unfinished(server, '127.0.0.2'), ...(await many(server, 3, '127.0.0.2'))];
      open[1]!.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(open[1]!.socket, 'data');
      expect((await held(server, '127.0.0.3')).status).toBe(200);
      await closed(open, [false, false, true, false]);
      // Of three and one it is two and two.
      expect((await held(server, '127.0.0.3')).status).toBe(200);
      await closed(open, [false, false, true, true]);
      expect((await held(server, '127.0.0.3')).status).toBeNull();
      expect((await held(server, '127.0.0.2')).status).toBeNull();
      await closed(open, [false, false, true, true]);
    });

    it('make room where the address with the most has none to give, and at last where requests have not come whole', async () => {
      const server = await startFull({ maxConnections: 5 });
      const busy = [];
      for (let i = 0; i < 3; i++) busy.push(await unfinished(server, '127.0.0.2'));
      const idle = await many(server, 2, '127.0.0.3');
      expect((await held(server, '127.0.0.4')).status).toBe(200);
      await closed([...busy, ...idle], [false, false, false, true, false]);
      expect((await held(server, '127.0.0.5')).status).toBe(200);
      await closed([...busy, ...idle], [true, false, false, true, false]);
    });

    it('make none of what their proxies have', async () => {
      const server = await startFull({
        maxConnections: 3,
        isTrustedProxy: (address) => address === '127.0.0.9',
      });
      const open = await many(server, 3, '127.0.0.9');
      expect((await held(server, '127.0.0.2')).status).toBeNull();
      expect((await held(server, '127.0.0.9')).status).toBeNull();
      await closed(open, [false, false, false]);
    });
  });

  describe('with a body', () => {
    const post = (path: string, token: string, length: number, body: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
    const one = (server: TestServer, path: string, length: number, body: string) => {
      const socket = connect(server.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const answer = new Promise<string>((resolve) =>
        socket.once('data', (data) => resolve(data.toString())),
      );
      const closed = answerOf(socket);
      socket.write(post(path, server.app.token, length, body));
      return { socket, answer, closed };
    };

    it.each(['/collection', '/graphql'])('for which there is no room are told so, at %s', async (path) => {
      const server = await start(CONNECTION_LIMITS, { ...BODY_LIMITS, accountBytes: 1000 });
      // Once the service has had a first request, and knows who asks.
      expect(statusOf(await one(server, '/collection', 12, '{"name":"x"}').answer)).toBe(200);
      const holding = one(server, path, 800, '{');
      await sleep(300);
      await eventually(async () => {
        const refused = await one(server, path, 201, '{').answer;
        expect(statusOf(refused)).toBe(429);
        expect(refused).toMatch(/\r\nretry-after: 1\r\n/i);
        expect(refused).toContain('RateLimited');
      });
      // As much as there is room for is taken, and what is refused is read to its end: its connection is as good as before.
      const name = (length: number) => '{"name":"x"}'.padEnd(length);
      const fits = one(server, '/collection', 200, name(200));
      expect(statusOf(await fits.answer)).toBe(200);
      const refused = one(server, path, 201, name(201));
      expect(statusOf(await refused.answer)).toBe(429);
      const next = once(refused.socket, 'data');
      refused.socket.write(post('/collection', server.app.token, 12, name(12)));
      expect(statusOf(String((await next)[0]))).toBe(200);
      holding.socket.destroy();
      await eventually(async () =>
        expect(statusOf(await one(server, '/collection', 1000, name(1000)).answer)).toBe(200),
      );
    });

    it('that stays away are closed, after they are told', async () => {
      const bodies = { ...BODY_LIMITS, windowMillis: 250 };
      const server = await start(CONNECTION_LIMITS, bodies);
      const answers = await Promise.all(
        ['/collection', '/graphql', '/oauth2/token'].map((path) => one(server, path, 300, '{').closed),
      );
      expect(answers.map(statusOf)).toEqual([408, 408, 408]);
      expect(await server.log()).toBe('');
    });
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
      ['two hosts', 400, `GET /healthz HTTP/1.1\r\nhost: x\r\n${HOST}\r\n`],
      ['the same host twice', 400, `GET /healthz HTTP/1.1\r\nHost: x\r\n${HOST}\r\n`],
      ['no host', 400, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
      ['an empty host', 400, 'GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'],
      ['two hosts in HTTP/1.0', 400, 'GET /healthz HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n'],
      ['a segment of dots', 400, `GET /x/../metrics HTTP/1.1\r\n${HOST}\r\n`],
      ['a segment of one dot', 400, `GET /./metrics HTTP/1.1\r\n${HOST}\r\n`],
      ['a segment of dots at the end', 400, `GET /docs/x/.. HTTP/1.1\r\n${HOST}\r\n`],
      ['a segment of encoded dots', 400, `GET /x/%2E%2e/metrics HTTP/1.1\r\n${HOST}\r\n`],
      ['a segment of dots behind a host', 400, `GET http://x/x/../metrics HTTP/1.1\r\n${HOST}\r\n`],
      ['another host in the first line', 400, `GET http://evil/healthz HTTP/1.1\r\n${HOST}\r\n`],
      ['another port in the first line', 400, `GET http://x:1/healthz HTTP/1.1\r\n${HOST}\r\n`],
      ['a backslash', 400, `GET /x\\..\\metrics HTTP/1.1\r\n${HOST}\r\n`],
      ['a fragment', 400, `GET /metrics#/x HTTP/1.1\r\n${HOST}\r\n`],
      ['an encoded letter', 400, `GET /%6detrics HTTP/1.1\r\n${HOST}\r\n`],
      ['an encoded letter of a route with ids', 400, `GET /product/prd%5F1 HTTP/1.1\r\n${HOST}\r\n`],
      ['a broken host', 400, 'GET /healthz HTTP/1.1\r\nHost: a b/c\r\nConnection: close\r\n\r\n'],
      ['a request of no path', 400, `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`],
      ['a proxy request that is no URL', 400, `GET http://[::/ HTTP/1.1\r\n${HOST}\r\n`],
      ['an unknown scheme', 400, `GET ftp://x/healthz HTTP/1.1\r\n${HOST}\r\n`],
      ['a path out of the documents', 404, `GET /docs/..%2f..%2fpackage.json HTTP/1.1\r\n${HOST}\r\n`],
    ])('%s', async (_name, status, request) => {
      const server = await start(CONNECTION_LIMITS, undefined, 'info');
      const answer = await send(server, request);
      expect(statusOf(answer)).toBe(status);
      expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i);
      const body = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
      expect(body).toMatchObject({ status, instance: expect.stringMatching(/^\//) });
      expect(/\r\nx-request-id: (\S+)\r\n/i.exec(answer)?.[1]).toBe(body.requestId);
      expect(JSON.stringify(body)).not.toMatch(/node:|node_modules|Error:/);
      const lines = (await server.log())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const told = lines.filter(({ requestId }) => requestId === body.requestId);
      expect(told).toEqual([expect.objectContaining({ level: 30, status })]);
    });

    it('and tell the log of none where a client has reset its connection', async () => {
      const server = await start(CONNECTION_LIMITS, undefined, 'info');
      const sent = ['', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'];
      for (const request of sent) {
        const socket = connect(server.port, '127.0.0.1');
        await once(socket, 'connect');
        if (request) {
          socket.write(request);
          await once(socket, 'data');
        }
        socket.resetAndDestroy();
      }
      // Behind what the others have left.
      expect(await isHealthy(server)).toBe(true);
      expect(await server.log()).not.toContain('"status":400');
    });

    it('but not headers that are just below 16 KiB', async () => {
      const server = await start(CONNECTION_LIMITS);
      const request = `GET /healthz HTTP/1.1\r\n${HOST}X: ${'x'.repeat(16 * 1024 - 200)}\r\n\r\n`;
      expect(statusOf(await send(server, request))).toBe(200);
    });
  });

  it('are told where they expect what is not known, and not to be told to go on', async () => {
    const server = await start(CONNECTION_LIMITS);
    const post = (path: string, body: string, expected: string) =>
      send(
        server,
        `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${server.app.token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: ${expected}\r\n\r\n${body}`,
      );
    const name = '{"name":"Expected"}';
    const query = '{"query":"mutation { createCollection(input: { name: \\"Expected\\" }) { __typename } }"}';
    for (const expected of ['x', '100-continue, x']) {
      const rest = await post('/collection', name, expected);
      const graphql = await post('/graphql', query, expected);
      expect(rest).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i);
      expect(rest).toContain('"type":"/problems/MalformedRequest"');
      expect(graphql).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/i);
      expect(graphql).toContain('"code":"MalformedRequest"');
      for (const answer of [rest, graphql]) {
        expect(answer).toMatch(/^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 417 /);
        expect(answer).toMatch(/\r\nx-request-id: \S+\r\n/i);
        expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
      }
    }
    const { body } = await server.app.send('GET', '/collection');
    expect(JSON.stringify(body)).not.toContain('Expected');
    for (const expected of ['100-continue', '100-Continue'])
      expect(await post('/collection', name, expected)).toMatch(
        /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
      );
    expect(await server.log()).toBe('');
  });

  it('take a whole address in the first line where it has the same host, as HTTP asks of servers', async () => {
    const server = await start(CONNECTION_LIMITS);
    const answer = await send(
      server,
      'GET http://X/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(statusOf(answer)).toBe(200);
  });

  it('take HTTP/1.0 without a host, as health checks send it', async () => {
    const server = await start(CONNECTION_LIMITS);
    const answer = await send(server, 'GET /healthz HTTP/1.0\r\n\r\n');
    expect(statusOf(answer)).toBe(200);
  });

  it('take an encoded character that needs it, dots within a segment, and any in the query', async () => {
    const server = await start(CONNECTION_LIMITS);
    const paths = ['/nothing/a%20b%C3%A9%2F', '/..nothing', '/nothing...', '/nothing?q=%61/../x'];
    for (const path of paths) {
      const answer = await send(server, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect([path, statusOf(answer)]).toEqual([path, 404]);
    }
  });

  it('answer requests that came whole before they refuse what follows them and is no HTTP', async () => {
    const server = await start(CONNECTION_LIMITS);
    const headers = `Host: x\r\nAuthorization: Bearer ${server.app.token}\r\nContent-Type: application/json\r\n`;
    const create = (name: string) => {
      const body = JSON.stringify({ name });
      return `POST /collection HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    const brokenChunk = `POST /collection HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\nx`;
    for (const [sent, statuses] of [
      [`${create('First')}garbage\r\n\r\n`, [200, 400]],
      [`${create('Second')}${create('Third')}garbage\r\n\r\n`, [200, 200, 400]],
      [`${create('Fourth')}${brokenChunk}`, [200, 400]],
      [brokenChunk, [400]],
    ] as const) {
      const answer = await send(server, sent);
      expect([...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))).toEqual(
        statuses,
      );
    }
    const { body } = await server.app.send('GET', '/collection');
    expect(body.results.map(({ name }: { name: string }) => name)).toEqual([
      'First',
      'Second',
      'Third',
      'Fourth',
    ]);
  });

  it('keep nothing of a client that leaves before what it sent is refused', async () => {
    const fetch = () => new Promise<Response>(() => {});
    const server = createHttpServer(fetch, QUICK, pino({ level: 'silent' })).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const set = vi.spyOn(globalThis, 'setInterval');
    const cleared = vi.spyOn(globalThis, 'clearInterval');
    onTestFinished(() => {
      set.mockRestore();
      cleared.mockRestore();
    });
    const timers = () =>
      set.mock.results
        .filter((_, i) => set.mock.calls[i]![1] === QUICK.requestTimeout)
        .map(({ value }) => value);
    for (let client = 1; client <= 3; client++) {
      const refusing = once(server, 'clientError');
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
      socket.write(`${get}${get}GARBAGE\r\n\r\n`);
      await refusing;
      expect(timers()).toHaveLength(client);
      socket.destroy();
    }
    await eventually(() => {
      const gone = new Set(cleared.mock.calls.map(([timer]) => timer));
      expect(timers().filter((timer) => !gone.has(timer))).toEqual([]);
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
