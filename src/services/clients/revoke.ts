import type { Database } from '../../db/client.ts';
import { REVOKE_CLIENT } from '../../db/queries/auth.ts';
import { isClientId } from '../../domain/credentials.ts';
import { notFound } from '../../domain/errors.ts';

/**
 * Revokes a client for good: it gets no token from now on, and the tokens that it has end within 60 seconds on every
 * node. Revoking it again changes nothing. Throws `NotFound`.
 */
export async function revokeClient(
  db: Database,
  { clientId, now }: { clientId: string; now: Date },
): Promise<void> {
  const rows = isClientId(clientId) ? await db.query(REVOKE_CLIENT, [clientId, now.toISOString()]) : [];
  if (rows.length === 0) throw notFound('client');
}
