import type { Context as HonoContext } from 'hono';
import { challengeOf } from '../auth/caller.ts';
import { rateLimitHeaders } from '../auth/rate-limit.ts';
import { type Breach, DomainError, PROBLEMS, type Problem, type ProblemDetails } from '../domain/errors.ts';
import { pageOf, pagePolicy } from './page.ts';
import { escapeHtml } from './text.ts';

/** A problem of RFC 9457, as docs/decisions.md#errors has it. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** The path of the request, as a URI reference. */
  instance: string;
  requestId: string;
  errors?: { pointer: string; detail: string }[];
  limit?: number;
  current?: number;
}

/** The answer to a request that failed as `error` says; what is not a DomainError tells nothing of its cause. */
export function problemResponse(error: unknown, instance: string, requestId: string): Response {
  const known =
    error instanceof DomainError
      ? error
      : new DomainError('Internal', 'Something failed on our side. The requestId finds it in the log.');
  const { problem, message, details } = known;
  const status = details.status ?? PROBLEMS[problem].status;
  const body: ProblemBody = {
    type: `/problems/${problem}`,
    title: PROBLEMS[problem].title,
    status,
    detail: message,
    instance,
    requestId,
    ...(details.breaches && { errors: details.breaches.map(errorOf) }),
    ...(problem === 'LimitExceeded' && limitOf(details)),
  };
  return new Response(JSON.stringify(body), { status, headers: headersOf(known, problem) });
}

/** The path of a request in what characters a URI may have (RFC 3986); two slashes in front would name a host. */
export function instanceOf(url: string): string {
  const { pathname } = new URL(url);
  const path = pathname.replace(/%(?![\da-f]{2})|[^\w.~!$&'()*+,;=:@/%-]/gi, encodeURIComponent);
  return path.startsWith('//') ? `/.${path}` : path;
}

function limitOf({ limit, current }: ProblemDetails): { limit?: number; current?: number } {
  return limit === undefined ? {} : { limit, current: current ?? limit };
}

function headersOf(error: DomainError, problem: Problem): Record<string, string> {
  const { retryAfterSeconds, allow, limit } = error.details;
  return {
    'Content-Type': 'application/problem+json',
    ...(problem === 'Unauthorized' && { 'WWW-Authenticate': challengeOf(error) }),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    ...(problem === 'RateLimited' &&
      limit !== undefined &&
      rateLimitHeaders({ limit, remaining: 0, resetSeconds: retryAfterSeconds! })),
    ...(allow && { Allow: allow.join(', ') }),
  };
}

/** A JSON pointer (RFC 6901) into the body, or `?name` for a query parameter. */
function errorOf({ path, detail, inQuery }: Breach): { pointer: string; detail: string } {
  if (inQuery) return { pointer: `?${path.join('.')}`, detail };
  const pointer = path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { pointer, detail };
}

/** A short page that explains the problem, for people who follow its `type`. */
export function problemPage(c: HonoContext, name: string): Response | Promise<Response> | null {
  if (!Object.hasOwn(PROBLEMS, name)) return null;
  const { title, status, explanation } = PROBLEMS[name as Problem];
  const body = `    <main class="site-text">
      <h1>${name}</h1>
      <p class="site-lead">${status} · ${title}</p>
      <p>${escapeHtml(explanation).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>
      <p><a href="../docs">REST API</a> · <a href="../graphql">GraphQL</a></p>
    </main>`;
  return c.html(pageOf({ title: name, root: '../', body }), 200, { 'Content-Security-Policy': pagePolicy() });
}
