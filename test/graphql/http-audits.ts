import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';

/**
 * Runs each audit of the GraphQL-over-HTTP specification as a test of its own; all have to pass, SHOULD and MAY too.
 * `fetch` must reach `/graphql` as a caller who may use it (it adds the token).
 */
export function describeHttpAudits(
  name: string,
  fetch: (request: Request) => Response | Promise<Response>,
): void {
  const fetchFn = (url: string, init?: RequestInit) => fetch(new Request(url, init));
  describe(`GraphQL over HTTP: ${name}`, () => {
    for (const audit of serverAudits({ url: 'http://localhost/graphql', fetchFn })) {
      it(`${audit.id} ${audit.name}`, async () => {
        const result = await audit.fn();
        expect(result.status, 'reason' in result ? result.reason : undefined).toBe('ok');
      });
    }
  });
}
