import type { Config } from '../config.ts';
import type { Database } from '../db/client.ts';
import { CliError, messageOf } from '../server/errors.ts';
import type { Progress } from '../services/market/progress.ts';
import { createOutput, type Io, type Output } from './output.ts';

/** What commands are given. All that is heavy is loaded when a command first needs it, so that help is quick. */
export interface Cli {
  io: Io;
  output: Output;
  /** The settings; throws a `CliError` that names those that are wrong. */
  config(): Promise<Config>;
  /** Runs `work` on the configured database, which must exist and have the code's version. */
  withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** Runs `work` with a progress bar or, for programs, without. */
  withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T>;
  /** Tells why a command failed. */
  fail(error: unknown): void;
  /** Of a command that gives its result. */
  exitCode: 0 | 1;
}

export function createCli(io: Io, json: boolean): Cli {
  const output = createOutput(io, json);
  let loaded: Config | undefined;
  const cli: Cli = {
    io,
    output,
    exitCode: 0,
    async config() {
      const { loadConfig, misspeltSettings } = await import('../config.ts');
      if (!loaded) for (const warning of misspeltSettings(io.environment)) output.note(warning);
      try {
        loaded ??= loadConfig(io.environment);
      } catch (error) {
        throw new CliError('InvalidConfiguration', messageOf(error), { cause: error });
      }
      return loaded;
    },
    async withDatabase(work) {
      const { assertMigrated, withConnection } = await import('./database.ts');
      const options = { create: false, onProgress: output.note };
      return withConnection(await cli.config(), options, async (db) => {
        await assertMigrated(db);
        return work(db);
      });
    },
    async withProgress(work) {
      const { withProgress } = await import('../server/progress.ts');
      return json ? work(() => {}) : withProgress(io.stderr, output.note, work);
    },
    fail(error) {
      const debugging = loaded?.logLevel === 'debug' || loaded?.logLevel === 'trace';
      output.failure(error, debugging);
    },
  };
  return cli;
}
