import type { Database } from '../../db/client.ts';
import { INSERT_CLIENT } from '../../db/queries/auth.ts';
import { accountUuid, newClientId, newClientSecret, secretDigest } from '../../domain/credentials.ts';
import { notFound } from '../../domain/errors.ts';
import { Name } from '../../domain/inputs.ts';
import { parseInput } from '../../domain/parse-input.ts';

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
  const name = parseInput(Name, input.name, ['name']);
  const accountId = accountUuid(input.accountId);
  if (!accountId) throw notFound('account');
  const clientId = newClientId();
  const clientSecret = newClientSecret();
  const params = [clientId, accountId, name, secretDigest(clientSecret), input.now.toISOString()];
  if ((await db.query(INSERT_CLIENT, params)).length === 0) throw notFound('account');
  return { clientId, clientSecret };
}
