import type { MiddlewareHandler } from 'hono';

/** Request headers that pages of other origins may send. */
const ALLOWED = [
  ...['Accept', 'Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match'],
  ...['X-Request-Id', 'traceparent', 'tracestate', 'Last-Event-ID', 'GraphQL-Cost-Debug'],
].join(', ');

/** Response headers that they may read. */
export const EXPOSED_HEADERS = [
  ...['Allow', 'Deprecation', 'ETag', 'Idempotency-Replayed', 'Link'],
  ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After'],
  ...['Sunset', 'WWW-Authenticate', 'X-Request-Id'],
].join(', ');

const PREFLIGHT_MAX_AGE_SECONDS = '3600';

/**
 * Lets pages of the origins in CORS_ORIGINS call the service (`*`: of all); null for none. Cookies have no part in it:
 * the token is a header that the page must know.
 */
export function cors(corsOrigins: string): MiddlewareHandler | null {
  const origins = new Set(
    corsOrigins
      .split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),
  );
  if (origins.size === 0) return null;
  const all = origins.has('*');
  return async (c, next) => {
    await next();
    const { headers } = c.res;
    const origin = c.req.header('Origin');
    if (!all) headers.append('Vary', 'Origin');
    if (origin === undefined || !(all || origins.has(origin))) return;
    headers.set('Access-Control-Allow-Origin', all ? '*' : origin);
    headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    if (c.req.method !== 'OPTIONS' || c.req.header('Access-Control-Request-Method') === undefined) return;
    const methods = headers.get('Allow');
    if (methods === null) return;
    headers.set('Access-Control-Allow-Methods', methods);
    headers.set('Access-Control-Allow-Headers', ALLOWED);
    headers.set('Access-Control-Max-Age', PREFLIGHT_MAX_AGE_SECONDS);
  };
}
