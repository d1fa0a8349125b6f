import { DomainError } from '../domain/errors.ts';
import type { Context } from './context.ts';

/** Throws `Forbidden` where the caller's token is one to read with. */
export function assertMayChange({ caller }: Context): void {
  if (caller.scope !== 'read') return;
  throw new DomainError('Forbidden', 'This token has the scope read: it changes nothing.');
}
