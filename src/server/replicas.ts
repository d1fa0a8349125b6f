import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { ReplicaOptions } from '../db/client.ts';

/** Those that are set, if any; the log is told of each that is left out, and when it is not any more. */
export function replicasOf(
  { databaseReplicaUrls: urls }: Config,
  logger: Logger,
): ReplicaOptions | undefined {
  if (urls === null) return undefined;
  return {
    urls,
    tell(replica, leftOut) {
      if (leftOut) logger.warn({ replica }, `a replica is left out: ${leftOut.reason}`);
      else logger.info({ replica }, 'a replica answers reads');
    },
  };
}
