import type { Database } from '../db/client.ts';
import { accountUuid } from '../domain/credentials.ts';
import { DomainError } from '../domain/errors.ts';
import { CliError } from '../server/errors.ts';
import type { Context } from '../services/context.ts';
import type { Cli } from './cli.ts';

/** The account that is named, which may be below another, or the only one. */
export async function contextOf(cli: Cli, db: Database, account: string | undefined): Promise<Context> {
  const accountId = account === undefined ? await onlyAccount(db) : accountUuid(account);
  if (accountId === null) throw noAccount();
  const ctx = { db, caller: { accountId, clientId: 'command line' }, now: cli.io.now };
  const { getAccount } = await import('../services/accounts/get.ts');
  await getAccount(ctx).catch((error) => {
    throw error instanceof DomainError && error.problem === 'Unauthorized' ? noAccount() : error;
  });
  return ctx;
}

const ADVICE = '"cardledger account list" shows those that exist.';

const noAccount = () => new DomainError('NotFound', `The account does not exist. ${ADVICE}`);

async function onlyAccount(db: Database): Promise<string | null> {
  const { listAccounts } = await import('../services/accounts/list.ts');
  const accounts = await listAccounts(db);
  if (accounts.length > 1) {
    throw new CliError(
      'InvalidUsage',
      `There are ${accounts.length} accounts: name one with --account. ${ADVICE}`,
    );
  }
  return accounts[0]?.accountId ?? null;
}

/** What is taken in names cards, which only a catalogue knows. */
export async function assertCatalogue(db: Database): Promise<void> {
  const { hasCatalogue } = await import('../services/market/state.ts');
  if (await hasCatalogue(db)) return;
  const { EMPTY_CATALOGUE } = await import('../services/market/import-matching.ts');
  throw new CliError('DatabaseNotReady', `Nothing is imported: ${EMPTY_CATALOGUE}.`);
}
