import type { Database } from '../../db/client.ts';
import { sqlState, UNIQUE_VIOLATION } from '../../db/errors.ts';
import { LOCK_ACCOUNT } from '../../db/queries/accounts.ts';
import {
  IDENTITY_PROVIDER,
  type IdentityProviderRow,
  SET_IDENTITY_PROVIDER,
} from '../../db/queries/identity-providers.ts';
import { DEFAULT_SCOPE, READ_SCOPE } from '../../domain/accounts.ts';
import { validationFailed } from '../../domain/errors.ts';
import { IdentityProviderInput } from '../../domain/inputs.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { identityProvidersChanged } from '../../memory/memory.ts';
import type { Context } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { assertMayAsk } from '../named-address.ts';
import { checkRevision, type RequiredRevisions } from '../revision.ts';
import { assertPlatform } from '../sub-accounts/model.ts';
import { type IdentityProvider, identityProviderOf } from './model.ts';

/** There is no revision 0: a required one is that of a provider that is there. */
const NONE = 0;

/**
 * Names the identity provider of the caller's platform, in the place of the one that it has. It is not asked for anything before the
 * first token comes. Throws `Forbidden`, `PreconditionFailed`; `ValidationFailed`, also where the issuer may not be asked, or another
 * platform names it with the same audience.
 */
export async function setIdentityProvider(
  ctx: Context,
  input: unknown,
  revisions: RequiredRevisions = null,
): Promise<IdentityProvider> {
  assertPlatform(ctx);
  const parsed = parseInput(IdentityProviderInput, input);
  assertMayAsk(ctx, parsed.issuer, 'issuer');
  return idempotently(ctx, 'setIdentityProvider', parsed, (once) => set(once, parsed, revisions));
}

async function set(
  ctx: Context,
  { issuer, audience, createsAccounts, defaultScope, readScope }: IdentityProviderInput,
  revisions: RequiredRevisions,
): Promise<IdentityProvider> {
  const { accountId } = ctx.caller;
  return ctx.db.transaction(async (tx) => {
    await tx.query(LOCK_ACCOUNT, [accountId]);
    const [known] = await tx.query<IdentityProviderRow>(IDENTITY_PROVIDER, [accountId]);
    checkRevision(known?.revision ?? NONE, revisions);
    const scopes = [defaultScope ?? DEFAULT_SCOPE, readScope ?? READ_SCOPE];
    const params = [accountId, issuer, audience, createsAccounts, ...scopes];
    const row = await written(tx, params);
    identityProvidersChanged(tx);
    return identityProviderOf(row);
  });
}

async function written(tx: Database, params: (string | boolean)[]): Promise<IdentityProviderRow> {
  try {
    const [row] = await tx.query<IdentityProviderRow>(SET_IDENTITY_PROVIDER, params);
    return row!;
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
    const detail = 'another platform names this issuer with this audience: a token is good for one platform';
    throw validationFailed([{ path: ['audience'], detail }]);
  }
}
