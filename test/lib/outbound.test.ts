import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseNetworks } from '../../src/lib/networks.ts';
import { sendOut } from '../../src/lib/outbound.ts';
import { createAddressCheck } from '../../src/lib/public-address.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serving(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const LOCAL = createAddressCheck(parseNetworks('127.0.0.0/8'));
const REQUEST = { method: 'GET', headers: {}, timeoutMillis: 2000, maxBytes: 100 } as const;

describe('a request to an address that somebody else named', () => {
  it('gives the answer, whatever its status', async () => {
    const port = await serving((request, response) => {
      response.writeHead(418, { 'x-method': request.method });
      request.pipe(response);
    });
    const request = {
      ...REQUEST,
      method: 'POST' as const,
      body: 'hello',
      headers: { 'content-type': 'text/plain' },
    };
    const answer = await sendOut(new URL(`http://127.0.0.1:${port}/`), LOCAL, request);
    expect({ ...answer, body: String(answer.body) }).toMatchObject({
      status: 418,
      headers: { 'x-method': 'POST' },
      body: 'hello',
    });
  });

  it('goes to what was checked, whatever the name has by then', async () => {
    const port = await serving((request, response) => response.end(request.headers.host));
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const once = createAddressCheck(parseNetworks('127.0.0.0/8'), async () => answers.shift() ?? []);
    // Nobody but the test resolves this name.
    const answer = await sendOut(new URL(`http://name.example:${port}/`), once, REQUEST);
    expect(String(answer.body)).toBe(`name.example:${port}`);
    expect(answers).toHaveLength(1);
  });

  it('is not sent where nobody may ask', async () => {
    let asked = 0;
    const port = await serving((_, response) => {
      asked++;
      response.end();
    });
    const sent = sendOut(
      new URL(`https://127.0.0.1:${port}/`),
      createAddressCheck(parseNetworks('')),
      REQUEST,
    );
    await expect(sent).rejects.toThrow('its address is not a public one');
    expect(asked).toBe(0);
  });

  it('follows no redirect', async () => {
    const port = await serving((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect((await sendOut(new URL(`http://127.0.0.1:${port}/`), LOCAL, REQUEST)).status).toBe(302);
  });

  it.each([
    [100, 'fits'],
    [101, 'is too large'],
  ])('takes an answer of %i bytes where it %s', async (bytes) => {
    const port = await serving((_, response) => response.end('x'.repeat(bytes)));
    const sent = sendOut(new URL(`http://127.0.0.1:${port}/`), LOCAL, REQUEST);
    if (bytes === 100) expect((await sent).body).toHaveLength(100);
    else await expect(sent).rejects.toThrow('its answer is larger than 100 bytes');
  });

  it('takes little that comes before the answer', async () => {
    const socketServer = createSocketServer((socket) => {
      const send = () => {
        while (socket.write('HTTP/1.1 102 Processing\r\n\r\n'));
      };
      socket.on('drain', send).on('error', () => {});
      send();
    });
    await new Promise<void>((resolve) => socketServer.listen(0, '127.0.0.1', resolve));
    const { port } = socketServer.address() as AddressInfo;
    // Both ends are of this process, which the sending one keeps busy: on a slow machine 2 s are not enough.
    const patient = { ...REQUEST, timeoutMillis: 60_000 };
    await expect(sendOut(new URL(`http://127.0.0.1:${port}/`), LOCAL, patient)).rejects.toThrow(
      'its answer is larger than 100 bytes',
    );
    socketServer.close();
    const early = await serving((_, response) => {
      response.writeProcessing();
      response.end('done');
    });
    const answer = await sendOut(new URL(`http://127.0.0.1:${early}/`), LOCAL, {
      ...REQUEST,
      maxBytes: 1000,
    });
    expect(String(answer.body)).toBe('done');
  });

  it('ends where the answer is one of another protocol, or it is to end', async () => {
    const upgrading = await serving(() => {});
    servers
      .at(-1)!
      .removeAllListeners('request')
      .on('request', (request) => {
        request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      });
    const url = new URL(`http://127.0.0.1:${upgrading}/`);
    await expect(sendOut(url, LOCAL, REQUEST)).rejects.toThrow('its answer is none of HTTP');
    const silent = await serving(() => {});
    const stopping = new AbortController();
    const sent = sendOut(new URL(`http://127.0.0.1:${silent}/`), LOCAL, {
      ...REQUEST,
      // Longer than the test may take.
      timeoutMillis: 3_600_000,
      stopping: stopping.signal,
    });
    setTimeout(() => stopping.abort(), 50);
    await expect(sent).rejects.toThrow('it did not answer');
  });

  it('waits no longer than it may: for an answer, the rest of it, or a name', async () => {
    const request = { ...REQUEST, timeoutMillis: 100 };
    const silent = await serving(() => {});
    const half = await serving((_, response) => void response.write('half'));
    for (const port of [silent, half]) {
      const sent = sendOut(new URL(`http://127.0.0.1:${port}/`), LOCAL, request);
      await expect(sent).rejects.toThrow('it did not answer within 0.1 s');
    }
    const nameless = createAddressCheck(parseNetworks(''), () => new Promise(() => {}));
    await expect(sendOut(new URL('https://slow.example/'), nameless, request)).rejects.toThrow(
      'within 0.1 s',
    );
  });

  it('says why where nobody listens, or an answer is cut off', async () => {
    const port = await serving((_, response) => {
      response.writeHead(200, { 'content-length': '50' });
      response.write('half');
      setImmediate(() => response.destroy());
    });
    const url = new URL(`http://127.0.0.1:${port}/`);
    await expect(sendOut(url, LOCAL, REQUEST)).rejects.toThrow(/it cannot be reached \(\w+\)/);
    servers.splice(0).map((server) => server.close());
    await expect(sendOut(url, LOCAL, REQUEST)).rejects.toThrow('it cannot be reached (ECONNREFUSED)');
  });
});
