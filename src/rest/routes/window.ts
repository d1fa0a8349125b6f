import { Hono } from 'hono';
import { assetsOf, sendAsset } from '../../http/assets.ts';
import type { SessionOf } from '../../http/page.ts';
import { projectPath } from '../../paths.ts';
import { indexPage } from '../index-page.ts';

export interface WindowOptions {
  /** What everybody should know of the market data, a sentence each. */
  notices: () => Promise<string[]>;
  session: SessionOf;
  /** Whether the page may ask the vendor for its pictures of cards. */
  cardPictures: boolean;
  /** Whether the addresses for assistants are there. */
  assistants: boolean;
}

/** What all pages share. */
const SITE_FILES = ['site.css', 'favicon.svg', 'sign-in.js'];
/** What the build (`scripts/build.mjs`) makes of the sources of the page. */
const WEB_FILES = ['main.js', 'main.css'];

/** The page at `/`, its files below `/web`, and those of all pages below `/site`; none of it needs a token. */
export function windowRoutes({ notices, session, cardPictures, assistants }: WindowOptions): Hono {
  const routes = new Hono();
  const folders = {
    site: assetsOf(pathsOf(SITE_FILES, 'pages/site/')),
    web: assetsOf(pathsOf(WEB_FILES, 'dist/web/')),
  };

  routes.get('/', (c) =>
    indexPage(c, { notices, assistants }, async () => ({
      session: await session(new URL(c.req.url).hostname),
      cardPictures,
    })),
  );
  for (const [folder, assets] of Object.entries(folders)) {
    routes.get(`/${folder}/:file`, async (c) => {
      const asset = await assets(c.req.param('file'));
      return asset ? sendAsset(c, asset) : c.notFound();
    });
  }
  return routes;
}

function pathsOf(names: readonly string[], folder: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, projectPath(`${folder}${name}`)]));
}
