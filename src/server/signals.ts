import type { Logger } from 'pino';

const SHUTDOWN_MILLIS = 10_000;

/**
 * Ends the process with 0 at SIGTERM or SIGINT, when `stop` is done. Takes the place of an earlier call.
 * @param logger told that it ends; not where another process tells
 */
export function endOnSignal({ stop }: { stop(): Promise<void> }, logger?: Logger): void {
  const end = async (signal: NodeJS.Signals) => {
    setTimeout(() => process.exit(1), SHUTDOWN_MILLIS).unref();
    logger?.info(`stopping at ${signal}: answers the requests that it has`);
    await stop();
    logger?.info('stopped');
    process.exit(0);
  };
  let isEnding = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (!isEnding) void end(signal);
      isEnding = true;
    });
  }
}

/**
 * For a start: nothing is open yet, or what is loaded is all or nothing. Without this the first process of a container
 * would not end at all.
 */
export function endAtOnceOnSignal(): void {
  endOnSignal({ stop: async () => {} });
}
