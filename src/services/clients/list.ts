import type { Database } from '../../db/client.ts';
import { CLIENTS, type ClientRow } from '../../db/queries/auth.ts';
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
  const rows = await db.query<ClientRow>(CLIENTS, [accountId ?? null]);
  return rows.map(({ createdAt, revokedAt, ...row }) => ({
    ...row,
    createdAt: new Date(createdAt),
    revokedAt: revokedAt === null ? null : new Date(revokedAt),
  }));
}
