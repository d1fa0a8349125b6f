import { type Logger, pino } from 'pino';

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
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
