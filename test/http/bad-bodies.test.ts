import { expect, it } from 'vitest';
import { PROBLEMS } from '../../src/domain/errors.ts';
import { describeOnDatabases, newTestApp } from '../harness.ts';
import { expectProblem, sendRaw } from './support.ts';

describeOnDatabases('REST with bodies that cannot be read', (database) => {
  const MIB = 1024 * 1024;
  it('refuses JSON that is no object', async () => {
    const app = await newTestApp(database());
    for (const text of ['null', '1', '"x"', 'true', '[]', '[{"name":"x"}]', ' 1.00000000000000000001']) {
      const answer = await app.send('POST', '/collection', text);
      expectProblem(answer, 'ValidationFailed', { pointers: [''] });
      expect(answer.body.detail).toBe('The body must be a JSON object.');
    }
  });

  it('counts what comes in chunks of no stated length', async () => {
    const app = await newTestApp(database());
    const headers = { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json' };
    const chunked = (bytes: number) => {
      const chunk = new Uint8Array(64 * 1024).fill(0x20);
      let left = bytes;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          if (left === bytes) controller.enqueue(Buffer.from('{"name":"x"}'));
          else controller.enqueue(chunk);
          left -= chunk.length;
          if (left < 0) controller.close();
        },
      });
    };
    expect((await sendRaw(app, 'POST', '/collection', headers, chunked(MIB / 2))).status).toBe(200);
    const answer = await sendRaw(app, 'POST', '/collection', headers, chunked(64 * MIB));
    expectProblem(answer, 'MalformedRequest', { status: 413 });
  });

  it('refuses deep nesting', async () => {
    const app = await newTestApp(database());
    const depth = 250_000;
    const arrays = '['.repeat(depth) + ']'.repeat(depth);
    const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const key = { 'Idempotency-Key': 'deep' };
    for (const headers of [{}, key]) {
      expectProblem(await app.send('POST', '/collection', arrays, headers), 'ValidationFailed');
      expectProblem(await app.send('POST', '/collection', objects, headers), 'ValidationFailed');
      for (const inner of [arrays, objects]) {
        const answer = await app.send('POST', '/collection', `{"name":${inner}}`, headers);
        expectProblem(answer, 'ValidationFailed', { pointers: ['/name'] });
        const exact = await app.send('POST', '/collection', `{"name":${inner},"x":1e-400}`, headers);
        expectProblem(exact, 'ValidationFailed', { pointers: ['/name', '/x'] });
      }
    }
  });

  it('explains every problem at the address of its type', async () => {
    const app = await newTestApp(database());
    for (const name of Object.keys(PROBLEMS)) {
      const { status, headers, body } = await sendRaw(app, 'GET', `/problems/${name}`);
      expect(status).toBe(200);
      expect(headers.get('Content-Type')).toMatch(/^text\/html/);
      expect(body).toContain(`<h1>${name}</h1>`);
    }
    for (const name of ['Nothing', '__proto__', 'constructor', '%00']) {
      expectProblem(await sendRaw(app, 'GET', `/problems/${name}`), 'NotFound');
    }
  });
});
