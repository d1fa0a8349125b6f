import { type Command, InvalidArgumentError } from 'commander';
import { LIMITS } from '../../domain/limits.ts';
import { CliError, orSee } from '../../server/errors.ts';
import type { AccountSummary } from '../../services/accounts/list.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { fields, minuteOf, table } from '../output.ts';

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
