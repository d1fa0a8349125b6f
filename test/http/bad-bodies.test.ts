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

  it('takes 64 lists and objects in one another, and no more', async () => {
    const app = await newTestApp(database());
    const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const key = { 'Idempotency-Key': 'deep' };
    for (const headers of [{}, key]) {
      for (const nested of [lists, objects]) {
        const body = (depth: number) => `{"name":${nested(depth - 1)}}`;
        const deepest = await app.send('POST', '/collection', body(64), headers);
        expectProblem(deepest, 'ValidationFailed', { pointers: ['/name'] });
        for (const depth of [65, 100_000]) {
          const answer = await app.send('POST', '/collection', body(depth), headers);
          expectProblem(answer, 'MalformedRequest', { status: 400 });
          expect(answer.body.detail).toBe('The body has more than 64 lists and objects in one another.');
        }
      }
    }
    const beside = JSON.stringify({ name: '[[[["'.repeat(20) });
    expect((await app.send('POST', '/collection', beside)).status).toBe(200);
    const many = `{"name":[${Array.from({ length: 1000 }, () => '[],{}')}]}`;
    expectProblem(await app.send('POST', '/collection', many), 'ValidationFailed', { pointers: ['/name'] });
  });

  it('takes 20,000 values, and no more', async () => {
    const app = await newTestApp(database());
    // The object, its list, and what is in it.
    const values = (count: number) => `{"name":[${Array.from({ length: count - 2 }, () => '1')}]}`;
    const most = await app.send('POST', '/collection', values(20_000));
    expectProblem(most, 'ValidationFailed', { pointers: ['/name'] });
    const objects = `{"name":[${Array.from({ length: 10_000 }, () => '{"a":1}')}]}`;
    const keys = `{"name":{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":${i}`)}}}`;
    for (const body of [values(20_001), values(500_000), objects, keys]) {
      const answer = await app.send('POST', '/collection', body);
      expectProblem(answer, 'MalformedRequest', { status: 400 });
      expect(answer.body.detail).toBe('The body has more than 20000 values; send several requests.');
    }
    const beside = JSON.stringify({ name: 'x', description: '[,{,'.repeat(50_000) });
    expectProblem(await app.send('POST', '/collection', beside), 'ValidationFailed', {
      pointers: ['/description'],
    });
  });

  it('explains every problem at the address of its type', async () => {
    const app = await newTestApp(database());
    for (const name of Object.keys(PROBLEMS)) {
      const { status, headers, body } = await sendRaw(app, 'GET', `/problems/${name}`);
      expect(status).toBe(200);
      expect(headers.get('Content-Type')).toMatch(/^text\/html/);
      expect(body).toContain(`<h1>${name}</h1>`);
      expect(body).not.toContain('`');
    }
    for (const name of ['Nothing', '__proto__', 'constructor', '%00']) {
      expectProblem(await sendRaw(app, 'GET', `/problems/${name}`), 'NotFound');
    }
  });
});
