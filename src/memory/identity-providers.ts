import type { IdentityProviderRow } from '../db/queries/identity-providers.ts';
import { groupBy } from '../lib/lists.ts';

/** Half of the 60 seconds within which the tokens of a provider that is taken away must end on every node. */
const MAX_AGE_MILLIS = 30_000;

type ByIssuer = ReadonlyMap<string, readonly IdentityProviderRow[]>;
type Known<T> = T | Promise<T>;

/**
 * The identity providers of all platforms, which are few: as all are held, a token of an unknown issuer costs no look-up, however many
 * such come.
 */
export class HeldIdentityProviders {
  #held: { atMillis: number; providers: Known<ByIssuer> } | undefined;

  /** At once where they are known. */
  byIssuer(elapsed: () => number, read: () => Promise<readonly IdentityProviderRow[]>): Known<ByIssuer> {
    const atMillis = elapsed();
    if (this.#held && atMillis - this.#held.atMillis < MAX_AGE_MILLIS) return this.#held.providers;
    // The promise itself is kept: requests that come meanwhile wait for the same look-up.
    const providers = read().then((rows) => groupBy(rows, ({ issuer }) => issuer));
    const entry: { atMillis: number; providers: Known<ByIssuer> } = { atMillis, providers };
    this.#held = entry;
    providers.then(
      (found) => {
        entry.providers = found;
      },
      () => {
        if (this.#held === entry) this.#held = undefined;
      },
    );
    return providers;
  }

  forget(): void {
    this.#held = undefined;
  }
}
