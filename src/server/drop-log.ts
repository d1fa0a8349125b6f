import type { Logger } from 'pino';

const LOGGED_EVERY_MILLIS = 1000;

/** Gives the function that counts what is dropped, and writes one line of it in a second. */
export function dropLog(logger: Logger, limit: object, message: string): () => void {
  let dropped = 0;
  return () => {
    if (dropped++ > 0) return;
    setTimeout(() => {
      logger.warn({ dropped, ...limit }, message);
      dropped = 0;
    }, LOGGED_EVERY_MILLIS).unref();
  };
}
