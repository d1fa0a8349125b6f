import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { PROBLEMS } from '../domain/errors.ts';
import { escapeHtml } from '../http/text.ts';

/** What is where, in a line each. */
const PLACES: readonly [path: string, what: string][] = [
  ['/graphql', 'the GraphQL API (POST, or GET for queries); in a browser GraphiQL'],
  ['/docs', 'the REST API, to read and to try in a browser'],
  ['/openapi.json', 'the REST API as an OpenAPI 3.1 document'],
  ['/oauth2/token', 'access tokens, by client credentials (POST)'],
  ['/.well-known/oauth-authorization-server', 'how to get a token, for programs (RFC 8414)'],
  ['/.well-known/jwks.json', 'the keys that verify tokens'],
  ...Object.entries(PROBLEMS).map(([name, { title }]): [string, string] => [`/problems/${name}`, title]),
  ['/healthz', 'whether the process lives'],
  ['/readyz', 'whether it can serve'],
  ['/metrics', 'figures for Prometheus'],
];

const INTRODUCTION = 'cardledger: collections of trading cards, what they cost, and what they are worth.';
const NOTICE = 'The prices, sale volumes and expected values are SAMPLE data, made up.';

/** The front door: text for programs such as curl, a page with links for browsers. */
export function indexPage(c: Context, hasSamples: boolean): Response | Promise<Response> {
  const lines = hasSamples ? [INTRODUCTION, NOTICE] : [INTRODUCTION];
  c.header('Vary', 'Accept');
  const wanted = accepts(c, {
    header: 'Accept',
    supports: ['text/plain', 'text/html'],
    default: 'text/plain',
  });
  return wanted === 'text/html' ? c.html(asPage(lines)) : c.text(asText(lines));
}

function asText(lines: readonly string[]): string {
  const width = Math.max(...PLACES.map(([path]) => path.length));
  const places = PLACES.map(([path, what]) => `${path.padEnd(width)}  ${what}`);
  return `${[...lines, '', ...places].join('\n')}\n`;
}

function asPage(lines: readonly string[]): string {
  const items = PLACES.map(
    ([path, what]) => `<li><a href="${path.slice(1)}"><code>${path}</code></a> ${escapeHtml(what)}</li>`,
  );
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>cardledger</title><h1>cardledger</h1>' +
    `${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}<ul>${items.join('')}</ul></html>`
  );
}
