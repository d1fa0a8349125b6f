import type { Command } from 'commander';
import { LIMITS } from '../../domain/limits.ts';
import { WEBHOOK_EVENTS } from '../../domain/webhooks.ts';
import { parseNetworks } from '../../lib/networks.ts';
import { orSee } from '../../server/errors.ts';
import type { Context } from '../../services/context.ts';
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '../../services/webhooks/model.ts';
import { contextOf } from '../account.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { fields, minuteOf, table } from '../output.ts';

const LIST_WEBHOOKS = 'cardledger webhook list';
const ACCOUNT = ['--account <account>', 'its account, acc_...; needed where there are several'] as const;
const EVENTS = ['--events <types...>', `what it is told of: ${WEBHOOK_EVENTS.join(', ')}`] as const;
const ID = ['<webhook>', 'its id, whk_...'] as const;

interface AccountOption {
  account?: string;
}

export function addWebhookCommands(program: Command, cli: Cli): void {
  const group = program.command('webhook').description('webhooks: addresses that are told of what happens');
  group
    .command('create')
    .description('Make a webhook, which is told of what happens from now on. Its secret is shown this once.')
    .argument('<url>', 'where messages are sent: it begins with https://')
    .option(...ACCOUNT)
    .option(...EVENTS)
    .option('--all-accounts', 'tell it of all accounts below its own, too')
    .addHelpText(
      'after',
      examples(
        'webhook create https://app.example/webhooks --account acc_...',
        'webhook create https://app.example/webhooks --all-accounts --events collection.changed account.deleted',
      ),
    )
    .action((url: string, options: CreateOptions) => create(cli, url, options));
  group
    .command('list')
    .description('List the webhooks of an account, newest first. Secrets cannot be shown.')
    .option(...ACCOUNT)
    .addHelpText('after', examples('webhook list', 'webhook list --account acc_... --json'))
    .action((options: AccountOption) => list(cli, options));
  group
    .command('update')
    .description('Change the address or the events of a webhook, or switch it off or on.')
    .argument(...ID)
    .option(...ACCOUNT)
    .option('--url <url>', 'where messages are sent')
    .option(...EVENTS)
    .option('--on', 'tell it of what happens from now on')
    .option('--off', 'send it nothing')
    .addHelpText(
      'after',
      examples('webhook update whk_... --on', 'webhook update whk_... --url https://app.example/new'),
    )
    .action((id: string, options: UpdateOptions) => update(cli, id, options));
  group
    .command('delete')
    .description('Delete a webhook: nothing is sent to it any more.')
    .argument(...ID)
    .option(...ACCOUNT)
    .addHelpText('after', examples('webhook delete whk_...'))
    .action((id: string, options: AccountOption) => remove(cli, id, options));
  group
    .command('rotate')
    .description('Give a webhook a new secret. For a day messages are signed by both.')
    .argument(...ID)
    .option(...ACCOUNT)
    .addHelpText('after', examples('webhook rotate whk_...'))
    .action((id: string, options: AccountOption) => rotate(cli, id, options));
  group
    .command('test')
    .description('Have a service that runs send a message of the type webhook.test.')
    .argument(...ID)
    .option(...ACCOUNT)
    .addHelpText('after', examples('webhook test whk_...'))
    .action((id: string, options: AccountOption) => test(cli, id, options));
  group
    .command('deliveries')
    .description('List the last 200 messages to a webhook, newest first, with what became of them.')
    .argument(...ID)
    .option(...ACCOUNT)
    .addHelpText('after', examples('webhook deliveries whk_...'))
    .action((id: string, options: AccountOption) => deliveries(cli, id, options));
  group
    .command('send')
    .description('Have a service that runs send a message again.')
    .argument(...ID)
    .argument('<message>', 'its id, msg_...')
    .option(...ACCOUNT)
    .addHelpText('after', examples('webhook send whk_... msg_...'))
    .action((id: string, message: string, options: AccountOption) => send(cli, id, message, options));
}

/** With what a platform's token may do, and the networks of the settings. */
async function withAccount<T>(
  cli: Cli,
  { account }: AccountOption,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  const { outboundNetworks } = await cli.config();
  return cli.withDatabase(async (db) => {
    const ctx = await contextOf(cli, db, account);
    return work({
      ...ctx,
      caller: { ...ctx.caller, scope: 'platform' },
      outboundNetworks: parseNetworks(outboundNetworks),
    });
  });
}

interface CreateOptions extends AccountOption {
  events?: string[];
  allAccounts?: boolean;
}

async function create(
  cli: Cli,
  url: string,
  { events, allAccounts, ...options }: CreateOptions,
): Promise<void> {
  const { createWebhook } = await import('../../services/webhooks/create.ts');
  const input = { url, ...(events && { events }), ...(allAccounts && { allAccounts }) };
  showSecret(cli, await withAccount(cli, options, (ctx) => createWebhook(ctx, input)));
}

