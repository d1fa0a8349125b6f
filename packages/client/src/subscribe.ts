import { type Document, textOf } from './document.ts';
import { CardledgerError, parsed, refusal } from './errors.ts';
import { eventsOf } from './events.ts';
import { type CallOptions, failureOf, type Result } from './graphql.ts';
import { authorized, backOffMillis, pause, type Service } from './requests.ts';

export interface SubscribeOptions extends CallOptions {
  /** Goes on after this event: the `id` of the last one that you know. */
  lastEventId?: string;
}

/**
 * One event. Where `error` is there the event could not be told, or with `EVENTS_MISSED` those before it are not kept any
 * more: read again what you show. The subscription goes on.
 */
export type Event<Data> =
  | { id: string | undefined; data: Data; error?: undefined }
  | { id: string | undefined; data: Data | null; error: CardledgerError };

/** The service sends something at least every 15 s. */
const SILENCE_MILLIS = 40_000;

/**
 * The events of a subscription, each once and in order. It goes on after lost connections, restarts of the service and
 * expired tokens, for as long as it takes; it ends when the service says so, and throws what the service refuses.
 */
export async function* subscribe<Data, Variables>(
  service: Service,
  document: Document<Data, Variables>,
  variables: Variables | undefined,
  { signal, lastEventId }: SubscribeOptions = {},
): AsyncGenerator<Event<Data>, void, undefined> {
  const body = JSON.stringify({ query: textOf(document), variables });
  const stop = new AbortController();
  const giveUp = () => stop.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', giveUp, { once: true });
  let last = lastEventId;
  try {
    for (let lost = 0; ; lost++) {
      if (lost > 0) await pause(backOffMillis(lost), stop.signal);
      try {
        for await (const { id, event, data } of eventsOf(
          await open(service, body, last, stop.signal),
          SILENCE_MILLIS,
        )) {
          lost = 0;
          if (event === 'complete') return;
          if (event === 'next') {
            const told = eventOf<Data>(id, data);
            // After these it ends: it has not begun, or the token is good no longer.
            if (told.error && (id === undefined || told.error.code === 'Unauthorized')) throw told.error;
            last = id ?? last;
            yield told;
          } else {
            last = id ?? last;
          }
        }
      } catch (error) {
        stop.signal.throwIfAborted();
        if (error instanceof CardledgerError && !isPassing(error)) throw error;
      }
    }
  } finally {
    signal?.removeEventListener('abort', giveUp);
    stop.abort();
  }
}

/** A token that expires ends the stream: the next one is opened with another. */
function isPassing({ code, status }: CardledgerError): boolean {
  return (
    code === 'Network' ||
    code === 'Unavailable' ||
    code === 'RateLimited' ||
    (code === 'Unauthorized' && status === undefined)
  );
}

/** A stream that has begun. */
async function open(
  service: Service,
  body: string,
  lastEventId: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'text/event-stream',
    ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
  };
  const request = new Request(`${service.url}/graphql`, { method: 'POST', headers, body, signal });
  const response = await authorized(service, request);
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
  if (isStream && response.body && response.ok) return response.body;
  const text = await response.text();
  throw failureOf(parsed<Result<unknown>>(text) ?? {}, response.status) ?? refusal(response.status, text);
}

function eventOf<Data>(id: string | undefined, text: string): Event<Data> {
  const result = parsed<Result<Data>>(text) ?? {};
  const error = failureOf(result);
  return error ? { id, data: result.data ?? null, error } : { id, data: result.data as Data };
}
