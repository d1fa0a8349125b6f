import { pino } from 'pino';
import { type ClientOptions, createClient } from '../../../packages/client/src/index.ts';
import { createApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config.ts';
import type { OpenDatabase } from '../../../src/db/client.ts';
import { createClient as createCredentials } from '../../../src/services/clients/create.ts';
import { newAccount } from '../../harness.ts';

export const URL_OF_SERVICE = 'http://cardledger.test';

/** A request on its way; gives what the client gets. */
export type Network = (request: Request, deliver: () => Promise<Response>) => Promise<Response>;

/** An account, and clients of it whose network a test has in its hands. */
export async function startService(db: OpenDatabase, { now = () => new Date() } = {}) {
  const app = createApp({
    config: { ...loadConfig({}), rateLimitPerMinute: 0, tokenLimitPerMinute: 0, demo: false },
    db,
    now,
    elapsed: () => now().getTime(),
    logger: pino({ level: 'silent' }),
    subscriptions: { pingMillis: 200, checkMillis: 100 },
  });
  const ctx = await newAccount(db);
  const { clientId, clientSecret } = await createCredentials(db, {
    accountId: ctx.caller.accountId,
    name: 'Test',
    now: now(),
  });
  const clientBy = (network: Network, options: Partial<ClientOptions> = {}) =>
    createClient({
      url: URL_OF_SERVICE,
      clientId,
      clientSecret,
      ...options,
      fetch: (input, init) => {
        const request = new Request(input as string, init);
        return network(request, async () => app.fetch(request.clone()));
      },
    } as ClientOptions);
  return {
    ctx: { ...ctx, caller: { ...ctx.caller, clientId } },
    clientBy,
    client: clientBy((_, deliver) => deliver()),
  };
}

/** Whether a request is for this path. */
export const isFor = (request: Request, path: string) => new URL(request.url).pathname === path;
