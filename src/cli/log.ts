import { type Logger, pino } from 'pino';
import { withoutSecrets } from '../domain/credentials.ts';

/** Lines are written together, since a write for each would be half of what a line costs; and none later than this. */
const FLUSH_MILLIS = 100;
const BUFFER_CHARACTERS = 32_768;

/** JSON lines on standard output. */
export function createLogger(level: string): Logger {
  const destination = pino.destination({
    dest: 1,
    sync: true,
    minLength: BUFFER_CHARACTERS,
    maxWrite: 2 * BUFFER_CHARACTERS,
    periodicFlush: FLUSH_MILLIS,
  });
  process.once('exit', () => destination.flushSync());
  const serializers = { err: loggedError };
  // Whatever a line quotes: clients put secrets where none belong, such as in a path.
  const hooks = { streamWrite: withoutSecrets };
  return pino({ level, base: null, timestamp: newTimestamp(), serializers, hooks }, destination);
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
