import { escapeHtml } from './text.ts';

/** Who a page is signed in as from the start. */
export interface PageSession {
  accessToken: string;
  /** A collection for the examples; null where the account has none. */
  collectionId: string | null;
}

/** The demo account's session, for a page of that host; null where the user has to sign in. */
export type SessionOf = (hostname: string) => Promise<PageSession | null>;

export interface Page {
  title: string;
  /** Which link of the head it is; none of them where it is left out. */
  at?: (typeof LINKS)[number]['to'];
  /** How the root of the service is reached from it; it may be below a path of a proxy. */
  root?: '' | '../';
  /** Paths of its style sheets, scripts and module scripts from the root; all run in this order, behind the page. */
  styles?: readonly string[];
  scripts?: readonly string[];
  modules?: readonly string[];
  /** What its scripts are told, as JSON in `#options`. */
  options?: unknown;
  /** HTML. */
  body: string;
}

/** What is to be reached from every page. */
const LINKS = [
  { to: './', text: 'Home' },
  { to: 'graphql', text: 'GraphQL' },
  { to: 'docs', text: 'REST' },
] as const;

/** A page with the head, type and colours of all of them (`pages/site/`). */
export function pageOf(page: Page): string {
  const { title, at, root = '', styles = [], scripts = [], modules = [], options, body } = page;
  const sheets = ['site/site.css', ...styles].map((path) => `<link rel="stylesheet" href="${root}${path}">`);
  const programs = [
    ...scripts.map((path) => `<script defer src="${root}${path}"></script>`),
    ...modules.map((path) => `<script type="module" src="${root}${path}"></script>`),
  ];
  const links = LINKS.map(
    ({ to, text }) => `<a href="${root}${to}"${to === at ? ' aria-current="page"' : ''}>${text}</a>`,
  );
  // A script element ends at "</script", wherever it stands.
  const given = JSON.stringify(options ?? {}).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)} · cardledger</title>
    <link rel="icon" href="${root}site/favicon.svg" type="image/svg+xml">
    ${sheets.join('\n    ')}
    <script type="application/json" id="options">${given}</script>
    ${programs.join('\n    ')}
  </head>
  <body>
    <header class="site-head">
      <a class="site-name" href="${root}./"><img src="${root}site/favicon.svg" alt="" width="24" height="24">cardledger</a>
      <nav aria-label="Pages">${links.join('')}</nav>
    </header>
${body}
  </body>
</html>
`;
}

/** A Content-Security-Policy that allows scripts, styles, pictures and requests of our own origin, and what is given. */
export function pagePolicy(extra: Readonly<Record<string, string>> = {}): string {
  const sources: Record<string, string> = {
    'default-src': `'none'`,
    'script-src': `'self'`,
    'connect-src': `'self'`,
    'style-src': `'self'`,
    'img-src': `'self'`,
  };
  for (const [directive, source] of Object.entries(extra))
    sources[directive] = [sources[directive] ?? `'self'`, source].join(' ').trim();
  for (const directive of ['base-uri', 'form-action', 'frame-ancestors']) sources[directive] = `'none'`;
  return Object.entries(sources)
    .map(([directive, source]) => `${directive} ${source}`)
    .join('; ');
}
