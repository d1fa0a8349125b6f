import { vi } from 'vitest';

/** Asks again until `assertion` holds, as long as a slow machine may take; gives what it gives. */
export const eventually = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { timeout: 60_000, interval: 50 });
