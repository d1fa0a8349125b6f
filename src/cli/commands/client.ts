import type { Command } from 'commander';
import { orSee } from '../../server/errors.ts';
import type { ClientCredentials } from '../../services/clients/create.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { fields, minuteOf, table } from '../output.ts';

const LIST_CLIENTS = 'cardledger client list';

export function addClientCommands(program: Command, cli: Cli): void {
  const group = program
    .command('client')
    .description('clients: the ids and secrets with which programs get their tokens');
  group
    .command('create')
    .description('Make a client of an account. Its secret is shown this once: only a digest is stored.')
    .argument('<account>', 'the id of the account, acc_...')
    .argument('<name>', 'what to call the client: 1 to 100 characters')
    .addHelpText(
      'after',
      examples('client create acc_... "Web shop"', [
        'client create acc_... "Web shop" --json > client.json',
        'for a program: {"clientId","clientSecret"}',
      ]),
    )
    .action((account: string, name: string) => create(cli, account, name));
  group
    .command('rotate')
    .description(
      'Give a client a new secret. The old one ends at once; tokens that it got stay good until they expire, within an hour.',
    )
    .argument('<client>', 'its id, cli_...')
    .addHelpText('after', examples('client rotate cli_...'))
    .action((clientId: string) => rotate(cli, clientId));
  group
    .command('revoke')
    .description(
      'Revoke a client for good. It gets no more tokens; those that it has end within 60 seconds on every node.',
    )
    .argument('<client>', 'its id, cli_...')
    .addHelpText('after', examples('client revoke cli_...'))
    .action((clientId: string) => revoke(cli, clientId));
  group
    .command('list')
    .description('List all clients, or those of one account, oldest first. Secrets cannot be shown.')
    .argument('[account]', 'the id of an account, acc_...')
    .addHelpText('after', examples('client list', 'client list acc_... --json'))
    .action((account: string | undefined) => list(cli, account));
}

async function create(cli: Cli, accountId: string, name: string): Promise<void> {
  const { createClient } = await import('../../services/clients/create.ts');
  const credentials = await cli.withDatabase((db) =>
    orSee('cardledger account list', createClient(db, { accountId, name, now: cli.io.now() })),
  );
  showSecret(cli, credentials);
}

async function rotate(cli: Cli, clientId: string): Promise<void> {
  const { rotateClient } = await import('../../services/clients/rotate.ts');
  showSecret(cli, await cli.withDatabase((db) => orSee(LIST_CLIENTS, rotateClient(db, { clientId }))));
}

function showSecret(cli: Cli, { clientId, clientSecret }: ClientCredentials): void {
  cli.output.result({ clientId, clientSecret }, fields({ 'Client id': clientId, Secret: clientSecret }));
  cli.output.note('Keep the secret now: it is not stored and cannot be shown again.');
}

async function revoke(cli: Cli, clientId: string): Promise<void> {
  const { revokeClient } = await import('../../services/clients/revoke.ts');
  await cli.withDatabase((db) => orSee(LIST_CLIENTS, revokeClient(db, { clientId, now: cli.io.now() })));
  cli.output.result(
    { clientId, revoked: true },
    `Revoked ${clientId}. Tokens that it has end within 60 seconds.`,
  );
}

async function list(cli: Cli, accountId: string | undefined): Promise<void> {
  const { listClients } = await import('../../services/clients/list.ts');
  const found = await cli.withDatabase((db) =>
    orSee('cardledger account list', listClients(db, accountId === undefined ? {} : { accountId })),
  );
  const clients = found.map((client) => ({ ...client, accountId: `acc_${client.accountId}` }));
  if (clients.length === 0) {
    cli.output.note('There are no clients. Make one: cardledger client create ACCOUNT NAME');
  }
  cli.output.result(
    clients,
    table(
      ['client', 'name', 'account', 'created', 'revoked'],
      clients.map(({ clientId, name, accountId, createdAt, revokedAt }) => [
        clientId,
        name,
        accountId,
        minuteOf(createdAt),
        revokedAt === null ? '-' : minuteOf(revokedAt),
      ]),
    ),
  );
}
