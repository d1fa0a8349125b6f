import type { Database } from '../../db/client.ts';
import { SET_CLIENT_SECRET } from '../../db/queries/auth.ts';
import { isClientId, newClientSecret, secretDigest } from '../../domain/credentials.ts';
import { DomainError } from '../../domain/errors.ts';
import type { ClientCredentials } from './create.ts';

/**
 * Gives a client a new secret. The old one gets no token from now on; tokens that it got stay good until they expire.
 * Throws `NotFound`, also for a client that has been revoked.
 */
export async function rotateClient(
  db: Database,
  { clientId }: { clientId: string },
): Promise<ClientCredentials> {
  const clientSecret = newClientSecret();
  const rows = isClientId(clientId)
    ? await db.query(SET_CLIENT_SECRET, [clientId, secretDigest(clientSecret)])
    : [];
  if (rows.length === 0) throw new DomainError('NotFound', 'The client does not exist or has been revoked.');
  return { clientId, clientSecret };
}
