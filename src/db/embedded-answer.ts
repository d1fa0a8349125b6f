import type { messages, protocol } from '@electric-sql/pglite';

/** What the database answers to one statement, as far as it matters here. */
export interface Answer {
  /** The first error. */
  error: messages.DatabaseError | undefined;
  columns: Column[];
  rows: unknown[];
  isBound: boolean;
  /** The last command's tag, such as `COMMIT`; undefined where it has not come to its end. */
  command: string | undefined;
}

export type Notification = messages.NotificationResponseMessage;

type Column = messages.RowDescriptionMessage['fields'][number];
type Message = Parameters<Parameters<InstanceType<(typeof protocol)['Parser']>['parse']>[1]>[0];

/** Reads the values of a row, which begins at a place in the bytes. */
export type RowReader = (bytes: Buffer, at: number) => unknown;

// The first byte of a message says what it is, the next four how long it is.
const BIND_COMPLETE = '2'.charCodeAt(0);
const COMMAND_COMPLETE = 'C'.charCodeAt(0);
const EMPTY_QUERY = 'I'.charCodeAt(0);
const DATA_ROW = 'D'.charCodeAt(0);
const READY = 'Z'.charCodeAt(0);
/** Error, notification, description of rows. */
const TELLING = new Set([...'EAT'].map((letter) => letter.charCodeAt(0)));

const newAnswer = (): Answer => ({
  error: undefined,
  columns: [],
  rows: [],
  isBound: false,
  command: undefined,
});

/**
 * The answers to a batch of statements, one for each of `readers`, which read their rows.
 *
 * Reads rows by itself, since PGlite's own parser takes four times as long, as it copies each field into a buffer of its
 * own; and leaves what comes seldom to that.
 */
export function answersOf(
  bytes: Buffer,
  Parser: (typeof protocol)['Parser'],
  readers: readonly RowReader[],
  onNotification: (notification: Notification) => void,
): Answer[] {
  const answers: Answer[] = [];
  let answer = newAnswer();
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = at + 1 + bytes.readUInt32BE(at + 1);
    const kind = bytes[at]!;
    if (kind === DATA_ROW) answer.rows.push(readers[answers.length]!(bytes, at + 5));
    else if (kind === BIND_COMPLETE) answer.isBound = true;
    else if (kind === COMMAND_COMPLETE) answer.command = bytes.toString('latin1', at + 5, end - 1);
    else if (kind === EMPTY_QUERY) answer.command = '';
    else if (kind === READY) {
      answers.push(answer);
      answer = newAnswer();
    } else if (TELLING.has(kind)) {
      new Parser().parse(bytes.subarray(at, end), (message) => {
        if (message.name === 'notification') onNotification(message as Notification);
        else addTo(answer, message);
      });
    }
  }
  return answers;
}

function addTo(answer: Answer, message: Message): void {
  if (message.name === 'error') answer.error ??= message as messages.DatabaseError;
  if (message.name === 'rowDescription') answer.columns = (message as messages.RowDescriptionMessage).fields;
}

/** Makes a value of its text. */
export type ParseValue = (text: string) => unknown;

/** Reads rows as objects; a value without a function of its column stays text. */
export function rowReader(names: readonly string[], parsers: readonly (ParseValue | undefined)[]): RowReader {
  return (bytes, at) => {
    const row: Record<string, unknown> = {};
    // Behind the number of values.
    let start = at + 2;
    for (let i = 0; i < names.length; i++) {
      const length = bytes.readInt32BE(start);
      start += 4;
      if (length < 0) {
        row[names[i]!] = null;
        continue;
      }
      const text = bytes.toString('utf8', start, start + length);
      const parse = parsers[i];
      row[names[i]!] = parse ? parse(text) : text;
      start += length;
    }
    return row;
  };
}
