import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { client } from '../../db/tables/index.ts';
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
  const rows = isClientId(clientId)
    ? await db.orm
        .update(client)
        .set({ revokedAt: sql`coalesce(${client.revokedAt}, ${now.toISOString()}::timestamptz)` })
        .where(eq(client.id, clientId))
        .returning({ id: client.id })
    : [];
  if (rows.length === 0) throw notFound('client');
}
