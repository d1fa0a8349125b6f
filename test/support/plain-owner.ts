import { sqlState } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';

const OWNER = 'cardledger_owner';
const DUPLICATE = new Set(['42710', '42P04', '23505']);

/**
 * The address of a database on the server as its owner, who is as docs/operations.md asks for: no superuser, since
 * row-level security is nothing to one. May make further databases, and fill them quickly.
 * @param superuserUrl the same server as a superuser
 */
export async function plainOwnerUrl(superuserUrl: string): Promise<string> {
  const url = Object.assign(new URL(superuserUrl), { username: OWNER, pathname: OWNER });
  const admin = postgresDatabase(superuserUrl);
  const unlessThere = async (statement: string) => {
    await admin.query(statement).catch((error) => {
      if (!DUPLICATE.has(sqlState(error))) throw error;
    });
  };
  try {
    // Whoever knows the superuser's password may log in as this one.
    const password = decodeURIComponent(url.password).replaceAll("'", "''");
    await unlessThere(`create role ${OWNER}`);
    await admin.query(
      `alter role ${OWNER} login createrole createdb ${password ? `password '${password}'` : ''}`,
    );
    // Large amounts are written and deleted without a look-up of each reference.
    await admin.query(`grant set on parameter session_replication_role to ${OWNER}`);
    await unlessThere(`create database ${OWNER} owner ${OWNER}`);
  } finally {
    await admin.close();
  }
  return url.href;
}
