/** PostgreSQL takes payloads of less than 8,000 bytes. */
const PAYLOAD_BYTES = 7900;
/** A notification takes a lock of the whole server when it commits, so there are few, with many messages each. */
const PAUSE_MILLIS = 20;

export interface Notifier {
  /** Sends the message soon; one that waits to be sent already is not sent twice. */
  notify(channel: string, message: string): void;
  /** Resolves when all messages are sent. */
  drain(): Promise<void>;
}

/**
 * Gathers messages into notifications: the first are sent at the end of this turn of the event loop, those that come within
 * the next 20 ms together. What cannot be sent is dropped.
 */
export function createNotifier(send: (channel: string, payload: string) => Promise<unknown>): Notifier {
  let waiting = new Map<string, Set<string>>();
  let running: Promise<void> | undefined;
  let wake = () => {};
  let isDraining = false;

  const pause = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (isDraining) resolve();
      else setTimeout(resolve, PAUSE_MILLIS).unref();
    });

  const run = async () => {
    while (waiting.size > 0) {
      const taken = waiting;
      waiting = new Map();
      for (const [channel, messages] of taken) {
        for (const payload of payloadsOf(messages)) await send(channel, payload).catch(() => {});
      }
      await pause();
    }
    running = undefined;
  };

  return {
    notify(channel, message) {
      const messages = waiting.get(channel) ?? new Set();
      waiting.set(channel, messages.add(message));
      // Behind the answer of the caller, whose client waits for it; and what it tells in one go travels together.
      running ??= new Promise<void>((resolve) => setImmediate(resolve)).then(run);
    },
    async drain() {
      isDraining = true;
      wake();
      await running;
      isDraining = false;
    },
  };
}

/** Lines of messages. */
function payloadsOf(messages: Iterable<string>): string[] {
  const payloads: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const added = Buffer.byteLength(message) + 1;
    bytes += added;
    if (bytes <= PAYLOAD_BYTES) {
      payloads.at(-1)!.push(message);
    } else {
      payloads.push([message]);
      bytes = added;
    }
  }
  return payloads.map((lines) => lines.join('\n'));
}

/** The messages of a notification. */
export function messagesOf(payload: string): string[] {
  return payload.split('\n');
}
