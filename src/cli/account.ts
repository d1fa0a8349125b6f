import type { Database } from '../db/client.ts';
import { accountUuid } from '../domain/credentials.ts';
import { DomainError } from '../domain/errors.ts';
import { CliError } from '../server/errors.ts';
import type { Context } from '../services/context.ts';
import type { Cli } from './cli.ts';

/** The account that is named, or the only one. */
export async function contextOf(cli: Cli, db: Database, account: string | undefined): Promise<Context> {
  const { listAccounts } = await import('../services/accounts/list.ts');
  const accounts = await listAccounts(db);
  const found =
    account === undefined ? accounts : accounts.filter(({ accountId }) => accountId === accountUuid(account));
  const advice = '"cardledger account list" shows those that exist.';
  if (found.length > 1) {
    throw new CliError(
      'InvalidUsage',
      `There are ${found.length} accounts: name one with --account. ${advice}`,
    );
  }
  if (found.length === 0) throw new DomainError('NotFound', `The account does not exist. ${advice}`);
  return { db, caller: { accountId: found[0]!.accountId, clientId: 'command line' }, now: cli.io.now };
}
