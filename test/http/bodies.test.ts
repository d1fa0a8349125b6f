import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBodies } from '../../src/http/body.ts';
import { BODY_LIMITS, type Sender } from '../../src/http/body-room.ts';
import { eventually } from '../support/eventually.ts';

const KIB = 1024;
const LIMITS = {
  processBytes: 64 * KIB,
  addressBytes: 48 * KIB,
  strangersBytes: 44 * KIB,
  platformBytes: 40 * KIB,
  accountBytes: 32 * KIB,
  littleBytes: 0,
  windowMillis: 5000,
  windowBytes: 5 * KIB,
};
const MAX = 40 * KIB;

const someone: Sender = { address: '10.0.0.1', accountId: 'a' };

/** A body on its way, of a stated length or in chunks. */
function arriving(bodies: ReturnType<typeof createBodies>, sender: Sender, stated?: number) {
  const stream = new PassThrough();
  const headers: Record<string, string> = stated === undefined ? {} : { 'Content-Length': String(stated) };
  const body = bodies.of(new Request('http://x/', { method: 'POST', headers }), stream);
  const read = body.read(MAX, sender);
  read.catch(() => {});
  return { stream, read, release: () => body.release() };
}

const refusal = (problem: string) => expect.objectContaining({ problem });

describe('the bodies that are under way', () => {
  it('are given whole, however they come', async () => {
    const bodies = createBodies(LIMITS);
    for (const size of [0, 1, 1000, 20 * KIB, MAX]) {
      const sent = Buffer.from(Array.from({ length: size }, (_, i) => i % 251));
      for (const stated of [size, undefined]) {
        for (const step of [size || 1, 7 * KIB, ...(size <= 1000 ? [1] : [])]) {
          const { stream, read, release } = arriving(
            bodies,
            { address: '10.0.0.1', accountId: undefined },
            stated,
          );
          for (let at = 0; at < size; at += step) stream.write(sent.subarray(at, at + step));
          stream.end();
          expect(Buffer.compare((await read)!, sent), `${size} bytes by ${step}`).toBe(0);
          release();
        }
      }
    }
    expect(bodies.bytes).toBe(0);
  });

  it('are given at once where all has come, and take their room all the same', async () => {
    const bodies = createBodies(LIMITS);
    for (const size of [0, 1, 1000, 20 * KIB]) {
      const sent = Buffer.from(Array.from({ length: size }, (_, i) => i % 251));
      const stream = Object.assign(new PassThrough({ highWaterMark: MAX }), { complete: true });
      for (let at = 0; at < size; at += KIB) stream.write(sent.subarray(at, at + KIB));
      stream.end();
      const headers = { 'Content-Length': String(size) };
      const body = bodies.of(new Request('http://x/', { method: 'POST', headers }), stream);
      const read = body.read(MAX, someone);
      expect(stream.listenerCount('data')).toBe(0);
      expect(Buffer.compare((await read)!, sent)).toBe(0);
      expect(bodies.bytes).toBe(size);
      body.release();
    }
    expect(bodies.bytes).toBe(0);
  });

  it('are null where they are too long, which is not read on', async () => {
    const bodies = createBodies(LIMITS);
    const stated = arriving(bodies, someone, MAX + 1);
    expect(await stated.read).toBeNull();
    expect(bodies.bytes).toBe(0);
    const chunked = arriving(bodies, { address: '10.0.0.1', accountId: undefined });
    chunked.stream.write(Buffer.alloc(MAX));
    chunked.stream.write(Buffer.alloc(1));
    expect(await chunked.read).toBeNull();
    expect(chunked.stream.isPaused()).toBe(true);
    chunked.release();
    expect(bodies.bytes).toBe(0);
  });

  it.each<[string, keyof typeof LIMITS, (i: number) => Sender, string]>([
    ['an account', 'accountBytes', (i) => ({ address: `10.0.0.${i}`, accountId: 'a' }), 'RateLimited'],
    ['an address', 'addressBytes', (i) => ({ address: '10.0.0.1', accountId: `a${i}` }), 'RateLimited'],
    ['strangers', 'strangersBytes', (i) => ({ address: `10.0.0.${i}`, accountId: undefined }), 'RateLimited'],
    [
      'a platform',
      'platformBytes',
      (i) => ({ address: `10.0.0.${i}`, accountId: `a${i}`, platformId: 'app' }),
      'RateLimited',
    ],
    ['the process', 'processBytes', (i) => ({ address: `10.0.0.${i}`, accountId: `a${i}` }), 'Unavailable'],
  ])('may fill the room of %s, to the byte, before they are there', async (_name, limit, sender, problem) => {
    const bodies = createBodies(LIMITS);
    const count = 16;
    const size = LIMITS[limit] / count;
    const all = Array.from({ length: count }, (_, i) => arriving(bodies, sender(i), size));
    expect(bodies.bytes).toBe(LIMITS[limit]);
    await expect(arriving(bodies, sender(count), 1).read).rejects.toEqual(refusal(problem));
    // Without a stated length, room is taken as it fills.
    await expect(arriving(bodies, sender(count)).read).rejects.toEqual(refusal(problem));
    if (limit !== 'processBytes') {
      const other = arriving(bodies, { address: '10.9.9.9', accountId: 'other' }, 1);
      other.stream.end('x');
      expect(await other.read).toHaveLength(1);
      other.release();
    }
    // One that was read takes its room until its request is answered.
    all[0]!.stream.end(Buffer.alloc(size));
    await all[0]!.read;
    await expect(arriving(bodies, sender(count), 1).read).rejects.toEqual(refusal(problem));
    all[0]!.release();
    const next = arriving(bodies, sender(count), size);
    next.stream.end(Buffer.alloc(size));
    expect(await next.read).toHaveLength(size);
    next.release();
    for (const { stream, read, release } of all.slice(1)) {
      stream.destroy();
      await expect(read).rejects.toEqual(refusal('MalformedRequest'));
      release();
    }
    expect(bodies.bytes).toBe(0);
  });

  it('of an account that has little find room where the process is full, up to half as much again', async () => {
    const bodies = createBodies({ ...LIMITS, littleBytes: 2 * KIB });
    const hold = (accountId: string, size: number, i: number) =>
      arriving(bodies, { address: `10.0.0.${i}`, accountId }, size);
    for (const i of [1, 2]) hold(`large${i}`, 32 * KIB, i);
    expect(bodies.bytes).toBe(LIMITS.processBytes);
    const refused = [hold('other', 2 * KIB + 1, 3), hold('large1', 1, 3)];
    const problems = await Promise.all(refused.map(({ read }) => read.catch(({ problem }) => problem)));
    expect(problems).toEqual(['Unavailable', 'RateLimited']);
    for (let i = 0; i < 16; i++) hold(`little${i}`, 2 * KIB, 10 + i);
    expect(bodies.bytes).toBe(1.5 * LIMITS.processBytes);
    await expect(hold('little', 1, 30).read).rejects.toEqual(refusal('Unavailable'));
  });

  it('of an address of strangers that has little find room where they have all that they may', async () => {
    const bodies = createBodies({ ...LIMITS, littleBytes: KIB });
    const hold = (size: number, i: number) =>
      arriving(bodies, { address: `10.0.0.${i}`, accountId: undefined }, size);
    for (const i of [1, 2]) hold(LIMITS.strangersBytes / 2, i);
    const refused = [hold(1, 1), hold(KIB + 1, 3)];
    for (const { read } of refused) await expect(read).rejects.toEqual(refusal('RateLimited'));
    const little = hold(KIB, 3);
    little.stream.end(Buffer.alloc(KIB));
    expect(await little.read).toHaveLength(KIB);
  });

  it('take more room as they grow, where nothing is said of their length', async () => {
    const bodies = createBodies(LIMITS);
    const held = arriving(bodies, someone, 8 * KIB);
    const growing = arriving(bodies, someone);
    expect(bodies.bytes).toBe(24 * KIB);
    growing.stream.write(Buffer.alloc(16 * KIB));
    await eventually(() => expect(growing.stream.readableLength).toBe(0));
    expect(bodies.bytes).toBe(24 * KIB);
    growing.stream.write('x');
    await expect(growing.read).rejects.toEqual(refusal('RateLimited'));
    for (const { release } of [held, growing]) release();
    expect(bodies.bytes).toBe(0);
  });

  describe('that come slowly', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('are cut off after a window, not when they bring just enough', async () => {
      const bodies = createBodies(LIMITS);
      const slow = arriving(bodies, someone, MAX / 2);
      const enough = arriving(bodies, someone, 10 * KIB);
      slow.stream.write(Buffer.alloc(LIMITS.windowBytes - 1));
      enough.stream.write(Buffer.alloc(LIMITS.windowBytes));
      await vi.advanceTimersByTimeAsync(LIMITS.windowMillis - 1);
      let isCut = false;
      slow.read.catch(() => {
        isCut = true;
      });
      await vi.advanceTimersByTimeAsync(0);
      expect(isCut).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await expect(slow.read).rejects.toMatchObject({
        problem: 'MalformedRequest',
        details: { status: 408 },
      });
      enough.stream.write(Buffer.alloc(10 * KIB - LIMITS.windowBytes - 1));
      // All but the last byte of a body is not enough for the next window.
      await vi.advanceTimersByTimeAsync(LIMITS.windowMillis);
      await expect(enough.read).rejects.toMatchObject({ details: { status: 408 } });
    });

    it('are watched for as long as there are any', async () => {
      const bodies = createBodies(LIMITS);
      const quick = arriving(bodies, someone, 3);
      quick.stream.end('abc');
      await vi.advanceTimersByTimeAsync(0);
      expect(await quick.read).toHaveLength(3);
      await vi.advanceTimersByTimeAsync(LIMITS.windowMillis);
      expect(vi.getTimerCount()).toBe(0);
      const next = arriving(bodies, someone, 3);
      await vi.advanceTimersByTimeAsync(LIMITS.windowMillis);
      await expect(next.read).rejects.toMatchObject({ details: { status: 408 } });
    });
  });

  describe('of files', () => {
    const UPLOADS = { ...LIMITS, windowBytes: 8 * KIB };
    const streamed = (stated?: number) => {
      const stream = new PassThrough();
      const bodies = createBodies(LIMITS, UPLOADS);
      const headers: Record<string, string> =
        stated === undefined ? {} : { 'Content-Length': String(stated) };
      const body = bodies.of(new Request('http://x/', { method: 'POST', headers }), stream);
      return { stream, bodies, pieces: body.stream(someone, true)[Symbol.asyncIterator](), body };
    };
    const texts = async (pieces: AsyncIterator<Uint8Array>) => {
      let text = '';
      for (;;) {
        const { value, done } = await pieces.next();
        if (done) return text;
        text += Buffer.from(value).toString();
      }
    };

    it('are given as they come, and take their room until the answer', async () => {
      const { stream, bodies, pieces, body } = streamed(5);
      stream.write('abc');
      expect(await pieces.next()).toEqual({ value: Buffer.from('abc'), done: false });
      expect(bodies.bytes).toBe(5);
      stream.end('de');
      expect(await texts(pieces)).toBe('de');
      expect(bodies.bytes).toBe(5);
      body.release();
      expect(bodies.bytes).toBe(0);
    });

    it('are not taken from the client while nobody asks for more', async () => {
      const { stream, pieces } = streamed();
      stream.write('a');
      await pieces.next();
      while (stream.write(Buffer.alloc(KIB)));
      expect(stream.isPaused()).toBe(true);
      expect(stream.writableNeedDrain).toBe(true);
      stream.end();
      expect((await texts(pieces)).length).toBeGreaterThan(KIB);
    });

    it('are left where the reader has enough, for the server to deal with', async () => {
      const { stream, pieces } = streamed(MAX / 2);
      stream.write('a');
      await pieces.next();
      await pieces.return!();
      expect([stream.isPaused(), stream.listenerCount('data'), stream.destroyed]).toEqual([true, 0, false]);
    });

    it.each(['waits for more', 'has asked for nothing more'])(
      'take no room and no watch once they are answered, where their reader %s',
      async (reader) => {
        vi.useFakeTimers();
        try {
          const { stream, bodies, pieces, body } = streamed(MAX / 2);
          stream.write('a');
          await pieces.next();
          const isWaiting = reader === 'waits for more';
          const asked = isWaiting ? pieces.next().catch((error) => error) : undefined;
          await vi.advanceTimersByTimeAsync(0);
          body.release();
          if (isWaiting) expect(await asked).toMatchObject({ problem: 'MalformedRequest' });
          // As the server does behind the answer.
          stream.resume();
          stream.write(Buffer.alloc(10 * KIB));
          await vi.advanceTimersByTimeAsync(2 * UPLOADS.windowMillis);
          expect([bodies.bytes, stream.isPaused(), stream.readableLength]).toEqual([0, false, 0]);
          expect(vi.getTimerCount()).toBe(0);
          // Nor is it paused by who leaves later.
          await pieces.return!();
          expect(stream.isPaused()).toBe(false);
        } finally {
          vi.useRealTimers();
        }
      },
    );

    it.each(['\n', '\r\n', '\r'])('take room for what is made of their lines, ended by %j', async (end) => {
      const limits = {
        ...LIMITS,
        processBytes: 8 * KIB * KIB,
        addressBytes: 8 * KIB * KIB,
        accountBytes: 4 * KIB * KIB,
      };
      const bodies = createBodies(undefined, limits);
      const send = (lines: number) => {
        const file = Buffer.from(`1${end}`.repeat(lines));
        const stream = new PassThrough();
        const headers = { 'Content-Length': String(file.length + 1) };
        const body = bodies.of(new Request('http://x/', { method: 'POST', headers }), stream);
        const read = (async () => {
          for await (const _ of body.stream(someone, true));
        })();
        read.catch(() => {});
        stream.write(file);
        return { read, body };
      };
      const few = send(1000);
      await eventually(() => expect(bodies.bytes).toBe(1000 * 320));
      few.body.release();
      await expect(few.read).rejects.toEqual(refusal('MalformedRequest'));
      // No more than an import takes: the rest is refused.
      const many = send(50_000);
      await eventually(() => expect(bodies.bytes).toBe(10_000 * 320));
      const second = send(10_000);
      await expect(second.read).rejects.toEqual(refusal('RateLimited'));
      for (const { body } of [many, second]) body.release();
      expect(bodies.bytes).toBe(0);
    });

    it('that came whole are given whole, though their stream is closed by then; others end with what was wrong', async () => {
      const bodies = createBodies(undefined, { ...LIMITS, addressBytes: 4 * KIB });
      const send = (content: string) => {
        const stream = new PassThrough();
        const headers = { 'Content-Length': '20' };
        const body = bodies.of(new Request('http://x/', { method: 'POST', headers }), stream);
        stream.end(content);
        return { stream, pieces: body.stream(someone, true)[Symbol.asyncIterator](), body };
      };
      const whole = send('one line\n');
      const first = whole.pieces.next();
      await eventually(() => expect(whole.stream.closed).toBe(true));
      expect(String((await first).value)).toBe('one line\n');
      expect(await whole.pieces.next()).toMatchObject({ done: true });
      whole.body.release();
      const tooMuch = send('\n'.repeat(20));
      await expect(tooMuch.pieces.next()).rejects.toEqual(refusal('RateLimited'));
      tooMuch.body.release();
      expect(bodies.bytes).toBe(0);
    });

    it('take more room as they grow, and none beyond what there is', async () => {
      const { stream, bodies, pieces, body } = streamed();
      stream.write(Buffer.alloc(20 * KIB));
      await pieces.next();
      expect(bodies.bytes).toBe(20 * KIB);
      stream.write(Buffer.alloc(LIMITS.accountBytes - 20 * KIB));
      await pieces.next();
      expect(bodies.bytes).toBe(LIMITS.accountBytes);
      stream.write('x');
      await pieces.next();
      await expect(pieces.next()).rejects.toEqual(refusal('RateLimited'));
      body.release();
      expect(bodies.bytes).toBe(0);
    });

    it('say where they were cut off', async () => {
      const { stream, pieces } = streamed(10);
      stream.write('abc');
      await pieces.next();
      stream.destroy();
      await expect(pieces.next()).rejects.toEqual(refusal('MalformedRequest'));
      const gone = streamed(10);
      gone.stream.destroy();
      await expect(gone.pieces.next()).rejects.toEqual(refusal('MalformedRequest'));
    });

    it('are cut off where they come slowly, and not where their reader is slow', async () => {
      vi.useFakeTimers();
      try {
        const { stream, pieces } = streamed(MAX / 2);
        stream.write(Buffer.alloc(UPLOADS.windowBytes));
        await pieces.next();
        await vi.advanceTimersByTimeAsync(10 * UPLOADS.windowMillis);
        stream.write(Buffer.alloc(UPLOADS.windowBytes - 1));
        const [second, third] = [await pieces.next(), pieces.next().catch((error) => error)];
        expect(second.value).toHaveLength(UPLOADS.windowBytes - 1);
        await vi.advanceTimersByTimeAsync(2 * UPLOADS.windowMillis);
        expect(await third).toMatchObject({ problem: 'MalformedRequest', details: { status: 408 } });
        await vi.advanceTimersByTimeAsync(UPLOADS.windowMillis);
        expect(vi.getTimerCount()).toBe(0);
      } finally {
        vi.useRealTimers();
      }
    });
  });

  it('have the limits that the documents name', () => {
    expect(BODY_LIMITS).toEqual({
      processBytes: 64 * KIB * KIB,
      addressBytes: 32 * KIB * KIB,
      strangersBytes: 32 * KIB * KIB,
      platformBytes: 32 * KIB * KIB,
      accountBytes: 4 * KIB * KIB,
      littleBytes: 256 * KIB,
      windowMillis: 5000,
      windowBytes: 5 * KIB,
    });
  });
});
