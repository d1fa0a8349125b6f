import { DomainError } from '../../domain/errors.ts';

/** A write that met an import is sent again; that it meets another one each time is next to impossible. */
export const MAX_TRIES = 5;

export function pricesAreChanging(): DomainError {
  return new DomainError(
    'Unavailable',
    'The prices of this collection are being refreshed. Try again shortly.',
    {
      retryAfterSeconds: 1,
    },
  );
}
