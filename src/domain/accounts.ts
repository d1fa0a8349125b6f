/** An account below another is suspended by its platform: nobody has access to it then, and nothing of it is lost. */
export const ACCOUNT_STATUSES = ['Active', 'Suspended'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** What a token that a platform gives out may do: all of its account, or read it. */
export const ACCOUNT_TOKEN_SCOPES = ['default', 'read'] as const;
export type AccountTokenScope = (typeof ACCOUNT_TOKEN_SCOPES)[number];
