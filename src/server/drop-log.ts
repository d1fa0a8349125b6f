import type { Logger } from 'pino';

const LOGGED_EVERY_MILLIS = 1000;

/** Gives the function that counts what is dropped, and writes one line of it in a second, with what is said of the first. */
export function dropLog(logger: Logger, limit: object, message: string): (first?: object) => void {
  let dropped = 0;
  return (first) => {
    if (dropped++ > 0) return;
    setTimeout(() => {
      logger.warn({ dropped, ...limit, ...first }, message);
      dropped = 0;
    }, LOGGED_EVERY_MILLIS).unref();
  };
}
