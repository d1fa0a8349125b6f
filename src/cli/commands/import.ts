import type { Command } from 'commander';
import type { Database } from '../../db/client.ts';
import type { Cli } from '../cli.ts';
import { CliError, failureOf, messageOf } from '../errors.ts';
import { examples } from '../help.ts';
import { IMPORT_KINDS, type ImportCounts, type ImportKind } from '../import-kinds.ts';
import { table } from '../output.ts';

export function addImportCommands(program: Command, cli: Cli): void {
  const group = program
    .command('import')
    .description('load market data from files, in one database transaction: all or nothing');
  for (const kind of IMPORT_KINDS) {
    group
      .command(kind.name)
      .description(kind.description)
      .argument('<file...>', kind.files)
      .option('--dry-run', 'do it all, show what would change, and undo it')
      .addHelpText(
        'after',
        examples(
          `import ${kind.name} ${kind.example}`,
          [`import ${kind.name} --dry-run ${kind.example}`, 'what would change'],
          `import ${kind.name} --json ${kind.example}`,
        ),
      )
      .action((files: string[], options: { dryRun?: boolean }) =>
        importFiles(cli, kind, files, options.dryRun ?? false),
      );
  }
}

async function importFiles(cli: Cli, kind: ImportKind, files: string[], dryRun: boolean): Promise<void> {
  const write = await kind.prepare(files);
  const counts = await cli.withDatabase((db) =>
    cli.withProgress((progress) =>
      explainingFailure(() => (dryRun ? rolledBack(db, (tx) => write(tx, progress)) : write(db, progress))),
    ),
  );
  cli.output.result({ kind: kind.name, files, dryRun, ...counts }, countsTable(counts));
  if (dryRun) cli.output.note('Nothing was changed: this was a dry run.');
}

/** What `work` gives on a database transaction that is undone. */
async function rolledBack<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  const undo = new Error('the transaction of a dry run is undone');
  let done: { result: T } | undefined;
  try {
    await db.transaction(async (tx) => {
      done = { result: await work(tx) };
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return done!.result;
}

/** What the database refuses, such as a row that breaks a constraint. */
async function explainingFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (failureOf(error).code !== 'Internal') throw error;
    throw new CliError('ImportFailed', `The import was undone: ${messageOf(error)}.`, { cause: error });
  }
}

function countsTable(counts: ImportCounts): string {
  const rows = Object.entries(counts).map(([name, { added, changed, unchanged }]) => [
    name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    ...[added, changed, unchanged].map((count) => count.toLocaleString('en-US')),
  ]);
  return table(['', 'added', 'changed', 'unchanged'], rows, ['added', 'changed', 'unchanged']);
}
