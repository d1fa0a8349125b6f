import { DomainError } from '../domain/errors.ts';

/** The revisions of which a resource must have one to be changed; null where any will do. */
export type RequiredRevisions = readonly number[] | null;

/** As a parameter of a statement. */
export function revisionsParam(required: RequiredRevisions): string | null {
  return required && JSON.stringify(required);
}

/** Throws `PreconditionFailed` where the resource is at another revision. */
export function checkRevision(current: number, required: RequiredRevisions): void {
  if (required === null || required.includes(current)) return;
  throw new DomainError(
    'PreconditionFailed',
    'The resource has changed since it was read: its ETag is another one now. Read it again and repeat the change.',
  );
}
