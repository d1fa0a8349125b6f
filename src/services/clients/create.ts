import { eq } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { account, client } from '../../db/tables/index.ts';
import { accountUuid, newClientId, newClientSecret, secretDigest } from '../../domain/credentials.ts';
import { notFound } from '../../domain/errors.ts';
import { CollectionName, parseInput } from '../../domain/inputs.ts';

export interface ClientCredentials {
  clientId: string;
  /** To be shown once: only its digest is stored. */
  clientSecret: string;
}

/** A new client of an account (`acc_<uuid>`, or the uuid alone). Throws `NotFound` and `ValidationFailed`. */
export async function createClient(
  db: Database,
  input: { accountId: string; name: string; now: Date },
): Promise<ClientCredentials> {
  const name = parseInput(CollectionName, input.name, ['name']);
  const accountId = accountUuid(input.accountId);
  if (!accountId) throw notFound('account');
  const accounts = await db.orm
    .select({ accountId: account.accountId })
    .from(account)
    .where(eq(account.accountId, accountId));
  if (accounts.length === 0) throw notFound('account');
  const clientId = newClientId();
  const clientSecret = newClientSecret();
  await db.orm.insert(client).values({
    id: clientId,
    accountId,
    name,
    secretDigest: secretDigest(clientSecret),
    createdAt: input.now,
  });
  return { clientId, clientSecret };
}
