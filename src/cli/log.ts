import { type Logger, pino } from 'pino';
import { withoutSecrets } from '../domain/credentials.ts';

/** Lines are written together, since a write for each would be half of what a line costs; and none later than this. */
const FLUSH_MILLIS = 100;
const BUFFER_CHARACTERS = 4096;

/** JSON lines on standard output. */
export function createLogger(level: string): Logger {
  const destination = pino.destination({
    dest: 1,
    sync: true,
    minLength: BUFFER_CHARACTERS,
    periodicFlush: FLUSH_MILLIS,
  });
  process.once('exit', () => destination.flushSync());
  const serializers = { err: loggedError };
  // Whatever a line quotes: clients put secrets where none belong, such as in a path.
  const hooks = { streamWrite: withoutSecrets };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers, hooks },
    destination,
  );
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
