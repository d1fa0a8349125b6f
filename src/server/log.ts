import { type Logger, pino } from 'pino';
import { withoutSecrets } from '../domain/credentials.ts';

/** Lines are written together, since a write for each would be half of what a line costs; and none later than this. */
const FLUSH_MILLIS = 100;
const BUFFER_CHARACTERS = 32_768;

/** JSON lines on standard output. */
export function createLogger(level: string): Logger {
  const serializers = { err: loggedError };
  return pino({ level, base: null, timestamp: newTimestamp(), serializers }, bufferedOutput());
}

/** Collects lines itself, since pino's destination would measure all that it holds for each line. */
function bufferedOutput(): { write(line: string): void } {
  const destination = pino.destination({ dest: 1, sync: true });
  let lines = '';
  const flush = () => {
    if (lines === '') return;
    // Whatever a line quotes: clients put secrets where none belong, such as in a path.
    const text = withoutSecrets(lines);
    lines = '';
    destination.write(text);
  };
  setInterval(flush, FLUSH_MILLIS).unref();
  process.once('exit', () => {
    flush();
    destination.flushSync();
  });
  return {
    write(line) {
      lines += line;
      if (lines.length >= BUFFER_CHARACTERS) flush();
    },
  };
}

/** The time as pino adds it to a line, ISO 8601; many lines are of the same millisecond. */
function newTimestamp(): () => string {
  let lastMillis = 0;
  let last = '';
  return () => {
    const millis = Date.now();
    if (millis !== lastMillis) {
      lastMillis = millis;
      last = `,"time":"${new Date(millis).toISOString()}"`;
    }
    return last;
  };
}

/**
 * In these PostgreSQL and its driver quote rows and parameters, which are the tenants' and not the log's; `details` of
 * our own errors have the same once more, beside what the message tells of the cause.
 */
const QUOTING = ['detail', 'details', 'where', 'parameters', 'args', 'params'];

/** An error as the log has it. */
export function loggedError(error: Error): object {
  const logged = Object.entries(pino.stdSerializers.err(error));
  return Object.fromEntries(logged.filter(([name]) => !QUOTING.includes(name)));
}
