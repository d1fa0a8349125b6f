import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Download, download } from '../../src/importers/download.ts';
import { readTcgcsv } from '../../src/importers/tcgcsv.ts';
import { drained } from './support.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const PRICES = JSON.stringify({
  success: true,
  errors: [],
  results: [{ productId: 1, subTypeName: 'Normal', marketPrice: 1.5 }],
});

let server: Server;
let url: string;
let folder: string;
let requests: IncomingMessage[];
let waits: number[];
let told: string[];
let answers: Handler[];

beforeEach(async () => {
  [requests, waits, told, answers] = [[], [], [], []];
  folder = await mkdtemp(join(tmpdir(), 'cardledger-download-'));
  // The last answer is given again and again.
  server = createServer((request, response) => {
    requests.push(request);
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tcgplayer/62/1/prices`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const get = (timeoutMillis = 2000): Promise<Download> =>
  download(url, readTcgcsv, {
    cacheFolder: folder,
    userAgent: 'cardledger/test',
    onRetry: (message) => told.push(message),
    wait: async (millis) => {
      waits.push(millis);
    },
    timeoutMillis,
  });
const rowsOf = async (file: Download) => (await drained((await readTcgcsv(file)).prices)).rows;
const failing =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, headers).end('sorry');
  };
const good: Handler = (_, response) => {
  response.writeHead(200, { ETag: '"one"', 'Content-Type': 'application/json' }).end(PRICES);
};
/** With ETag, as the real servers. */
const conditional: Handler = (request, response) => {
  if (request.headers['if-none-match'] === '"one"') response.writeHead(304, { ETag: '"one"' }).end();
  else good(request, response);
};
const PAUSE = 100;

describe('a download', () => {
  it('says who asks, and is named by its address', async () => {
    answers = [good];
    const file = await get();
    expect(requests[0]!.headers['user-agent']).toBe('cardledger/test');
    expect(file).toMatchObject({ name: url, notModified: false });
    expect(await rowsOf(file)).toMatchObject([{ vendorProductId: 1, amount: '1.5', place: { file: url } }]);
    expect(waits).toEqual([PAUSE]);
  });

  it('is not transferred again while it is as it was', async () => {
    answers = [conditional];
    const first = await get();
    const again = await get();
    expect([first.notModified, again.notModified]).toEqual([false, true]);
    expect(await rowsOf(again)).toEqual(await rowsOf(first));
    expect(requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"one"']);
  });

  it('asks by date where the server gives no ETag', async () => {
    const modified = 'Mon, 13 Apr 2026 10:00:00 GMT';
    answers = [
      (request, response) => {
        if (request.headers['if-modified-since'] === modified) response.writeHead(304).end();
        else response.writeHead(200, { 'Last-Modified': modified }).end(PRICES);
      },
    ];
    expect([(await get()).notModified, (await get()).notModified]).toEqual([false, true]);
  });

  it('is tried again after failures of the server, with growing pauses or the one that it asks for', async () => {
    const date = new Date(Date.now() + 10_000).toUTCString();
    answers = [
      failing(500),
      failing(503, { 'Retry-After': '7' }),
      failing(429, { 'Retry-After': date }),
      failing(502),
      good,
    ];
    await get();
    expect(requests).toHaveLength(5);
    expect(waits[0]).toBe(1000);
    expect(waits[1]).toBe(7000);
    expect(waits[2]).toBeGreaterThan(7000);
    expect(waits[2]).toBeLessThanOrEqual(10_000);
    expect(waits.slice(3)).toEqual([8000, PAUSE]);
    expect(told[0]).toBe(`${url}: the server answered 500 Internal Server Error; trying again in 1 s`);
  });

  it('is given up after five tries, and at once where that does not help', async () => {
    answers = [failing(500)];
    await expect(get()).rejects.toThrow(
      `Cannot download ${url}: the server answered 500 Internal Server Error, after 5 tries.`,
    );
    expect(waits).toEqual([1000, 2000, 4000, 8000]);
    requests = [];
    answers = [failing(404)];
    await expect(get()).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('404 Not Found.'),
    });
    answers = [failing(503, { 'Retry-After': '3600' })];
    await expect(get()).rejects.toThrow('it asks to wait for 3600 s');
    expect(requests).toHaveLength(2);
  });

  it('is tried again when no answer comes in time, or the connection breaks', async () => {
    answers = [() => {}, (request) => request.socket.destroy(), good];
    await get(300);
    expect(requests).toHaveLength(3);
    expect(told[0]).toContain('no answer in time');
  });

  it('is tried again when the answer is cut off, and nothing of it is kept', async () => {
    const half = PRICES.slice(0, 60);
    answers = [
      (_, response) => {
        response.writeHead(200, { 'Content-Length': String(PRICES.length), ETag: '"one"' });
        response.write(half, () => response.socket?.destroy());
      },
      // Without a length nobody but the reader of the format can tell.
      (_, response) => response.writeHead(200, { ETag: '"one"' }).end(half),
    ];
    await expect(get()).rejects.toThrow(
      /^Cannot download [^ ]+: line \d: the file ends in the middle of its JSON; it was cut off, after 5 tries\.$/,
    );
    expect(await readdir(folder)).toEqual([]);
    answers = [conditional];
    expect((await get()).notModified).toBe(false);
    expect(requests.at(-1)!.headers['if-none-match']).toBeUndefined();
  });

  it('does not trust a kept answer that was damaged', async () => {
    answers = [conditional];
    await get();
    const body = (await readdir(folder)).find((name) => name.endsWith('.body'))!;
    await rm(join(folder, body));
    expect((await get()).notModified).toBe(false);
    expect(await readFile(join(folder, body), 'utf8')).toBe(PRICES);
  });

  it('keeps the last sound answer when a later download fails', async () => {
    answers = [conditional];
    await get();
    answers = [failing(400)];
    await expect(get()).rejects.toThrow('400');
    answers = [conditional];
    expect((await get()).notModified).toBe(true);
  });

  it('is refused above 64 MiB', async () => {
    answers = [
      (_, response) => {
        const piece = Buffer.alloc(1024 * 1024, ' ');
        const more = (left: number): unknown =>
          left === 0 || response.destroyed ? response.end() : response.write(piece, () => more(left - 1));
        response.writeHead(200);
        more(70);
      },
    ];
    await expect(get(20_000)).rejects.toThrow('the answer is larger than 64 MiB');
    expect(await readdir(folder)).toEqual([]);
  });
});
