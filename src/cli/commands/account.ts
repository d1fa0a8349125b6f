import { type Command, InvalidArgumentError } from 'commander';
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
      'Change how many collections an account may have. It holds at once; what an account has already stays.',
    )
    .argument('<account>', 'its id, acc_...')
    .option('--collections <number>', 'collections, 0 to 1000000', wholeNumber)
    .option('--valued-collections <number>', 'collections that count in the dashboard', wholeNumber)
    .addHelpText(
      'after',
      examples(
        'account set-limits acc_... --collections 500',
        'account set-limits acc_... --collections 500 --valued-collections 50',
      ),
    )
    .action((account: string, limits: LimitOptions) => setAccountLimits(cli, account, limits));
}

interface LimitOptions {
  collections?: number;
  valuedCollections?: number;
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
      ['account', 'name', 'collections', 'limit', 'valued', 'limit', 'created'],
      accounts.map((account) => [
        account.accountId,
        account.name,
        String(account.collectionCount),
        String(account.maxCollections),
        String(account.valuedCollectionCount),
        String(account.maxValuedCollections),
        minuteOf(account.createdAt),
      ]),
      ['collections', 'limit', 'valued'],
    ),
  );
}

async function setAccountLimits(cli: Cli, accountId: string, options: LimitOptions): Promise<void> {
  if (options.collections === undefined && options.valuedCollections === undefined) {
    throw new CliError('InvalidUsage', 'Give --collections, --valued-collections or both.');
  }
  const { setLimits } = await import('../../services/accounts/set-limits.ts');
  const { listAccounts } = await import('../../services/accounts/list.ts');
  const account = await cli.withDatabase(async (db) => {
    const limits = { maxCollections: options.collections, maxValuedCollections: options.valuedCollections };
    await orSee('cardledger account list', setLimits(db, { accountId, ...limits }));
    return (await listAccounts(db)).map(withPrefix).find(({ accountId: id }) => id.endsWith(accountId))!;
  });
  const { maxCollections, maxValuedCollections } = account;
  cli.output.result(
    { accountId: account.accountId, maxCollections, maxValuedCollections },
    fields({
      Account: account.accountId,
      Collections: `at most ${maxCollections}`,
      Valued: `at most ${maxValuedCollections}`,
    }),
  );
}

function withPrefix(account: AccountSummary): AccountSummary {
  return { ...account, accountId: `acc_${account.accountId}` };
}

const MAX_LIMIT = 1_000_000;

function wholeNumber(text: string): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= MAX_LIMIT) return value;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${MAX_LIMIT}.`);
}
