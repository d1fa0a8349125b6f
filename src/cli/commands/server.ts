import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { counted } from '../output.ts';
import { endAtOnceOnSignal } from '../signals.ts';

export function addServerCommands(program: Command, cli: Cli): void {
  program
    .command('serve')
    .summary('start the server')
    .description(
      'Start the server, as "npm start" does. It logs to standard output and stops at Ctrl-C or SIGTERM.',
    )
    .addHelpText(
      'after',
      examples(
        ['serve', 'on http://127.0.0.1:4000, with the embedded database in ./data'],
        'serve   # with PORT=8080 DATABASE_URL=postgres://user:password@host/cardledger',
      ),
    )
    .action(() => startServer(cli));
  program
    .command('migrate')
    .summary('bring the database to the version of this program')
    .description(
      'Bring the database to the version of this program, all or nothing. Makes the embedded database if there is none.',
    )
    .addHelpText('after', examples('migrate'))
    .action(() => migrateDatabase(cli));
}

async function startServer(cli: Cli): Promise<void> {
  endAtOnceOnSignal();
  const config = await cli.config();
  const { explaining } = await import('../database.ts');
  const { serve } = await import('../serve.ts');
  await explaining(config, () => serve(config));
}

async function migrateDatabase(cli: Cli): Promise<void> {
  const config = await cli.config();
  const { withConnection } = await import('../database.ts');
  const { migrate } = await import('../../db/migrate.ts');
  const options = { create: true, onProgress: cli.output.note };
  const { applied } = await withConnection(config, options, migrate);
  cli.output.result(
    { applied },
    applied === 0 ? 'The database is up to date.' : `Applied ${counted(applied, 'migration')}.`,
  );
}
