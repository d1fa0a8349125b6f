/** Owns nothing, cannot log in, and passes no policy: whoever works as it sees the rows of one account. */
export const TENANT_ROLE = 'cardledger_tenant';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a transaction starts with, to see and change no rows but those of the account (a uuid). */
export function accountScope(accountId: string): string {
  return `set local role ${TENANT_ROLE}; ${settingOf(accountId)}`;
}

/** What within a transaction says whose rows are seen. */
export function settingOf(accountId: string): string {
  if (!UUID.test(accountId)) throw new Error('An account id is a uuid.');
  return `set local cardledger.account_id = '${accountId}'`;
}
