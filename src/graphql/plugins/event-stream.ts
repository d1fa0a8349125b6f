import { setMaxListeners } from 'node:events';
import { type ExecutionResult, type FormattedExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Outgoing } from '../../http/exchange.ts';
import { takesOnlyEvents } from '../media-types.ts';
import { type LogError, publicResult } from '../public-result.ts';
import { resultText } from '../result.ts';

/** What a request for a stream of events brings with it. */
export interface EventStreamContext extends Record<string, unknown> {
  requestId: string;
  /** The id of the last event of what the request follows; undefined where it follows nothing. */
  lastEventId: () => string | undefined;
  outgoing: Outgoing | undefined;
}

export interface EventStreamOptions {
  log: LogError;
  /** Ends all streams, without a word, so that clients connect again. */
  stopping?: AbortSignal | undefined;
  /** Between two signs of life. A client that has taken nothing for two of them is dropped; a slow one goes on. */
  pingMillis?: number;
}

const PING_MILLIS = 15_000;
const MISSED_PINGS = 2;

/**
 * GraphQL over server-sent events in distinct connections mode, as Yoga has it, and: each result of a subscription has
 * the id of its event, by which a client goes on; results are made when the client takes them, and a client that takes
 * nothing is dropped.
 */
export function useEventStream<Context extends EventStreamContext>(
  options: EventStreamOptions,
): Plugin<Record<string, unknown>, Context> {
  // Each stream listens; of more than ten Node would warn.
  if (options.stopping) setMaxListeners(0, options.stopping);
  return {
    onResultProcess({ request, result, setResultProcessor, serverContext }) {
      if (isAsyncIterable(result)) {
        setResultProcessor(
          (results) => streamOf(results as AsyncIterable<ExecutionResult>, serverContext, options),
          'text/event-stream',
        );
      } else if (takesOnlyEvents(request.headers.get('Accept'))) {
        setResultProcessor(
          (single) => streamOf(justOne(single as ExecutionResult), serverContext, options),
          'text/event-stream',
        );
      }
    },
  };
}

async function* justOne(result: ExecutionResult): AsyncGenerator<ExecutionResult> {
  yield result;
}

function streamOf(
  results: AsyncIterable<ExecutionResult>,
  { requestId, lastEventId, outgoing }: EventStreamContext,
  { log, stopping, pingMillis = PING_MILLIS }: EventStreamOptions,
): Response {
  const encoder = new TextEncoder();
  const iterator = results[Symbol.asyncIterator]();
  let missedPings = 0;
  let lastLeftBytes = 0;
  let wasAsked = false;
  let isOpen = true;
  /** Answers who asks for more: with the next event, or a sign of life where that is still to come. */
  let give: ((text: string) => void) | undefined;
  let isComing = false;
  /** An event that came when a sign of life had been given in its place, and nobody had asked again. */
  let ready: string | undefined;
  let release = () => {};
  let end = () => {};

  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      const ping = () => {
        const leftBytes = outgoing?.leftBytes ?? 0;
        const isTaken = give !== undefined || wasAsked || leftBytes < lastLeftBytes;
        lastLeftBytes = leftBytes;
        wasAsked = false;
        missedPings = isTaken ? 0 : missedPings + 1;
        // Who has still to take something needs none.
        if (leftBytes === 0) give?.(SIGN_OF_LIFE);
        if (missedPings < MISSED_PINGS) return;
        end();
        outgoing?.destroy();
      };
      const timer = setInterval(ping, pingMillis).unref();
      const stop = () => {
        const isStuck = !give;
        end();
        if (isStuck) outgoing?.destroy();
      };
      release = () => {
        isOpen = false;
        clearInterval(timer);
        stopping?.removeEventListener('abort', stop);
        iterator.return?.().catch(() => {});
      };
      end = () => {
        if (!isOpen) return;
        release();
        controller.close();
      };
      stopping?.addEventListener('abort', stop);
      // The id alone is no event: it only is what a client goes on from when it loses the connection at once.
      controller.enqueue(encoder.encode(idLine(lastEventId()) + SIGN_OF_LIFE));
      if (stopping?.aborted) end();
    },
    pull(controller) {
      wasAsked = true;
      return new Promise((resolve) => {
        give = (text) => {
          give = undefined;
          resolve();
          if (!isOpen) return;
          controller.enqueue(encoder.encode(text));
          if (text.endsWith(COMPLETE)) end();
        };
        if (isComing) return;
        come().catch((error) => {
          end();
          outgoing?.destroy();
          log(error, requestId);
        });
      });
    },
    // The stream is closed already.
    cancel() {
      release();
    },
  };
  // By itself it would always have one made ahead, which may be as large as an answer.
  const body = new ReadableStream(source, { highWaterMark: 0 });

  const come = async () => {
    isComing = true;
    const text = ready ?? (await nextText());
    isComing = false;
    ready = give ? undefined : text;
    give?.(text);
  };
  const nextText = async (): Promise<string> => {
    try {
      const { done, value } = await iterator.next();
      return done ? COMPLETE : nextEvent(publicResult(value, requestId, log), lastEventId());
    } catch (error) {
      const errors = [
        error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error }),
      ];
      return nextEvent(publicResult({ errors }, requestId, log), undefined) + COMPLETE;
    }
  };

  return new Response(body, {
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // For nginx, which would wait for more.
      'X-Accel-Buffering': 'no',
    },
  });
}

const SIGN_OF_LIFE = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';

function nextEvent(result: FormattedExecutionResult, id: string | undefined): string {
  const extensions = id === undefined ? result.extensions : { ...result.extensions, eventId: id };
  const text = resultText({ ...result, ...(extensions && { extensions }) });
  return `${idLine(id)}event: next\ndata: ${text}\n\n`;
}

function idLine(id: string | undefined): string {
  return id === undefined ? '' : `id: ${id}\n`;
}
