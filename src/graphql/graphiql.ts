import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Context, Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { type Asset, assetOf, lazily, sendAsset } from '../http/assets.ts';
import { pageOf, pagePolicy, type SessionOf } from '../http/page.ts';
import { projectPath } from '../paths.ts';
import { COLLECTION_ID, type Example, readTasks, type Task } from './examples.ts';

export interface GraphiqlOptions {
  /** What of the market is made up, in words; null where nothing is. */
  samples: () => Promise<string | null>;
  session: SessionOf;
  /** Without a slash at its end. */
  publicUrl: string;
}

/** The editor has workers, makes style elements, and has its icons and fonts as data. */
const CONTENT_SECURITY_POLICY = pagePolicy({
  'worker-src': '',
  'style-src': `'unsafe-inline'`,
  'img-src': 'data:',
  'font-src': 'data:',
});

/** The GraphiQL page for browsers at `GET /graphql`, and its files below `/graphiql`; neither needs a token. */
export function graphiqlRoutes(options: GraphiqlOptions): Hono {
  const routes = new Hono();
  const assets = lazily(loadAssets);
  const tasks = lazily(readTasks);

  routes.get('/graphql', async (c, next) => {
    if (!asksForPage(c)) return next();
    return c.html(await page(options, await tasks(), new URL(c.req.url)), 200, {
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

/** What names an operation in the address. */
const OF_THE_API = ['query', 'documentId', 'extensions'];

/** A browser's navigation; an operation in the address is for the API. */
function asksForPage(c: Context): boolean {
  const supports = ['application/json', 'application/graphql-response+json', 'text/html'];
  const wanted = accepts(c, { header: 'Accept', supports, default: 'application/json' });
  return wanted === 'text/html' && OF_THE_API.every((name) => c.req.query(name) === undefined);
}

/**
 * The page with the tabs of a task, the first one's unless the address has `task`, or `tab` with the name of one of its
 * operations, which is then in front.
 */
async function page(
  { samples, session, publicUrl }: GraphiqlOptions,
  tasks: readonly Task[],
  url: URL,
): Promise<string> {
  const signedIn = await session(url.hostname);
  const tab = url.searchParams.get('tab');
  const task =
    tasks.find(({ examples }) => examples.some(({ operation }) => operation === tab)) ??
    tasks.find(({ name }) => name === url.searchParams.get('task')) ??
    tasks[0]!;
  const examples = [...task.examples].sort(
    (a, b) => Number(b.operation === tab) - Number(a.operation === tab),
  );
  const intro = task === tasks[0] ? introduction(signedIn !== null, await samples(), publicUrl) : '';
  const tabs = examples.map((example, i) =>
    tabOf(example, i === 0 ? intro : '', signedIn?.collectionId ?? null),
  );
  const links = tasks.map(({ name, title }) => {
    const current = name === task.name ? ' aria-current="page"' : '';
    return `<a href="graphql?task=${name}"${current}>${title}</a>`;
  });
  return pageOf({
    title: 'GraphiQL',
    at: 'graphql',
    styles: ['graphiql/graphiql.css'],
    scripts: ['graphiql/graphiql.js'],
    modules: ['graphiql/start.js'],
    options: {
      title: 'cardledger',
      defaultTabs: tabs,
      accessToken: signedIn?.accessToken ?? null,
      // A token is not to be left in the browser.
      shouldPersistHeaders: false,
      // The browser keeps edited tabs for these examples only: those of another database or release would not run.
      storagePrefix: `cardledger-${createHash('sha256').update(JSON.stringify(tabs)).digest('hex').slice(0, 12)}`,
    },
    body: `    <nav class="site-tasks" aria-label="Examples by task">${links.join('')}</nav>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <main class="site-whole">
      <h1 class="unseen">GraphiQL</h1>
      <div id="root"></div>
    </main>`,
  });
}

/** @param ownId a collection of who is signed in; null where nobody is */
function tabOf({ query, variables }: Example, intro: string, ownId: string | null) {
  const writesThere = ownId !== null && /^mutation\b/m.test(query) && variables?.includes(COLLECTION_ID);
  return {
    query: `${intro}${writesThere ? WRITES : ''}${query}`.trimEnd(),
    variables: variables?.replaceAll(COLLECTION_ID, ownId ?? COLLECTION_ID).trimEnd(),
  };
}

/** Of an example that changes the collection that all of them ask about. */
const WRITES = `# It writes: the change stays, and the page at /
# shows it, too.
#
`;

/** Lines short enough for the editor of a small window. */
function introduction(signedIn: boolean, made: string | null, publicUrl: string): string {
  const demo = [
    'You are signed in as the demo account, by the',
    'token in "Headers" below. It is good for an',
    'hour: reload the page for a new one.',
  ];
  const token = [
    'Every operation needs an access token: that of',
    'the form is in "Headers" below. Programs get one',
    'with the id and secret of your client:',
    '',
    `curl ${publicUrl}/oauth2/token \\`,
    '  -u CLIENT_ID:CLIENT_SECRET \\',
    '  -d grant_type=client_credentials \\',
    '  -d scope=default',
  ];
  const lines = [
    'Welcome to cardledger. Press Ctrl-Enter to run',
    'this query. The other tabs are examples, too,',
    'and the links above have those of other tasks.',
    '',
    ...(made ? [`The ${made}`, 'are SAMPLE data, made up.', ''] : []),
    ...(signedIn ? demo : token),
  ];
  return `${lines.map((line) => `# ${line}`.trimEnd()).join('\n')}\n\n`;
}

async function loadAssets(): Promise<Map<string, Asset>> {
  const worker = new Worker(projectPath('pages/graphiql-assets.mjs'), { execArgv: [] });
  const [files] = (await once(worker, 'message')) as [{ name: string; gzip: Asset['gzip'] }[]];
  return new Map(files.map(({ name, gzip }) => [name, assetOf(name, gzip)]));
}