async function rotate(cli: Cli, id: string, options: AccountOption): Promise<void> {
  const { rotateWebhookSecret } = await import('../../services/webhooks/rotate-secret.ts');
  showSecret(
    cli,
    await withAccount(cli, options, (ctx) => orSee(LIST_WEBHOOKS, rotateWebhookSecret(ctx, id))),
  );
}

function showSecret(cli: Cli, { webhook: { id, url }, secret }: WebhookWithSecret): void {
  cli.output.result({ webhookId: id, url, secret }, fields({ Webhook: id, Address: url, Secret: secret }));
  cli.output.note('Keep the secret now: it cannot be shown again.');
}

async function list(cli: Cli, options: AccountOption): Promise<void> {
  const { listWebhooks } = await import('../../services/webhooks/list.ts');
  const { pageByPosition } = await import('../../domain/pagination.ts');
  const { items } = await withAccount(cli, options, (ctx) => listWebhooks(ctx, pageByPosition({})));
  if (items.length === 0) cli.output.note('There are no webhooks. Make one: cardledger webhook create URL');
  cli.output.result(
    items.map(forPrograms),
    table(
      ['webhook', 'address', 'events', 'all accounts', 'status', 'reason'],
      items.map(({ id, url, events, allAccounts, status, disabledReason }) => [
        ...[id, url, events.join(' '), allAccounts ? 'yes' : 'no', status, disabledReason ?? '-'],
      ]),
    ),
  );
}

function forPrograms({ id, revision: _, ...webhook }: Webhook) {
  return { webhookId: id, ...webhook };
}

interface UpdateOptions extends AccountOption {
  url?: string;
  events?: string[];
  on?: boolean;
  off?: boolean;
}

async function update(
  cli: Cli,
  id: string,
  { url, events, on, off, ...options }: UpdateOptions,
): Promise<void> {
  const { updateWebhook } = await import('../../services/webhooks/update.ts');
  const status = on ? 'Active' : off ? 'Disabled' : undefined;
  const webhook = await withAccount(cli, options, (ctx) =>
    orSee(LIST_WEBHOOKS, updateWebhook(ctx, id, { url, events, status })),
  );
  const { url: address, events: types } = webhook;
  cli.output.result(
    forPrograms(webhook),
    fields({ Webhook: id, Address: address, Events: types.join(' '), Status: webhook.status }),
  );
}

async function remove(cli: Cli, id: string, options: AccountOption): Promise<void> {
  const { deleteWebhook } = await import('../../services/webhooks/delete.ts');
  await withAccount(cli, options, (ctx) => orSee(LIST_WEBHOOKS, deleteWebhook(ctx, id)));
  cli.output.result({ webhookId: id, deleted: true }, `Deleted ${id}.`);
}

async function test(cli: Cli, id: string, options: AccountOption): Promise<void> {
  const { testWebhook } = await import('../../services/webhooks/deliveries.ts');
  show(
    cli,
    id,
    options,
    await withAccount(cli, options, (ctx) => orSee(LIST_WEBHOOKS, testWebhook(ctx, id))),
  );
}

async function send(cli: Cli, id: string, message: string, options: AccountOption): Promise<void> {
  const { resendWebhookDelivery } = await import('../../services/webhooks/deliveries.ts');
  const again = (ctx: Context) => resendWebhookDelivery(ctx, id, message);
  show(cli, id, options, await withAccount(cli, options, (ctx) => orSee(LIST_WEBHOOKS, again(ctx))));
}

function show(
  cli: Cli,
  webhookId: string,
  { account }: AccountOption,
  { id, type, status }: WebhookDelivery,
): void {
  cli.output.result(
    { webhookId, deliveryId: id, type, status },
    fields({ Message: id, Type: type, Status: status }),
  );
  const of = account === undefined ? '' : ` --account ${account}`;
  cli.output.note(`What becomes of it: cardledger webhook deliveries ${webhookId}${of}`);
}

async function deliveries(cli: Cli, id: string, options: AccountOption): Promise<void> {
  const { listWebhookDeliveries } = await import('../../services/webhooks/deliveries.ts');
  const { pageByPosition } = await import('../../domain/pagination.ts');
  const request = pageByPosition({ pageSize: String(LIMITS.pageSize) });
  const { items } = await withAccount(cli, options, (ctx) =>
    orSee(LIST_WEBHOOKS, listWebhookDeliveries(ctx, id, request)),
  );
  if (items.length === 0) cli.output.note('Nothing was sent to it that is kept.');
  cli.output.result(
    items.map(({ id: deliveryId, ...delivery }) => ({ deliveryId, ...delivery })),
    table(
      ['message', 'type', 'occurred', 'status', 'attempts', 'answer', 'error'],
      items.map(({ id: deliveryId, type, occurredAt, status, attempts, responseStatus, error }) => [
        ...[deliveryId, type, minuteOf(new Date(occurredAt)), status, String(attempts)],
        ...[String(responseStatus ?? '-'), error ?? '-'],
      ]),
      ['attempts', 'answer'],
    ),
  );
}
