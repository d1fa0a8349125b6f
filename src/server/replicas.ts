import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { ReplicaOptions } from '../db/client.ts';
import type { TellPrimary } from '../db/primary.ts';
import type { LeftOut } from '../db/replica.ts';

/** The log says once which of the servers of `DATABASE_URL` is written to after a promotion, and which is not, though it takes changes. */
export const tellPrimary =
  (logger: Logger): TellPrimary =>
  (server, line) =>
    logger.warn({ server }, line);

/** One that lags, as each does behind an import, is told of so often at most; its lag is among the metrics. */
const LAG_PAUSE_MILLIS = 10 * 60_000;

/** Those that are set, if any; the log is told of each that is left out, and when it is not any more. */
export function replicasOf(
  { databaseReplicaUrls: urls }: Config,
  logger: Logger,
  elapsed: () => number = () => performance.now(),
): ReplicaOptions | undefined {
  if (urls === null) return undefined;
  const isWorthALine = newLagFilter(elapsed);
  return {
    urls,
    tell(replica, leftOut) {
      if (!isWorthALine(replica, leftOut)) return;
      if (leftOut) logger.warn({ replica }, `a replica is left out: ${leftOut.reason}`);
      else logger.info({ replica }, 'a replica answers reads');
    },
  };
}

/** False for a lag soon after another, and for its end. */
function newLagFilter(elapsed: () => number) {
  const lagTold = new Map<string, number>();
  const silent = new Set<string>();
  return (replica: string, leftOut: LeftOut | null): boolean => {
    const wasSilent = silent.delete(replica);
    if (leftOut === null) return !wasSilent;
    if (leftOut.kind !== 'lagging') return true;
    const last = lagTold.get(replica);
    if (last !== undefined && elapsed() - last < LAG_PAUSE_MILLIS) {
      silent.add(replica);
      return false;
    }
    lagTold.set(replica, elapsed());
    return true;
  };
}
