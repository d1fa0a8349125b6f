import type { Command } from 'commander';
import type { MigrationResult } from '../../db/migrate.ts';
import { CliError } from '../../server/errors.ts';
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
        'and the market on every node. "migrate" and "serve" do it, too. Of a database with rows it moves them in one transaction: ' +
        'stop the service before; whoever asks meanwhile is told to try again. It also gives the nodes, such as a worker that was ' +
        'added, the settings that they need. Where all is done, it does nothing; interrupted, it has changed nothing.',
    )
    .addHelpText('after', examples('distribute'))
    .action(() => distributeDatabase(cli));
}

async function distributeDatabase(cli: Cli): Promise<void> {
  const config = await cli.config();
  const { assertMigrated, withConnection } = await import('../database.ts');
  const { distribute } = await import('../../db/distribute.ts');
  const { isUntouched } = await import('../../db/migrate.ts');
  const { isCitus } = await import('../../db/placed.ts');
  const { placementWarnings } = await import('../../db/placement-problems.ts');
  const options = { create: false, onProgress: cli.output.note };
  const distributed = await withConnection(config, options, async (db) => {
    if ((await isCitus(db)) && (await isUntouched(db)))
      throw new CliError('DatabaseNotReady', NOTHING_TO_DISTRIBUTE);
    await assertMigrated(db);
    const count = await distribute(db, { tell: cli.output.note });
    for (const warning of await placementWarnings(db)) cli.output.note(warning);
    return count;
  });
  cli.output.result({ distributed }, distributionReport(distributed));
}

const NOTHING_TO_DISTRIBUTE =
  'The database is empty: run "cardledger migrate", which makes the tables and spreads them over the nodes.';

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
  const result = await withConnection(config, options, (db) =>
    migrate(db, { contract, tell: cli.output.note }),
  );
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
