import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type EventStreamOptions, useEventStream } from '../../../src/graphql/plugins/event-stream.ts';

const PING_MILLIS = 50;

/** A stream of numbers, one for each event or as many as are asked for, with how many of them were made, and whether its client was cut off. */
function streamOf(options: Partial<EventStreamOptions> = {}, events?: EventEmitter) {
  /** By how much more is left of what was written at each look. */
  const state = { made: 0, isCut: false, step: 0, looks: 0 };
  const results = (async function* () {
    for (;;) {
      if (events) await once(events, 'event');
      yield { data: { number: ++state.made } };
    }
  })();
  const serverContext = {
    requestId: 'req_1',
    lastEventId: () => undefined,
    outgoing: {
      get leftBytes() {
        state.looks++;
        return state.step === 0 ? 0 : 1_000_000 + state.step * state.looks;
      },
      destroy() {
        state.isCut = true;
      },
    },
  };
  let response: Response | undefined;
  const setResultProcessor = (process: (result: unknown) => Response) => {
    response = process(results);
  };
  const plugin = useEventStream({ log: () => {}, ...options });
  const request = new Request('http://cardledger.test/graphql');
  plugin.onResultProcess!({ request, result: results, setResultProcessor, serverContext } as never);
  const reader = response!.body!.getReader();
  onTestFinished(() => reader.cancel());
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  return { state, read };
}

it('makes nothing that its client does not ask for, as each may be as large as an answer', async () => {
  const { state, read } = streamOf();
  await sleep(PING_MILLIS);
  expect(state.made).toBe(0);
  expect(await read()).toBe(':\n\n');
  await sleep(PING_MILLIS);
  expect(state.made).toBe(0);
  for (const number of [1, 2, 3]) {
    expect(await read()).toContain(`{"number":${number}}`);
    await sleep(PING_MILLIS);
    expect(state.made).toBe(number);
  }
});

it('answers who asks with a sign of life, once, and then cuts off at the second ping who does not ask again', async () => {
  const events = new EventEmitter();
  const { state, read } = streamOf({ pingMillis: PING_MILLIS }, events);
  await read();
  for (let i = 0; i < 3; i++) {
    expect(await read()).toBe(':\n\n');
    // One is missed.
    await sleep(PING_MILLIS * 1.5);
    expect(state.isCut).toBe(false);
  }
  expect(await read()).toBe(':\n\n');
  events.emit('event');
  await expect.poll(() => state.isCut, { timeout: 60_000 }).toBe(true);
});

it('goes on for who takes slowly what was written, and cuts off who goes on with nothing', async () => {
  const { state, read } = streamOf({ pingMillis: PING_MILLIS });
  await read();
  await read();
  state.step = -1;
  await expect.poll(() => state.looks, { timeout: 60_000 }).toBeGreaterThan(10);
  expect(state.isCut).toBe(false);
  state.step = 0;
  await expect.poll(() => state.isCut, { timeout: 60_000 }).toBe(true);
  expect(state.made).toBe(1);
});

it('goes on for who has taken one event and is at the next, of which more is left', async () => {
  const { state, read } = streamOf({ pingMillis: PING_MILLIS });
  state.step = 1;
  await read();
  for (let seen = 0; state.looks < 10; ) {
    seen = state.looks;
    await read();
    await expect.poll(() => state.looks, { interval: 1, timeout: 60_000 }).toBeGreaterThan(seen);
  }
  expect(state.isCut).toBe(false);
});

it('gives each event once, though a sign of life came before it', async () => {
  const events = new EventEmitter();
  const { state, read } = streamOf({ pingMillis: PING_MILLIS }, events);
  await read();
  expect(await read()).toBe(':\n\n');
  events.emit('event');
  await sleep(10);
  expect(state.made).toBe(1);
  expect(await read()).toContain('{"number":1}');
  expect(await read()).toBe(':\n\n');
  const next = read();
  events.emit('event');
  expect(await next).toContain('{"number":2}');
});

it('ends with what stops all, and cuts off who does not ask for the end', async () => {
  for (const isAsking of [true, false]) {
    const stopping = new AbortController();
    const { state, read } = streamOf({ stopping: stopping.signal });
    await read();
    if (isAsking) void read();
    stopping.abort();
    expect(state.isCut).toBe(!isAsking);
  }
});
