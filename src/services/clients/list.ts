import { asc, eq } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { client } from '../../db/tables/index.ts';
import { accountUuid } from '../../domain/credentials.ts';
import { notFound } from '../../domain/errors.ts';

export interface Client {
  clientId: string;
  /** uuid */
  accountId: string;
  name: string;
  createdAt: Date;
  /** null while the client may be used */
  revokedAt: Date | null;
}

/** All clients, or those of one account (`acc_<uuid>`, or the uuid alone), oldest first. */
export async function listClients(db: Database, filter: { accountId?: string } = {}): Promise<Client[]> {
  const accountId = filter.accountId === undefined ? undefined : accountUuid(filter.accountId);
  if (accountId === null) throw notFound('account');
  return db.orm
    .select({
      clientId: client.id,
      accountId: client.accountId,
      name: client.name,
      createdAt: client.createdAt,
      revokedAt: client.revokedAt,
    })
    .from(client)
    .where(accountId === undefined ? undefined : eq(client.accountId, accountId))
    .orderBy(asc(client.createdAt), asc(client.id));
}
