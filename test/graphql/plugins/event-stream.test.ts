import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type EventStreamOptions, useEventStream } from '../../../src/graphql/plugins/event-stream.ts';

const PING_MILLIS = 50;

/** A stream of numbers, with how many of them were made, and whether its client was cut off. */
function streamOf(options: Partial<EventStreamOptions> = {}) {
  const state = { made: 0, isCut: false };
  const results = (async function* () {
    for (;;) yield { data: { number: ++state.made } };
  })();
  const serverContext = {
    requestId: 'req_1',
    lastEventId: () => undefined,
    disconnect() {
      state.isCut = true;
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

it('cuts off who has asked for nothing at two pings', async () => {
  const { state, read } = streamOf({ pingMillis: PING_MILLIS });
  await read();
  await read();
  expect(state.isCut).toBe(false);
  await expect.poll(() => state.isCut).toBe(true);
  expect(state.made).toBe(1);
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
