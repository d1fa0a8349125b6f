import { malformed } from './json-body.ts';

/** Refuses to be expected anything of but a `100 Continue`, which Node has sent. Throws `MalformedRequest` (417). */
export function assertExpectation({ headers }: Request): void {
  const expected = headers.get('Expect');
  if (expected !== null && expected.toLowerCase() !== '100-continue')
    throw malformed('The Expect header names what is not known here; only "100-continue" is.', 417);
}
