import { DomainError } from '../../src/domain/errors.ts';

/** As a client: who has waited too long is told that nothing was done, and sends it again. */
export async function patiently<T>(write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof DomainError && error.problem === 'Unavailable')) throw error;
    }
  }
}
