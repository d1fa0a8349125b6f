import type { Command } from 'commander';
import { withCommas } from '../../lib/text.ts';
import { CliError, failureOf, messageOf } from '../../server/errors.ts';
import type { OnFailure } from '../../services/market/settle.ts';
import type { ImportCounts, WriteImport } from '../../services/market/write-import.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { IMPORT_KINDS, type ImportFlags } from '../import-kinds.ts';
import { table } from '../output.ts';

export function addImportCommands(program: Command, cli: Cli): void {
  const group = program
    .command('import')
    .description('load market data from files, in one database transaction: all or nothing');
  for (const kind of IMPORT_KINDS) {
    const command = group
      .command(kind.name)
      .description(kind.description)
      .argument('<file...>', kind.files)
      .option('--dry-run', 'do it all, show what would change, and undo it');
    if (kind.alias) command.alias(kind.alias);
    for (const [flag, meaning] of kind.flags ?? []) command.option(flag, meaning);
    command
      .addHelpText(
        'after',
        examples(
          `import ${kind.name} ${kind.example}`,
          [`import ${kind.name} --dry-run ${kind.example}`, 'what would change'],
          `import ${kind.name} --json ${kind.example}`,
        ),
      )
      .action(
        async (
          files: string[],
          { dryRun = false, ...flags }: { dryRun?: boolean } & Omit<ImportFlags, 'now'>,
        ) => {
          const write = await kind.prepare(files, { ...flags, now: cli.io.now });
          await runImport(cli, write, dryRun, { kind: kind.name, files });
        },
      );
  }
}

/** Writes what is prepared and tells what it did. @param about what `--json` says before the counts */
export async function runImport(cli: Cli, write: WriteImport, dryRun: boolean, about: object): Promise<void> {
  const unsettled: string[] = [];
  const onFailure: OnFailure = (accountId, error) => {
    const whose = accountId === null ? 'accounts' : `the account acc_${accountId}`;
    unsettled.push(`Left to a server, which tries it again: ${whose} (${messageOf(error)}).`);
  };
  const { counts, notes: written } = await cli.withDatabase((db) =>
    cli.withProgress((progress) => explainingFailure(() => write(db, progress, { dryRun, onFailure }))),
  );
  const notes = [...written, ...unsettled];
  const shown = notes.length > 0 ? { notes } : {};
  cli.output.result({ ...about, dryRun, ...counts, ...shown }, countsTable(counts));
  for (const note of [...rejectedNotes(counts), ...notes]) cli.output.note(note);
  if (dryRun) cli.output.note('Nothing was changed: this was a dry run.');
}

/** What the database refuses, such as a row that breaks a constraint. */
async function explainingFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (failureOf(error).code !== 'Internal') throw error;
    const message = messageOf(error).replace(/\.$/, '');
    throw new CliError('ImportFailed', `The import was undone: ${message}.`, { cause: error });
  }
}

const COLUMNS = ['added', 'changed', 'unchanged', 'left out'];

function countsTable(counts: ImportCounts): string {
  const rows = Object.entries(counts).map(([name, written]) => [
    name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    ...[written.added, written.changed, written.unchanged, rejectedIn(written)].map(withCommas),
  ]);
  return table(['', ...COLUMNS], rows, COLUMNS);
}

function rejectedIn(written: ImportCounts[string]): number {
  return 'rejectedCount' in written ? written.rejectedCount : 0;
}

/** How many rows were left out and why, and the first of them. */
function rejectedNotes(counts: ImportCounts): string[] {
  return Object.values(counts).flatMap((written) => {
    if (!('rejectedCount' in written) || written.rejectedCount === 0) return [];
    const kinds = Object.entries(written.rejectedBy).map(([kind, count]) => `${withCommas(count)} ${kind}`);
    const { file, line, reason } = written.rejected[0]!;
    const place = file === null ? '' : `${file}, line ${line}: `;
    return [`Left out: ${kinds.join(', ')}. The first: ${place}${reason}. --json lists more of them.`];
  });
}
