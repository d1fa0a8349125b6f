import type { Logger } from 'pino';

/**
 * Logs the error of a promise that nobody listens to, and goes on: Node would end the process, and with it what everybody else has asked, for a defect in
 * what one has.
 */
export function logUnheardFailures(logger: Logger): void {
  process.on('unhandledRejection', (err) =>
    logger.error({ err }, 'a promise failed that nobody listened to'),
  );
}
