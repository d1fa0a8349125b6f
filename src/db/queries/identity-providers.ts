/** Statements on the identity providers of platforms. */

export interface IdentityProviderRow {
  /** uuid of the platform */
  platformId: string;
  issuer: string;
  audience: string;
  createsAccounts: boolean;
  defaultScope: string;
  readScope: string;
  revision: number;
}

const COLUMNS = `p.account_id as "platformId", p.issuer, p.audience, p.creates_accounts as "createsAccounts",
    p.default_scope as "defaultScope", p.read_scope as "readScope", p.revision`;

/** Of all platforms: what finds out whose a token is. */
export const IDENTITY_PROVIDERS = `select ${COLUMNS} from identity_provider p`;

/** $1 account. */
export const IDENTITY_PROVIDER = `${IDENTITY_PROVIDERS} where p.account_id = $1`;

/** $1 account, $2 issuer, $3 audience, $4 whether it creates accounts, $5 and $6 values of scope. */
export const SET_IDENTITY_PROVIDER = `
  insert into identity_provider as p (account_id, issuer, audience, creates_accounts, default_scope, read_scope)
  values ($1, $2, $3, $4::boolean, $5, $6)
  on conflict (account_id) do update set issuer = excluded.issuer, audience = excluded.audience,
    creates_accounts = excluded.creates_accounts, default_scope = excluded.default_scope, read_scope = excluded.read_scope,
    revision = p.revision + 1
  returning ${COLUMNS}`;

/** $1 account. */
export const DELETE_IDENTITY_PROVIDER = `delete from identity_provider p where p.account_id = $1 returning ${COLUMNS}`;
