import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/postgres-server.ts';
import { findHaproxy, startBalancer } from './balancer.ts';

const MOST = 256;
const haproxy = findHaproxy();

describe.skipIf(!haproxy)('the balancer of the documents', () => {
  it(`takes ${MOST} connections of a client, and the next when one of them has ended`, async () => {
    const ports = [await freePort(), await freePort(), await freePort()];
    const { url, stop } = await startBalancer(haproxy!, ports);
    const open: Socket[] = [];
    /** What it answers: without a node, that there is none. */
    const asked = async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      open.push(socket);
      let answer = '';
      socket.setEncoding('utf8').on('data', (text) => {
        answer += text;
      });
      socket.on('error', () => {});
      socket.write('GET /health HTTP/1.1\r\nHost: one\r\n\r\n');
      await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
      return answer.slice(0, 'HTTP/1.1 503'.length);
    };
    for (let i = 0; i < MOST; i++) expect(await asked()).toBe('HTTP/1.1 503');
    expect(await asked()).toBe('');
    open[0]!.destroy();
    await expect.poll(asked).toBe('HTTP/1.1 503');
    for (const socket of open) socket.destroy();
    await stop();
  });
});
