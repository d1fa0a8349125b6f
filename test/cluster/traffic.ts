import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Tally } from './client.ts';
import { type Outcome, Shop } from './shop.ts';

/** What the clients of some accounts do all the time: they change collections, read, and follow. */
export interface Traffic {
  /** What was counted since the last call. */
  takeTally(): Tally;
  /** Ends it, and gives the sums over all accounts. */
  settle(): Promise<Outcome>;
}

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

export async function startTraffic(url: string, accounts: readonly Credentials[]): Promise<Traffic> {
  const client = new Client(url);
  const shops = await Promise.all(
    accounts.map(async (account) => Shop.open(client, await tokenOf(url, account))),
  );
  return {
    takeTally: () => client.takeTally(),
    async settle() {
      const outcomes = await Promise.all(shops.map((shop) => shop.settle()));
      const sum = { ...outcomes[0]! };
      for (const outcome of outcomes.slice(1))
        for (const key of Object.keys(sum) as (keyof Outcome)[]) sum[key] += outcome[key];
      return sum;
    },
  };
}

async function tokenOf(url: string, { clientId, clientSecret }: Credentials): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'default',
  });
  for (;;) {
    const answer = await fetch(`${url}/oauth2/token`, { method: 'POST', body });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text).access_token;
    if (answer.status !== 503) throw new Error(`no token: ${answer.status} ${text}`);
    await sleep(1000 * Number(answer.headers.get('Retry-After') ?? 1));
  }
}
