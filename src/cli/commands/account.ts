import { type Command, InvalidArgumentError } from 'commander';
import { accountIdOf } from '../../domain/credentials.ts';
import { DomainError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { CliError, orSee } from '../../server/errors.ts';
import type { AccountSummary } from '../../services/accounts/list.ts';
import type { Progress } from '../../services/market/progress.ts';
import { assertCatalogue, contextOf } from '../account.ts';
import type { Cli } from '../cli.ts';
import { writeFile, writeTo } from '../files.ts';
import { examples } from '../help.ts';
import { assertReadable } from '../import-kinds.ts';
import { counted, fields, minuteOf, table } from '../output.ts';

export function addAccountCommands(program: Command, cli: Cli): void {
  const group = program
    .command('account')
    .description('accounts, which own clients, collections, preferences and limits');
  group
    .command('create')
    .description('Make an account, with USD as its currency and the default limits.')
    .argument('<name>', 'what to call it: 1 to 100 characters')
    .addHelpText(
      'after',
      examples('account create "Card shop"', [
        'client create acc_... "Web shop"',
        'then make credentials for it',
      ]),
    )
    .action((name: string) => create(cli, name));
  group
    .command('list')
    .description('List all accounts, oldest first, with their limits and what they use of them.')
    .addHelpText('after', examples('account list', 'account list --json'))
    .action(() => list(cli));
  group
    .command('set-limits')
    .description(
      'Change how many collections, transactions and accounts below it an account may have. It takes effect at once; what an account has already stays.',
    )
    .argument('<account>', 'its id, acc_...')
    .option('--collections <number>', 'collections, 0 to 1000000', wholeNumber(LIMITS.maxCollections))
    .option(
      '--valued-collections <number>',
      'collections that count for the dashboard, 0 to 1000000',
      wholeNumber(LIMITS.maxCollections),
    )
    .option(
      '--transactions <number>',
      'transactions of all collections, 0 to 1000000000',
      wholeNumber(LIMITS.maxTransactions),
    )
    .option(
      '--accounts <number>',
      'accounts below it, 0 to 100000000; with more than 0 it is a platform, whose app keeps one for each of its users',
      wholeNumber(LIMITS.maxAccounts),
    )
    .addHelpText(
      'after',
      examples(
        'account set-limits acc_... --collections 500',
        'account set-limits acc_... --transactions 5000000',
        'account set-limits acc_... --collections 500 --valued-collections 50',
        'account set-limits acc_... --accounts 10000',
      ),
    )
    .action((account: string, limits: LimitOptions) => setAccountLimits(cli, account, limits));
  group
    .command('export')
    .description(
      'Write all that an account has, as it is at one moment, as a .tar.gz of JSON and CSV that import takes in again.',
    )
    .argument('<account>', 'its id, acc_...')
    .option('--output <file>', 'where to write; without it, to standard output')
    .addHelpText(
      'after',
      examples('account export acc_... --output ada.tar.gz', 'account export acc_... > ada.tar.gz'),
    )
    .action((account: string, { output }: { output?: string }) => exportTo(cli, account, output));
  group
    .command('import')
    .description(
      'Take in what export wrote, all or nothing, into an account that has no collections and price alerts. Ids are new; limits hold.',
    )
    .argument('<account>', 'its id, acc_...')
    .argument('<file>', 'the .tar.gz')
    .addHelpText('after', examples('account import acc_... ada.tar.gz'))
    .action((account: string, file: string) => importFrom(cli, account, file));
}

async function exportTo(cli: Cli, account: string, output: string | undefined): Promise<void> {
  if (output === undefined && cli.output.isJson)
    throw new CliError('InvalidUsage', 'With --json, name the file to write: --output FILE.');
  const { exportAccountTo } = await import('../../services/accounts/export.ts');
  await cli.withDatabase(async (db) => {
    const ctx = await contextOf(cli, db, account);
    const id = accountIdOf(ctx.caller.accountId);
    if (output === undefined) return exportAccountTo(ctx, id, (archive) => writeTo(cli.io.stdout, archive));
    await onTerminal(cli, (progress) =>
      exportAccountTo(ctx, id, (archive) => writeFile(output, archive), progress),
    );
    cli.output.result({ accountId: id, file: output }, '');
    cli.output.note(`Wrote the account to ${output}.`);
  });
}

/** Shows how far it is to who looks on. */
function onTerminal<T>(cli: Cli, work: (progress: Progress) => Promise<T>): Promise<T> {
  return cli.io.stderr.isTTY ? cli.withProgress(work) : work(() => {});
}

async function importFrom(cli: Cli, account: string, file: string): Promise<void> {
  await assertReadable(file);
  const { importAccount } = await import('../../services/accounts/import.ts');
  await cli.withDatabase(async (db) => {
    await assertCatalogue(db);
    const ctx = await contextOf(cli, db, account);
    const accountId = accountIdOf(ctx.caller.accountId);
    const imported = await onTerminal(cli, (progress) =>
      importAccount(ctx, accountId, file, progress).catch((error) => {
        if (!(error instanceof DomainError) || error.problem !== 'ValidationFailed') throw error;
        throw new CliError('InvalidFile', `${file}: ${error.message}`, { cause: error });
      }),
    );
    const { collectionCount, transactionCount, priceAlertCount } = imported;
    cli.output.result({ accountId, ...imported }, '');
    const counts = [
      counted(collectionCount, 'collection'),
      counted(transactionCount, 'transaction'),
      counted(priceAlertCount, 'price alert'),
    ];
    cli.output.note(`Took in ${counts.join(', ')}.`);
  });
}

interface LimitOptions {
  collections?: number;
  valuedCollections?: number;
  transactions?: number;
  accounts?: number;
}

async function create(cli: Cli, name: string): Promise<void> {
  const { createAccount } = await import('../../services/accounts/create.ts');
  const { accountId } = await cli.withDatabase((db) => createAccount(db, { name, now: cli.io.now() }));
  const id = `acc_${accountId}`;
  cli.output.result({ accountId: id, name: name.trim() }, fields({ Account: id, Name: name.trim() }));
  cli.output.note(`Next, credentials for it: cardledger client create ${id} "NAME"`);
}

async function list(cli: Cli): Promise<void> {
  const { listAccounts } = await import('../../services/accounts/list.ts');
  const accounts = (await cli.withDatabase(listAccounts)).map(withPrefix);
  if (accounts.length === 0)
    cli.output.note('There are no accounts. Make one: cardledger account create NAME');
  cli.output.result(
    accounts,
    table(
      [
        ...['account', 'name', 'collections', 'limit', 'valued', 'limit', 'transactions', 'limit'],
        ...['accounts', 'limit', 'created'],
      ],
      accounts.map((account) => [
        account.accountId,
        account.name,
        String(account.collectionCount),
        String(account.maxCollections),
        String(account.valuedCollectionCount),
        String(account.maxValuedCollections),
        String(account.transactionCount),
        String(account.maxTransactions),
        String(account.accountCount),
        String(account.maxAccounts),
        minuteOf(account.createdAt),
      ]),
      ['collections', 'limit', 'valued', 'transactions', 'accounts'],
    ),
  );
}

async function setAccountLimits(cli: Cli, accountId: string, options: LimitOptions): Promise<void> {
  if (Object.keys(options).length === 0) {
    const message = 'Give --collections, --valued-collections, --transactions or --accounts.';
    throw new CliError('InvalidUsage', message);
  }
  const { setLimits } = await import('../../services/accounts/set-limits.ts');
  const { id, maxCollections, maxValuedCollections, maxTransactions, maxAccounts } = await cli.withDatabase(
    (db) => {
      const limits = {
        maxCollections: options.collections,
        maxValuedCollections: options.valuedCollections,
        maxTransactions: options.transactions,
        maxAccounts: options.accounts,
      };
      return orSee('cardledger account list', setLimits(db, { accountId, ...limits }));
    },
  );
  cli.output.result(
    { accountId: `acc_${id}`, maxCollections, maxValuedCollections, maxTransactions, maxAccounts },
    fields({
      Account: `acc_${id}`,
      Collections: `at most ${maxCollections}`,
      Valued: `at most ${maxValuedCollections}`,
      Transactions: `at most ${maxTransactions}`,
      'Accounts below': `at most ${maxAccounts}`,
    }),
  );
}

function withPrefix(account: AccountSummary): AccountSummary {
  return { ...account, accountId: `acc_${account.accountId}` };
}

const wholeNumber = (most: number) => (text: string) => {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${most}.`);
};
