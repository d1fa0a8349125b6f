import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ServerProcess, startServer } from '../bench/server-process.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';

/** sqlmap (Debian's package) against a running server on PostgreSQL; it needs minutes. */
const run = promisify(execFile);
const MINUTES = 60_000;

describe.skipIf(!inject('postgresUrl'))('sqlmap finds nothing', () => {
  let server: ServerProcess;
  let output: string;
  let collectionId: string;

  beforeAll(async () => {
    const { url } = await loadedPostgresUrl(inject('postgresUrl')!);
    server = await startServer(url);
    output = await mkdtemp(join(tmpdir(), 'cardledger-sqlmap-'));
    collectionId = JSON.parse(
      (await server.send('POST', '/collection', { name: 'Target' })).text,
    ).collectionId;
  }, 2 * MINUTES);

  afterAll(async () => {
    await server.stop();
    await rm(output, { recursive: true });
  });

  const targets: [name: string, options: () => string[]][] = [
    ['q of product search', () => ['-u', `${server.url}/product/search?q=strike`, '-p', 'q']],
    [
      'searchQuery and sort of summaries',
      () => [
        '-u',
        `${server.url}/collection/${collectionId}/transaction-summary?searchQuery=strike&sort=Gain&cursor=0`,
        '-p',
        'searchQuery,sort,cursor',
      ],
    ],
    ['the collection of a path', () => ['-u', `${server.url}/collection/${collectionId}*`]],
    [
      'setType of an EV',
      () => [
        '-u',
        `${server.url}/ev/breakdown?setType=Wtr1stEdition&productType=Box`,
        '-p',
        'setType,productType',
      ],
    ],
    [
      'variables of GraphQL',
      () => [
        '-u',
        `${server.url}/graphql`,
        '--data',
        JSON.stringify({
          query:
            'query($q: String!, $id: ID!, $c: String) { products(query: $q) { totalCount } node(id: $id) { id } collections(after: $c) { totalCount } }',
          variables: { q: 'strike*', id: `${collectionId}*`, c: 'eyJh*' },
        }),
        '-H',
        'Content-Type: application/json',
      ],
    ],
  ];

  it.each(targets)(
    'in %s',
    async (_name, options) => {
      const args = [...options(), '-H', `Authorization: Bearer ${server.token}`];
      const fixed = [
        '--batch',
        '--level',
        '3',
        '--risk',
        '2',
        '--dbms',
        'PostgreSQL',
        '--technique',
        'BEU',
        '--threads',
        '4',
      ];
      const { stdout } = await run(
        'sqlmap',
        [...args, ...fixed, '--output-dir', output, '--flush-session', '--ignore-code', '400,404'],
        {
          maxBuffer: 64 * 1024 * 1024,
        },
      );
      expect(stdout).toMatch(/all tested parameters do not appear to be injectable/);
      expect(stdout).not.toMatch(/is vulnerable|appears to be '.*' injectable/);
    },
    20 * MINUTES,
  );
});
