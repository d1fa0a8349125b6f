import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Context, Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { type Asset, assetOf, lazily, sendAsset } from '../http/assets.ts';
import { projectPath } from '../paths.ts';
import { COLLECTION_ID, type Example, readExamples } from './examples.ts';

/** Who the page is signed in as from the start. */
export interface GraphiqlSession {
  accessToken: string;
  /** A collection for the examples; null where the account has none. */
  collectionId: string | null;
}

export interface GraphiqlOptions {
  /** Whether any of the market data is made up. */
  hasSamples: () => Promise<boolean>;
  /** The demo account's session; null where the user has to bring a token. */
  session: () => Promise<GraphiqlSession | null>;
  /** Without a slash at its end. */
  publicUrl: string;
}

/** Scripts, workers and requests of our own origin only. The editor makes style elements, and has its icons as data. */
const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `worker-src 'self'`,
  `connect-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data:`,
  `font-src 'self' data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** The GraphiQL page for browsers at `GET /graphql`, and its files below `/graphiql`; neither needs a token. */
export function graphiqlRoutes(options: GraphiqlOptions): Hono {
  const routes = new Hono();
  const assets = lazily(loadAssets);

  routes.get('/graphql', async (c, next) => {
    if (!asksForPage(c)) return next();
    return c.html(await page(options), 200, {
      'Cache-Control': 'no-store',
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Referrer-Policy': 'no-referrer',
      Vary: 'Accept',
    });
  });

  routes.get('/graphiql/:file', async (c) => {
    const asset = (await assets()).get(c.req.param('file'));
    return asset ? sendAsset(c, asset) : c.notFound();
  });
  return routes;
}

/** A browser's navigation; a query in the address is for the API. */
function asksForPage(c: Context): boolean {
  const supports = ['application/json', 'application/graphql-response+json', 'text/html'];
  const wanted = accepts(c, { header: 'Accept', supports, default: 'application/json' });
  return wanted === 'text/html' && c.req.query('query') === undefined;
}

async function page({ hasSamples, session, publicUrl }: GraphiqlOptions): Promise<string> {
  const signedIn = await session();
  const intro = introduction(signedIn !== null, await hasSamples(), publicUrl);
  const tabs = (await readExamples()).map((example, i) =>
    tabOf(example, i === 0 ? intro : '', signedIn?.collectionId ?? COLLECTION_ID),
  );
  const text = JSON.stringify({
    title: 'cardledger',
    defaultTabs: tabs,
    headers: JSON.stringify({ Authorization: `Bearer ${signedIn?.accessToken ?? 'ACCESS_TOKEN'}` }, null, 2),
    defaultEditorToolsVisibility: signedIn ? 'variables' : 'headers',
    // A token is not to be left in the browser.
    shouldPersistHeaders: false,
    // The browser keeps edited tabs for these examples only: those of another database or release would not run.
    storagePrefix: `cardledger-${createHash('sha256').update(JSON.stringify(tabs)).digest('hex').slice(0, 12)}`,
  });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>cardledger GraphiQL</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="graphiql/graphiql.css">
    <script type="application/json" id="options">${text.replaceAll('<', '\\u003c')}</script>
    <script defer src="graphiql/graphiql.js"></script>
    <script type="module" src="graphiql/start.js"></script>
  </head>
  <body>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root"></div>
  </body>
</html>
`;
}

function tabOf({ query, variables }: Example, intro: string, collectionId: string) {
  return {
    query: `${intro}${query}`.trimEnd(),
    variables: variables?.replaceAll(COLLECTION_ID, collectionId).trimEnd(),
  };
}

/** Lines short enough for the editor of a small window. */
function introduction(signedIn: boolean, hasSamples: boolean, publicUrl: string): string {
  const samples = ['The prices, sale volumes and expected values', 'are SAMPLE data, made up.', ''];
  const demo = [
    'You are signed in as the demo account, by the',
    'token in "Headers" below. It is good for an',
    'hour: reload the page for a new one.',
  ];
  const token = [
    'Every operation needs an access token. Get one',
    'with the id and secret of your client:',
    '',
    `curl ${publicUrl}/oauth2/token \\`,
    '  -u CLIENT_ID:CLIENT_SECRET \\',
    '  -d grant_type=client_credentials \\',
    '  -d scope=default',
    '',
    'Put it in place of ACCESS_TOKEN in "Headers"',
    'below, and press Shift-Ctrl-R to load the',
    'documentation.',
  ];
  const lines = [
    'Welcome to cardledger. Press Ctrl-Enter to run',
    'this query. The other tabs are examples, too.',
    '',
    ...(hasSamples ? samples : []),
    ...(signedIn ? demo : token),
  ];
  return `${lines.map((line) => `# ${line}`.trimEnd()).join('\n')}\n\n`;
}

async function loadAssets(): Promise<Map<string, Asset>> {
  const worker = new Worker(projectPath('pages/graphiql-assets.mjs'), { execArgv: [] });
  const [files] = (await once(worker, 'message')) as [{ name: string; gzip: Asset['gzip'] }[]];
  return new Map(files.map(({ name, gzip }) => [name, assetOf(name, gzip)]));
}
