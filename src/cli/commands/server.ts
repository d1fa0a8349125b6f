import type { Command } from 'commander';
import type { MigrationResult } from '../../db/migrate.ts';
import { endAtOnceOnSignal } from '../../server/signals.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { counted } from '../output.ts';

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
      'Bring the database to the version of this program, one migration at a time. What nodes of the version before ' +
        'still use is removed by a start a day later. Makes the embedded database if there is none.',
    )
    .option('--contract', 'remove it now: no such node runs any more')
    .addHelpText('after', examples('migrate', ['migrate --contract', 'when every node is of this version']))
    .action((options: { contract?: boolean }) => migrateDatabase(cli, options));
  program
    .command('distribute')
    .summary('spread the tables over the nodes of a Citus')
    .description(
      'Spread the tables of a PostgreSQL with the extension Citus over its nodes: the rows of accounts by account, the catalogue ' +
        'and the market on every node. "migrate" and "serve" do it, too. Of a database with rows it moves them, and whoever uses ' +
        'the tables waits meanwhile. Done before, it does nothing; interrupted, it has changed nothing.',
    )
    .addHelpText('after', examples('distribute'))
    .action(() => distributeDatabase(cli));
}

async function distributeDatabase(cli: Cli): Promise<void> {
  const { distribute } = await import('../../db/distribute.ts');
  const distributed = await cli.withDatabase((db) => distribute(db));
  cli.output.result({ distributed }, distributionReport(distributed));
}

function distributionReport(distributed: number): string {
  return distributed === 0
    ? 'Every table is on the nodes where it belongs.'
    : `Put ${counted(distributed, 'table')} on the nodes.`;
}

async function startServer(cli: Cli): Promise<void> {
  endAtOnceOnSignal();
  const config = await cli.config();
  const { explaining } = await import('../database.ts');
  const { serve } = await import('../../server/serve.ts');
  await explaining(config, () => serve(config));
}

async function migrateDatabase(cli: Cli, { contract = false }: { contract?: boolean }): Promise<void> {
  const config = await cli.config();
  const { withConnection } = await import('../database.ts');
  const { migrate } = await import('../../db/migrate.ts');
  const options = { create: true, onProgress: cli.output.note };
  const result = await withConnection(config, options, (db) => migrate(db, { contract }));
  cli.output.result(result, migrationReport(result));
}

export function migrationReport({ applied, waiting, distributed }: MigrationResult): string {
  const done = applied === 0 ? 'The database is up to date.' : `Applied ${counted(applied, 'migration')}.`;
  const left = waiting.map(
    ({ name, from }) =>
      `${name} waits for nodes of the version before to be replaced: it is applied by a start after ${from}, ` +
      'or now by "cardledger migrate --contract".',
  );
  return [done, ...left, ...(distributed ? [distributionReport(distributed)] : [])].join('\n');
}
