import { DomainError } from '../domain/errors.ts';

/** Throws `PreconditionFailed` where a revision is required and the resource is at another. */
export function checkRevision(current: number, required: number | null): void {
  if (required === null || required === current) return;
  throw new DomainError(
    'PreconditionFailed',
    'The resource has changed since it was read: its ETag is another one now. Read it again and repeat the change.',
  );
}
