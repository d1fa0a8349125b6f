/** An account below another is suspended by its platform: nobody has access to it then, and nothing of it is lost. */
export const ACCOUNT_STATUSES = ['Active', 'Suspended'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** The values of a token's scope that a platform's identity provider is to give, where the platform names no others. */
export const DEFAULT_SCOPE = 'cardledger:default';
export const READ_SCOPE = 'cardledger:read';

/** What a token that a platform gives out may do: all of its account, or read it. */
export const ACCOUNT_TOKEN_SCOPES = ['default', 'read'] as const;
export type AccountTokenScope = (typeof ACCOUNT_TOKEN_SCOPES)[number];
