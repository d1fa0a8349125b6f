import type { AnswerHeaders } from './answer.ts';

const HSTS = 'max-age=31536000';

/** For answers that are data: a browser that shows one runs and frames nothing. Pages bring a policy of their own. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

type Headers = Pick<AnswerHeaders, 'has' | 'set'>;

/** Gives the function that tells browsers what they may do with an answer; an answer's own headers win. */
export function securityHeaders(publicUrl: string): (headers: Headers) => void {
  const isHttps = publicUrl.startsWith('https:');
  return (headers) => {
    headers.set('X-Content-Type-Options', 'nosniff');
    headers.set('Referrer-Policy', 'no-referrer');
    if (!headers.has('Content-Security-Policy')) headers.set('Content-Security-Policy', DATA_POLICY);
    // What an account gets is nobody else's, and may have changed by the next time.
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'private, no-cache');
    if (isHttps) headers.set('Strict-Transport-Security', HSTS);
  };
}
