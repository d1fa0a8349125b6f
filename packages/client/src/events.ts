/** A server-sent event, or an id that came without one. */
export interface ServerSentEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/**
 * The events of a stream (the format of the HTML standard). Ends with the stream; throws where it breaks, or where nothing
 * at all comes for `silenceMillis`.
 */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  silenceMillis: number,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let next: ServerSentEvent = nothing();
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), silenceMillis);
      if (done) return;
      // A line break of two characters may come in two parts: the last line waits for the next part.
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop()!;
      for (const line of lines) {
        if (line !== '') {
          next = withLine(next, line);
        } else {
          if (next.id !== undefined || next.event !== '') yield next;
          next = nothing();
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const nothing = (): ServerSentEvent => ({ id: undefined, event: '', data: '' });

function withLine(event: ServerSentEvent, line: string): ServerSentEvent {
  const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line)!;
  if (field === 'id') return { ...event, id: value };
  if (field === 'event') return { ...event, event: value! };
  if (field === 'data') return { ...event, data: event.data ? `${event.data}\n${value}` : value! };
  return event;
}

async function within<T>(promise: Promise<T>, millis: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The stream has gone silent.')), millis);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
