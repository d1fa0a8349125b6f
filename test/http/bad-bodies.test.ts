import { expect, it } from 'vitest';
import { PROBLEMS } from '../../src/domain/errors.ts';
import { describeOnDatabases, newTestApp } from '../harness.ts';
import { expectProblem, sendRaw } from './support.ts';

describeOnDatabases('REST with bodies that cannot be read', (database) => {
  const MIB = 1024 * 1024;
  const padded = (bytes: number) => {
    const text = '{"name":"x"}';
    return text + ' '.repeat(bytes - text.length);
  };

  it('says where the text stops to be JSON, and repeats none of it', async () => {
    const app = await newTestApp(database());
    for (const [text, detail] of [
      ['', 'it ends too early.'],
      ['{"name":"secret"', 'position 16'],
      ['{name:"secret"}', 'position 1'],
      ['secret', 'unexpected character'],
      ['{"name":"secret"}}', 'position 17'],
      ["{'name':'secret'}", 'position 1'],
      ['{"name":"secret\u0001"}', 'position 15'],
      ['{"name":secret 1234567890123456}', ''],
    ] as const) {
      const answer = await app.send('POST', '/collection', text);
      expectProblem(answer, 'MalformedRequest', { status: 400 });
      expect(answer.body.detail).toContain(detail);
      expect(JSON.stringify(answer.body)).not.toContain('secret');
    }
  });

  it('refuses JSON that is no object', async () => {
    const app = await newTestApp(database());
    for (const text of ['null', '1', '"x"', 'true', '[]', '[{"name":"x"}]', ' 1.00000000000000000001']) {
      const answer = await app.send('POST', '/collection', text);
      expectProblem(answer, 'ValidationFailed', { pointers: [''] });
      expect(answer.body.detail).toBe('The body must be a JSON object.');
    }
  });

  it('refuses a key that stands twice in one object, however it is written', async () => {
    const app = await newTestApp(database());
    for (const text of [
      '{"name":"x","name":"y"}',
      '{"name":"x","name":"x"}',
      '{"name":"x","n\\u0061me":"y"}',
      '{"name" :"x", "other":{"a":1,"a"\n:2}}',
      '{"name":"x","list":[{"a":1},{"b":1,"b":2}]}',
      '{"__proto__":1,"__proto__":2}',
    ]) {
      const answer = await app.send('POST', '/collection', text);
      expectProblem(answer, 'MalformedRequest', { status: 400 });
      expect(answer.body.detail).toBe('An object of the body has a key twice; each may stand once.');
    }
    for (const name of ['"name":"x","name":"y"', 'a": 1', '\\', 'x:', '{"a":1,"a":2}']) {
      const answer = await app.send('POST', '/collection', JSON.stringify({ name }));
      expect([answer.status, answer.body.name]).toEqual([200, name]);
    }
  });

  it('refuses bytes that are no UTF-8', async () => {
    const app = await newTestApp(database());
    const headers = { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json' };
    const bytes = Buffer.concat([
      Buffer.from('{"name":"'),
      Buffer.from([0xff, 0xfe, 0xc0]),
      Buffer.from('"}'),
    ]);
    const answer = await sendRaw(app, 'POST', '/collection', headers, bytes);
    expectProblem(answer, 'MalformedRequest', { status: 400 });
    expect(answer.body.detail).toContain('UTF-8');
  });

  it('refuses other content types', async () => {
    const app = await newTestApp(database());
    const send = (type: string | undefined) =>
      sendRaw(
        app,
        'POST',
        '/collection',
        { Authorization: `Bearer ${app.token}`, ...(type !== undefined && { 'Content-Type': type }) },
        Buffer.from('{"name":"x"}'),
      );
    for (const type of [
      undefined,
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'json',
    ]) {
      expectProblem(await send(type), 'MalformedRequest', { status: 415 });
    }
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON;charset=UTF-8',
    ]) {
      expect((await send(type)).status).toBe(200);
    }
  });

  it('takes 1 MiB and no byte more', async () => {
    const app = await newTestApp(database());
    expect((await app.send('POST', '/collection', padded(MIB))).status).toBe(200);
    expectProblem(await app.send('POST', '/collection', padded(MIB + 1)), 'MalformedRequest', {
      status: 413,
    });
    const declared = { 'Content-Length': String(MIB + 1) };
    const answer = await app.send('POST', '/collection', '{"name":"x"}', declared);
    expectProblem(answer, 'MalformedRequest', { status: 413 });
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
