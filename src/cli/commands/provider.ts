import type { Command } from 'commander';
import type { Database } from '../../db/client.ts';
import { DEFAULT_SCOPE, READ_SCOPE } from '../../domain/accounts.ts';
import { parseNetworks } from '../../lib/networks.ts';
import { CliError } from '../../server/errors.ts';
import type { Context } from '../../services/context.ts';
import type { IdentityProvider } from '../../services/identity-providers/model.ts';
import { contextOf } from '../account.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { fields } from '../output.ts';

export function addProviderCommands(program: Command, cli: Cli): void {
  const group = program
    .command('provider')
    .description('identity providers, which sign the users of a platform in');
  group
    .command('set')
    .description(
      'Name the identity provider of a platform. Its access tokens are good from then on, each for the account below the platform whose external id is the subject of the token.',
    )
    .argument('<account>', 'the id of the platform, acc_...')
    .requiredOption('--issuer <url>', 'the issuer of the tokens, exactly as their "iss" has it')
    .requiredOption('--audience <text>', 'what the tokens have as their audience ("aud")')
    .option('--creates-accounts', 'give a user who is seen for the first time an account')
    .option('--default-scope <value>', `scope of tokens that may do everything (default ${DEFAULT_SCOPE})`)
    .option('--read-scope <value>', `scope of tokens that may read (default ${READ_SCOPE})`)
    .addHelpText(
      'after',
      examples('provider set acc_... --issuer https://login.example --audience https://cards.example'),
    )
    .action((account: string, options: SetOptions) => set(cli, account, options));
  group
    .command('show')
    .description('Show the identity provider of a platform.')
    .argument('<account>', 'the id of the platform, acc_...')
    .addHelpText('after', examples('provider show acc_...'))
    .action((account: string) => show(cli, account));
  group
    .command('remove')
    .description(
      'Take the identity provider of a platform away. Its tokens end within 60 seconds; the accounts of its users stay.',
    )
    .argument('<account>', 'the id of the platform, acc_...')
    .addHelpText('after', examples('provider remove acc_...'))
    .action((account: string) => remove(cli, account));
}

interface SetOptions {
  issuer: string;
  audience: string;
  createsAccounts?: true;
  defaultScope?: string;
  readScope?: string;
}

async function set(cli: Cli, account: string, options: SetOptions): Promise<void> {
  const { setIdentityProvider } = await import('../../services/identity-providers/set.ts');
  const input = { ...options, createsAccounts: options.createsAccounts ?? false };
  const outboundNetworks = parseNetworks((await cli.config()).outboundNetworks);
  const provider = await cli.withDatabase(async (db) =>
    setIdentityProvider({ ...(await platformOf(cli, db, account)), outboundNetworks }, input),
  );
  showProvider(cli, provider);
}

async function show(cli: Cli, account: string): Promise<void> {
  const { getIdentityProvider } = await import('../../services/identity-providers/get.ts');
  showProvider(
    cli,
    await cli.withDatabase(async (db) => getIdentityProvider(await platformOf(cli, db, account))),
  );
}

async function remove(cli: Cli, account: string): Promise<void> {
  const { deleteIdentityProvider } = await import('../../services/identity-providers/delete.ts');
  const { issuer } = await cli.withDatabase(async (db) =>
    deleteIdentityProvider(await platformOf(cli, db, account)),
  );
  cli.output.result({ issuer, removed: true }, `Removed ${issuer}. Its tokens end within 60 seconds.`);
}

/** Throws where there may be no accounts below it. */
async function platformOf(cli: Cli, db: Database, account: string): Promise<Context> {
  const ctx = await contextOf(cli, db, account);
  const { getAccount } = await import('../../services/accounts/get.ts');
  const { maxAccounts, accountCount } = await getAccount(ctx);
  if (maxAccounts + accountCount === 0) {
    const message = `The account may have no accounts below it: cardledger account set-limits ${account} --accounts N`;
    throw new CliError('InvalidUsage', message);
  }
  return { ...ctx, caller: { ...ctx.caller, scope: 'platform' } };
}

function showProvider(cli: Cli, { revision: _, ...provider }: IdentityProvider): void {
  const { issuer, audience, createsAccounts, defaultScope, readScope } = provider;
  cli.output.result(
    provider,
    fields({
      Issuer: issuer,
      Audience: audience,
      'New users': createsAccounts ? 'are given an account' : 'are refused',
      'Scope default': defaultScope,
      'Scope read': readScope,
    }),
  );
}
