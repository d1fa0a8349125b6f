import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { PROBLEMS } from '../domain/errors.ts';
import { type PageSession, pageOf, pagePolicy } from '../http/page.ts';
import { escapeHtml } from '../http/text.ts';

type Place = readonly [path: string, what: string];

/** What is where, in a line each. */
const PLACES: readonly Place[] = [
  ['/graphql', 'the GraphQL API (POST, or GET for queries); in a browser GraphiQL'],
  ['/docs', 'the REST API, to read and to try in a browser'],
  ['/openapi.json', 'the REST API as an OpenAPI 3.1 document'],
  ['/oauth2/token', 'access tokens, by client credentials (POST)'],
  ['/.well-known/oauth-authorization-server', 'how to get a token, for programs (RFC 8414)'],
  ['/.well-known/jwks.json', 'the keys that verify tokens'],
  ...Object.entries(PROBLEMS).map(([name, { title }]): Place => [`/problems/${name}`, title]),
  ['/healthz', 'whether the process is alive'],
  ['/readyz', 'whether it can serve'],
  ['/metrics', 'metrics for Prometheus'],
];

/** Where assistants are switched on. */
const ASSISTANT_PLACES: readonly Place[] = [
  ['/mcp', 'tools for assistants, by the Model Context Protocol (POST)'],
  ['/llms.txt', 'what is where, for assistants'],
];

const INTRODUCTION = 'cardledger: collections of trading cards, what they cost, and what they are worth.';

/** Where the vendor has its pictures of cards. */
const PICTURES = 'https://tcgplayer-cdn.tcgplayer.com';

export interface IndexOptions {
  session: PageSession | null;
  /** Whether the page shows the vendor's pictures, which no other of our pages asks for. */
  cardPictures: boolean;
}

/** The front door: text or JSON for programs such as curl, the window on one's collection (`web/`) for browsers. */
export async function indexPage(
  c: Context,
  { notices, assistants }: { notices: () => Promise<string[]>; assistants: boolean },
  optionsOfPage: () => Promise<IndexOptions>,
): Promise<Response> {
  const places = assistants ? [...PLACES, ...ASSISTANT_PLACES] : PLACES;
  const lines = [INTRODUCTION, ...(await notices())];
  c.header('Vary', 'Accept');
  const supports = ['text/plain', 'application/json', 'text/html'];
  const wanted = accepts(c, { header: 'Accept', supports, default: 'text/plain' });
  if (wanted === 'application/json') return c.json(asJson(lines, places));
  if (wanted !== 'text/html') return c.text(asText(lines, places));
  const options = await optionsOfPage();
  return c.html(asPage({ lines, places, options }), 200, {
    // It has the demo account's token.
    'Cache-Control': 'no-store',
    'Content-Security-Policy': pagePolicy(options.cardPictures ? { 'img-src': PICTURES } : {}),
  });
}

function asText(lines: readonly string[], places: readonly Place[]): string {
  const width = Math.max(...places.map(([path]) => path.length));
  const shown = places.map(([path, what]) => `${path.padEnd(width)}  ${what}`);
  return `${[...lines, '', ...shown].join('\n')}\n`;
}

function asJson([introduction, ...notices]: readonly string[], places: readonly Place[]) {
  return {
    description: introduction,
    ...(notices.length > 0 && { notice: notices.join(' ') }),
    links: places.map(([href, title]) => ({ href, title })),
  };
}

interface IndexParts {
  lines: readonly string[];
  places: readonly Place[];
  options: IndexOptions;
}

function asPage({ lines, places, options }: IndexParts): string {
  const items = places.map(
    ([path, what]) => `<li><a href="${path.slice(1)}"><code>${path}</code></a> ${escapeHtml(what)}</li>`,
  );
  return pageOf({
    title: 'Collection',
    at: './',
    styles: ['web/main.css'],
    modules: ['web/main.js'],
    options,
    body: `    <div id="window"><noscript>The window on your collection needs JavaScript.</noscript></div>
    <footer class="site-foot">
      ${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}
      <details><summary>Addresses for programs</summary><ul>${items.join('')}</ul></details>
    </footer>`,
  });
}
