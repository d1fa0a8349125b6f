import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../bench/server-process.ts';
import { statusOf } from '../support/slow-clients.ts';

/** What requests may take of a server's memory: that of its process, as `npm start` runs it. */

const run = promisify(execFile);
const MINUTES = 60_000;
const MIB = 1024 * 1024;
const BODY_BYTES = 100 * MIB;

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer(null);
  // Until it has all that it works with: code, prepared statements, a young generation of full size.
  await sendDocuments(500, (i) => USUAL(-i));
}, 10 * MINUTES);

afterAll(() => server?.stop());

async function residentMib(): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(server.pid)]);
  return Number(stdout) / 1024;
}

/** The most that the memory grew by, at any time of the work. */
async function growthOf(work: () => Promise<void>): Promise<number> {
  const before = await residentMib();
  let most = before;
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) most = Math.max(most, await residentMib());
  await done;
  return Math.max(most, await residentMib()) - before;
}

/** Each is answered with 200: so are those that are refused, where no type of answer is asked for. */
async function sendDocuments(count: number, textOf: (i: number) => string): Promise<void> {
  let next = 0;
  const one = async () => {
    for (let i = next++; i < count; i = next++) {
      const answer = await server.send('POST', '/graphql', { query: textOf(i) });
      if (answer.status !== 200) expect(answer).toMatchObject({ status: 200 });
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
}

const unlike = (i: number) => `a${i < 0 ? `_${-i}` : i}`;

const USUAL = (i: number) => `query Collections($first: Int = 20) {
  viewer { name preferredCurrency dashboard { marketValue { value currency } } }
  collections(first: $first, sort: VALUE) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes {
      id name ${unlike(i)}: description quantity marketValue { value currency decimal } profit { value }
      transactions(first: 2) {
        nodes { id occurred action quantity unitAmount { value } variant { id variantName product { name } } }
      }
      transactionSummaries(first: 2) { nodes { id quantity gain { value } } }
    }
  }
}`;
const COLLECTION = 'id name description valued pinned profit { value } gain { value } invested { value }';

describe('distinct documents take less than 150 MB', () => {
  it.each<[name: string, count: number, textOf: (i: number) => string]>([
    ['usual ones', 20_000, USUAL],
    ['as many tokens as may be', 2000, (i) => `{ viewer { ${unlike(i)}: id ${'id '.repeat(1980)} } }`],
    ['as many bytes as may be', 2000, (i) => `{ viewer { ${unlike(i)}: id } } #`.padEnd(64 * 1024, 'x')],
    ['with as many errors as may be', 1000, (i) => `{ ${unlike(i)} ${'b '.repeat(1990)} }`],
    ['no GraphQL', 2000, (i) => `{ ${unlike(i)} `.padEnd(64 * 1024, ' ')],
    [
      'as many fields as may be, each document three times',
      1500,
      (i) =>
        `{ ${Array.from({ length: 29 }, (_, j) => `${unlike(Math.floor(i / 3))}_${j}: node(id: "x") { ...F }`).join(' ')} }
         fragment F on Node { ... on Collection { ${COLLECTION} } ... on Transaction { collection { ${COLLECTION} } } }`,
    ],
  ])(
    '%s, %d',
    async (name, count, textOf) => {
      const growth = await growthOf(() => sendDocuments(count, textOf));
      console.error(`${count} documents, ${name}: ${Math.round(growth)} MB more`);
      expect(growth).toBeLessThan(150);
    },
    20 * MINUTES,
  );
});

const ROUTES = [
  ['/graphql', 'application/json', 413],
  ['/collection', 'application/json', 413],
  // OAuth has one status for all that is wrong with a request (RFC 6749 §5.2).
  ['/oauth2/token', 'application/x-www-form-urlencoded', 400],
] as const;

/** Sends a body for as long as the server takes it, and gives the answer. */
async function sendBody(path: string, headers: string[], part: Buffer, isChunked: boolean): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let answer = '';
  let isOpen = true;
  socket.on('data', (data) => {
    answer += data.toString('latin1');
  });
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => {});
    socket.on('close', () => {
      isOpen = false;
      resolve();
    });
  });
  const size = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${BODY_BYTES}`;
  const all = [`Authorization: Bearer ${server.token}`, size, ...headers];
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${all.join('\r\n')}\r\n\r\n`);
  const frame = isChunked
    ? Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
    : part;
  for (let sent = 0; sent < BODY_BYTES && isOpen && answer === ''; sent += part.length) {
    if (!socket.write(frame)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  }
  while (isOpen && !answer.includes('}')) await Promise.race([once(socket, 'data').catch(() => {}), closed]);
  socket.destroy();
  return answer;
}

describe('a body of 100 MB is refused, and takes less than 50 MB', () => {
  const packed = gzipSync(Buffer.alloc(64 * MIB, ' '));
  it.each(
    ROUTES.flatMap(([path, type, status]) =>
      [false, true].flatMap((isChunked) => [
        { path, type, status, isChunked, encoding: 'identity' },
        { path, type, status, isChunked, encoding: 'gzip' },
      ]),
    ),
  )(
    '%o',
    async ({ path, type, status, isChunked, encoding }) => {
      const headers = [`Content-Type: ${type}`, ...(encoding === 'gzip' ? ['Content-Encoding: gzip'] : [])];
      const part = encoding === 'gzip' ? packed : Buffer.alloc(64 * 1024, 'x');
      let answer = '';
      const growth = await growthOf(async () => {
        answer = await sendBody(path, headers, part, isChunked);
      });
      console.error(`${path} ${size(isChunked)} ${encoding}: ${Math.round(growth)} MB more`);
      expect(statusOf(answer), answer).toBe(status);
      expect(growth).toBeLessThan(50);
    },
    MINUTES,
  );
});

const size = (isChunked: boolean) => (isChunked ? 'in chunks' : 'of a stated length');

describe('2,000 bodies of 1 MiB that withhold their last byte', () => {
  it(
    'take less than 100 MB, and less than 50 MB afterwards',
    async () => {
      const before = await residentMib();
      const sockets: Socket[] = [];
      const growth = await growthOf(async () => {
        const head = `POST /collection HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: application/json\r\nContent-Length: ${MIB}\r\n\r\n`;
        const body = Buffer.alloc(MIB - 1, ' ');
        for (let i = 0; i < 2000; i++) {
          const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
          socket.on('error', () => {});
          socket.resume();
          socket.write(head);
          socket.write(body);
          sockets.push(socket);
          // Those that are refused are closed; what was taken is held.
          if (i % 50 === 49) await sleep(100);
        }
        await sleep(12_000);
      });
      for (const socket of sockets) socket.destroy();
      await sleep(5000);
      const after = (await residentMib()) - before;
      console.error(
        `2,000 withheld bodies: ${Math.round(growth)} MB more, ${Math.round(after)} MB afterwards`,
      );
      expect(growth).toBeLessThan(100);
      expect(after).toBeLessThan(50);
    },
    MINUTES,
  );
});
