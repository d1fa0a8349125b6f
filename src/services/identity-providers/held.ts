import type { Database } from '../../db/client.ts';
import { IDENTITY_PROVIDERS, type IdentityProviderRow } from '../../db/queries/identity-providers.ts';
import { after } from '../../lib/after.ts';
import { memoryOf } from '../../memory/memory.ts';

/** The identity providers of platforms that name this issuer. At once where they are known. */
export function providersOf(
  db: Database,
  issuer: string,
  elapsed: () => number,
): readonly IdentityProviderRow[] | Promise<readonly IdentityProviderRow[]> {
  const held = memoryOf(db).identityProviders.byIssuer(elapsed, () => db.query(IDENTITY_PROVIDERS));
  return after(held, (byIssuer) => byIssuer.get(issuer) ?? []);
}
