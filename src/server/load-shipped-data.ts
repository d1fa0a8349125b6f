import { loadConfig } from '../config.ts';
import { postgresDatabase } from '../db/postgres-database.ts';
import { samplesSince } from '../demo.ts';
import { dateOf } from '../domain/dates.ts';
import { loadShippedData } from '../first-run.ts';
import { messageOf } from './errors.ts';
import { createLogger } from './log.ts';
import { withProgress } from './progress.ts';

/**
 * A process of its own that fills a new PostgreSQL, started by `serve`: the 200 MB that this takes are gone when it
 * ends. The embedded database takes one process only, so there `serve` does it itself.
 */
try {
  const config = loadConfig();
  const db = postgresDatabase(config.databaseUrl!);
  const today = dateOf(new Date());
  const logger = createLogger(config.logLevel);
  const line = (message: string) => logger.info(message);
  await withProgress(process.stderr, line, (progress) =>
    loadShippedData(db, { samplesSince: config.demo ? samplesSince(today) : null, today, progress }),
  );
  await db.close();
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
