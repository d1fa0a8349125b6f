// A worker thread that sends GraphiQL's files, compressed, and ends: the package is a module of 9 MB that would stay in
// memory, and takes half a second of the main thread. Plain JavaScript, so that a thread needs no loader for it.

import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql';

// GraphiQL moves a tab by a wrong distance when it gets the focus, so that its first click hits nothing.
const TABS_STAY = '.graphiql-tab { transform: none !important; }';

const files = {
  'graphiql.css': `${graphiql.css}\n${TABS_STAY}\n`,
  'graphiql.js': graphiql.js,
  // Monaco asks for its workers by these names.
  'editorWorkerService.js': graphiql.editorWorkerService,
  'graphql.js': graphiql.graphqlWorker,
  'json.js': graphiql.jsonWorker,
  'start.js': await readFile(new URL('./graphiql-start.js', import.meta.url), 'utf8'),
};

parentPort.postMessage(
  Object.entries(files).map(([name, text]) => ({ name, gzip: gzipSync(text, { level: 9 }) })),
);
