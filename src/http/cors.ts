import { ACCOUNT_HEADER } from '../auth/caller.ts';
import type { AnswerHeaders } from './answer.ts';

/** Request headers that pages of other origins may send. */
const ALLOWED = [
  ...['Accept', 'Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match'],
  ...['X-Request-Id', 'traceparent', 'tracestate', 'Last-Event-ID', 'GraphQL-Cost-Debug'],
  'MCP-Protocol-Version',
  ACCOUNT_HEADER,
].join(', ');

/** Response headers that they may read. */
const EXPOSED_HEADERS = [
  ...['Allow', 'Deprecation', 'ETag', 'Idempotency-Replayed', 'Link', 'Location'],
  ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After'],
  ...['Sunset', 'Unknown-Cost-Cards', 'Unpriced-Cards', 'WWW-Authenticate', 'X-Request-Id'],
].join(', ');

const PREFLIGHT_MAX_AGE_SECONDS = '3600';

type ToOrigins = (request: Request, headers: Pick<AnswerHeaders, 'get' | 'set' | 'append'>) => void;

/**
 * Lets pages of the origins in CORS_ORIGINS call the service (`*`: of all); null for none. Cookies have no part in it:
 * the token is a header that the page must know.
 */
export function cors(corsOrigins: string): ToOrigins | null {
  const origins = new Set(
    corsOrigins
      .split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),
  );
  if (origins.size === 0) return null;
  const all = origins.has('*');
  return (request, headers) => {
    const origin = request.headers.get('Origin');
    if (!all) headers.append('Vary', 'Origin');
    if (origin === null || !(all || origins.has(origin))) return;
    headers.set('Access-Control-Allow-Origin', all ? '*' : origin);
    headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    if (request.method !== 'OPTIONS' || !request.headers.has('Access-Control-Request-Method')) return;
    const methods = headers.get('Allow');
    if (methods === null) return;
    headers.set('Access-Control-Allow-Methods', methods);
    headers.set('Access-Control-Allow-Headers', ALLOWED);
    headers.set('Access-Control-Max-Age', PREFLIGHT_MAX_AGE_SECONDS);
  };
}
