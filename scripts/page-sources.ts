import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { projectPath } from '../src/paths.ts';

export const IMAGES = 'docs/images';
/** Says what sources the pictures were made of; files of a checkout have no times that say it. */
export const MADE_FROM = `${IMAGES}/made-from.json`;

/** What the pages are made of, but for their queries and packages. */
const SOURCES = [
  'web',
  'pages/site',
  'pages/graphiql-start.js',
  'pages/graphiql-assets.mjs',
  'src/http/page.ts',
  'src/graphql/graphiql.ts',
  'src/rest/index-page.ts',
  'src/rest/routes/window.ts',
];

/** A digest of the names and contents of the sources of the pages. */
export function pageSources(): string {
  const files = SOURCES.flatMap((path) =>
    statSync(projectPath(path)).isFile()
      ? [path]
      : readdirSync(projectPath(path), { recursive: true, encoding: 'utf8' }).map(
          (file) => `${path}/${file}`,
        ),
  )
    .filter((file) => !file.startsWith('web/generated') && statSync(projectPath(file)).isFile())
    .sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\n${readFileSync(projectPath(file), 'utf8')}\n`);
  return hash.digest('hex');
}
