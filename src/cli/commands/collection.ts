import type { Command } from 'commander';
import { LIMITS } from '../../domain/limits.ts';
import type { Collection } from '../../services/collections/model.ts';
import { contextOf } from '../account.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { table } from '../output.ts';

export function addCollectionCommands(program: Command, cli: Cli): void {
  const group = program.command('collection').description('the collections of an account');
  group
    .command('list')
    .description('List the collections of an account by name, with the ids that import and export ask for.')
    .option('--account <id>', 'the account that owns them, acc_... (default: the only one)')
    .addHelpText('after', examples('collection list', 'collection list --account acc_... --json'))
    .action((options: AccountOptions) => list(cli, options));
  group
    .command('merge <from> <into>')
    .description('Move all transactions of a collection, up to 10,000, to another, and delete it.')
    .option('--account <id>', 'the account that owns both, acc_... (default: the only one)')
    .addHelpText('after', examples('collection merge col_... col_...'))
    .action((from: string, into: string, options: AccountOptions) => merge(cli, from, into, options));
}

interface AccountOptions {
  account?: string;
}

async function merge(cli: Cli, from: string, into: string, { account }: AccountOptions): Promise<void> {
  const { mergeCollections } = await import('../../services/transactions/move.ts');
  const merged = await cli.withDatabase(async (db) =>
    mergeCollections(await contextOf(cli, db, account), { fromCollectionId: from, intoCollectionId: into }),
  );
  cli.output.result(merged, `Moved ${merged.movedCount} transactions to ${into}, and deleted ${from}.`);
}

async function list(cli: Cli, { account }: AccountOptions): Promise<void> {
  const { collectionOrder, listCollections } = await import('../../services/collections/list.ts');
  const order = collectionOrder('Alphabetical');
  const collections = await cli.withDatabase(async (db) => {
    const ctx = await contextOf(cli, db, account);
    const all: Collection[] = [];
    for (let hasNextPage = true; hasNextPage; ) {
      const request = { kind: 'position', position: all.length, size: LIMITS.pageSize } as const;
      const page = await listCollections(ctx, order, request);
      all.push(...page.items);
      ({ hasNextPage } = page);
    }
    return all.map(({ id, name, quantity }) => ({ collectionId: id, name, quantity }));
  });
  const rows = collections.map(({ collectionId, name, quantity }) => [collectionId, name, String(quantity)]);
  cli.output.result(collections, table(['collection', 'name', 'cards'], rows, ['cards']));
  if (collections.length === 0) cli.output.note('There are no collections.');
}
