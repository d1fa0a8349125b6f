/** What a noisy account does, as a stranger with one account and the published documents would. */
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  AT_ONCE,
  type Attack,
  aliased,
  createMany,
  dear,
  entry,
  importCsv,
  inCollection,
  largeOf,
  MEGABYTE,
  mostAllowed,
  type Noisy,
  type Work,
} from './attack.ts';
import { outcomeOf } from './outcome.ts';
import { QUERIES, realizedGains, searchesOf, valueHistory } from './queries.ts';
import { csvOf, TRANSFERS } from './transfers.ts';

const CURRENCIES = ['USD', 'EUR', 'JPY', 'GBP'];
const COST_BASES = ['AVERAGE', 'FIFO', 'MOVING_AVERAGE'];
const SET_PREFERENCES =
  'mutation ($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { __typename ... on Error { message } } }';
const CREATE_ALERT =
  'mutation ($input: CreatePriceAlertInput!) { createPriceAlert(input: $input) { __typename ... on CreatePriceAlertPayload { priceAlert { id } } ... on Error { message } } }';

/** One after the other of the values, over and over. */
function preferenceChanges(name: string, preference: string, values: readonly string[]): Attack {
  return {
    name,
    stock: 'large',
    workers: AT_ONCE,
    start:
      async ({ client }) =>
      async (turn) =>
        outcomeOf(
          await client.graphql(SET_PREFERENCES, { input: { [preference]: values[turn % values.length] } }),
        ),
  };
}

const WRITES: Attack[] = [
  {
    name: 'writes to one collection',
    stock: 'small',
    workers: AT_ONCE,
    start: async ({ client, variantIds }) => {
      const path = `/collection/${client.collectionIds[0]}/transaction`;
      return async (turn) =>
        outcomeOf(
          await client.send('POST', path, entry(variantIds[turn % variantIds.length]!), {
            'Idempotency-Key': `key-${turn % 3 ? turn : turn % 5}`,
          }),
        );
    },
    // A key that is repeated is for another transaction at times.
    expected: /^422/,
  },
  {
    name: 'writes behind large ones',
    stock: 'small',
    workers: AT_ONCE,
    start: async (noisy) => {
      const id = noisy.client.collectionIds[0]!;
      return async (turn) =>
        outcomeOf(
          turn % 2
            ? await createMany(noisy, id, turn)
            : await noisy.client.send(
                'POST',
                `/collection/${id}/transaction`,
                entry(noisy.variantIds[turn % 500]!),
              ),
        );
    },
  },
  {
    name: 'changes and deletions behind bulk creates',
    stock: 'small',
    workers: AT_ONCE,
    start: async (noisy) => {
      const { client, variantIds } = noisy;
      const id = client.collectionIds[0]!;
      const one = entry(variantIds[0]!);
      return async (turn) => {
        if (turn % 3 === 0) return outcomeOf(await createMany(noisy, id, turn));
        const created = await client.send('POST', `/collection/${id}/transaction`, one);
        if (created.status !== 200) return outcomeOf(created);
        const path = `/transaction/${JSON.parse(created.text).transactionId}`;
        return outcomeOf(
          turn % 3 === 1
            ? await client.send('PATCH', path, { quantity: 2 })
            : await client.send('DELETE', path),
        );
      };
    },
  },
  {
    name: 'bulk creates',
    stock: 'small',
    workers: AT_ONCE,
    start: async (noisy) => {
      const ids = noisy.client.collectionIds;
      return async (turn) => outcomeOf(await createMany(noisy, ids[turn % ids.length]!, turn));
    },
  },
  {
    name: 'imports',
    stock: 'small',
    workers: AT_ONCE,
    // Of 10,000 rows; what is refused before it is sent is cut off.
    expected: /^(413|refused EPIPE)/,
    start: async (noisy) => {
      const rows = Array.from(
        { length: noisy.isShort ? 2000 : 10_000 },
        (_, i) =>
          `2025-03-01,Purchase,${1 + (i % 9)},1.25,USD,${noisy.variantIds[i % noisy.variantIds.length]},,`,
      );
      const ids = noisy.client.collectionIds;
      return async (turn) => outcomeOf(await importCsv(noisy, ids[turn % ids.length]!, rows));
    },
  },
  {
    name: 'imports of unknown cards',
    stock: 'small',
    workers: AT_ONCE,
    start: async (noisy) => async (turn) => {
      const rows = Array.from(
        { length: 10_000 },
        (_, i) => `2025-03-01,Purchase,1,1,USD,,XYZ${turn}${i},Comand and Conqer ${i}`,
      );
      return outcomeOf(await importCsv(noisy, noisy.client.collectionIds[0]!, rows));
    },
  },
  preferenceChanges('changes of the currency', 'preferredCurrency', CURRENCIES),
  preferenceChanges('changes of the cost basis', 'costBasis', COST_BASES),
  {
    name: 'currency of many collections, and reads',
    stock: 'many',
    workers: AT_ONCE,
    start:
      async ({ client }) =>
      async (turn) =>
        outcomeOf(
          turn % 4
            ? await client.graphql(
                '{ viewer { dashboard { gain { decimal } } } collections(first: 200, sort: VALUE) { nodes { marketValue { decimal } } } }',
              )
            : await client.graphql(SET_PREFERENCES, {
                input: { preferredCurrency: CURRENCIES[turn % CURRENCIES.length] },
              }),
        ),
  },
  {
    name: 'deletions of collections',
    stock: 'many',
    workers: AT_ONCE,
    expected: /^404/,
    start:
      async ({ client }) =>
      async (turn) =>
        outcomeOf(
          await client.send(
            'DELETE',
            `/collection/${client.collectionIds[turn % client.collectionIds.length]}`,
          ),
        ),
  },
  {
    name: 'new collections',
    stock: 'small',
    workers: AT_ONCE,
    expected: /^409/,
    start:
      async ({ client }) =>
      async () =>
        outcomeOf(await client.send('POST', '/collection', { name: 'One more' })),
  },
  {
    name: 'price alerts',
    stock: 'large',
    workers: AT_ONCE,
    // There may be 100.
    expected: /^200 LimitExceeded/,
    start: async (noisy) => async (turn) => {
      const input = { targetId: largeOf(noisy), condition: 'CHANGE', percent: 10 + (turn % 50), days: 365 };
      return outcomeOf(await noisy.client.graphql(CREATE_ALERT, { input }));
    },
  },
];

/** Follows a collection until the end; counts what comes. */
function follow({ client, leaving }: Noisy, query: string, take: (text: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Accept: 'text/event-stream', Connection: 'close' };
    const outgoing = client.open('POST', '/graphql', JSON.stringify({ query }), headers, (response) => {
      response.setEncoding('utf8');
      let beginning = '';
      response.on('data', (chunk: string) => {
        beginning += beginning.length < 1000 ? chunk : '';
        take(chunk);
      });
      response.on('end', () => resolve(outcomeOf({ status: response.statusCode!, text: beginning })));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    leaving.addEventListener('abort', () => outgoing.destroy());
  });
}

function streams(
  name: string,
  stock: Attack['stock'],
  fields: (noisy: Noisy) => string,
  followers: number,
): Attack {
  return {
    name,
    stock,
    workers: followers + 4,
    start: async (noisy) => {
      const id = largeOf(noisy);
      const query = `subscription { collectionChanged(id: "${id}") { kind ${fields(noisy)} } }`;
      return async (turn) => {
        if (turn < followers) return follow(noisy, query, () => {});
        await sleep(100);
        const path = `/collection/${id}/transaction`;
        return outcomeOf(await noisy.client.send('POST', path, entry(noisy.variantIds[turn % 500]!)));
      };
    },
  };
}

const STREAMS: Attack[] = [
  streams('streams', 'small', () => 'transactions { id }', 96),
  streams(
    'streams with slow queries',
    'large',
    () => `collection { ${aliased(10, realizedGains)} ${valueHistory(0)} }`,
    32,
  ),
  streams(
    'streams with large answers',
    'large',
    () =>
      'collection { transactions(first: 200) { nodes { id variant { id product { id name description } } } } }',
    32,
  ),
];

/** What is written to a connection of its own, which stays open until the server or the end closes it. */
async function hold(noisy: Noisy, begin: (socket: Socket) => void): Promise<string> {
  const socket = noisy.client.connect();
  noisy.leaving.addEventListener('abort', () => socket.destroy());
  let answer = '';
  let failure: NodeJS.ErrnoException | undefined;
  socket.on('data', (chunk) => {
    answer = (answer + chunk.toString('latin1')).slice(0, 100);
  });
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('connect', () => begin(socket));
  await once(socket, 'close').catch(() => {});
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
  return status ?? (failure ? `refused ${failure.code}` : 'refused, closed');
}

function held(name: string, workers: number, begin: (noisy: Noisy, socket: Socket) => void): Attack {
  return {
    name,
    stock: 'small',
    workers,
    expected: /^(refused|408|413|400|401|415)/,
    start: async (noisy) => () => hold(noisy, (socket) => begin(noisy, socket)),
  };
}

function closedAtOnce(name: string, begin: (socket: Socket) => void): Attack {
  return {
    name,
    stock: 'small',
    workers: 64,
    expected: /^refused/,
    start:
      async ({ client }) =>
      async () => {
        const socket = client.connect();
        await once(socket, 'connect');
        begin(socket);
        socket.destroy();
        return 'left';
      },
  };
}

const head = ({ client }: Noisy, line: string, headers: Record<string, string | number>) =>
  [
    `${line} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries({ ...client.authorization, ...headers }).map(([key, value]) => `${key}: ${value}`),
    '\r\n',
  ].join('\r\n');

function drip(socket: Socket, text: string, millis: number): void {
  const timer = setInterval(() => socket.write(text), millis);
  socket.on('close', () => clearInterval(timer));
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const BODY = Buffer.alloc(MEGABYTE, ' ');
const BROKEN_BODIES = [
  '['.repeat(MEGABYTE),
  `{"query":"{viewer{id}}","variables":{"a":[${'1,'.repeat(MEGABYTE / 2 - 100)}1]}}`,
  `{"query":"{viewer{id}}","variables":{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":${i}`).join(',')}}}`,
  `{"query":"{viewer{id}}","variables":{"a":"${'\\u0041'.repeat(170_000)}"}}`,
  `{"name":"${'x'.repeat(MEGABYTE - 100)}"}`,
  `{"query":"{viewer{id}}","variables":{"a":${'9'.repeat(MEGABYTE - 100)}}}`,
];

const BODIES: Attack[] = [
  held('bodies without their last byte', 2000, (noisy, socket) => {
    socket.write(head(noisy, 'POST /graphql', { ...JSON_TYPE, 'Content-Length': MEGABYTE }));
    socket.write(BODY.subarray(1));
  }),
  held('bodies without their last byte, of nobody', 2000, (_, socket) => {
    const type = 'Content-Type: application/x-www-form-urlencoded';
    socket.write(`POST /oauth2/token HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${MEGABYTE}\r\n\r\n`);
    socket.write(BODY.subarray(1));
  }),
  {
    // It has left by then, and comes again at once.
    ...held('dear queries, sent with the end of the connection', 50, (noisy, socket) => {
      const body = JSON.stringify({ query: searchesOf(noisy, randomInt(1e6)) });
      socket.end(head(noisy, 'POST /graphql', { ...JSON_TYPE, 'Content-Length': body.length }) + body);
    }),
    stock: 'large',
  },
  {
    name: 'uploads without their end',
    stock: 'small',
    workers: 2 * AT_ONCE,
    expected: /^refused E(PIPE|CONNRESET)/,
    start: async (noisy) => {
      const csv = Buffer.from(csvOf(noisy));
      const ids = noisy.client.collectionIds;
      return async (turn) => {
        let isTaken = false;
        const outcome = await hold(noisy, (socket) => {
          const path = `/collection/${ids[turn % ids.length]}/import`;
          socket.write(
            head(noisy, `POST ${path}`, { 'Content-Type': 'text/csv', 'Content-Length': csv.length }),
          );
          socket.write(csv.subarray(0, -10), () => {
            isTaken = true;
            socket.destroy();
          });
        });
        return isTaken && outcome === 'refused, closed' ? 'left' : outcome;
      };
    },
  },
  held('slow bodies', 500, (noisy, socket) => {
    socket.write(head(noisy, 'POST /collection', { ...JSON_TYPE, 'Content-Length': 100_000 }));
    drip(socket, ' ', 200);
  }),
  held('bodies in tiny chunks', 100, (noisy, socket) => {
    socket.write(head(noisy, 'POST /graphql', { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }));
    drip(socket, '1\r\n \r\n'.repeat(2000), 20);
  }),
  {
    name: 'large bodies',
    stock: 'small',
    workers: AT_ONCE,
    expected: /^(400|413|415)/,
    start:
      async ({ client }) =>
      async (turn) =>
        outcomeOf(
          await client.send(
            'POST',
            turn % 3 ? '/graphql' : '/collection',
            BROKEN_BODIES[turn % BROKEN_BODIES.length],
          ),
        ),
  },
  {
    name: 'compressed bodies',
    stock: 'small',
    workers: AT_ONCE,
    expected: /^(400|413|415)/,
    start: async ({ client }) => {
      const bomb = gzipSync(Buffer.alloc(100 * MEGABYTE, ' '));
      return async () =>
        outcomeOf(await client.send('POST', '/graphql', bomb, { 'Content-Encoding': 'gzip' }));
    },
  },
];

/** Without a token, and without a limit of requests. */
const OPEN_PAGES = ['/', '/docs', '/graphql', '/openapi.json', '/problems/NotFound', '/healthz', '/readyz'];

const CONNECTIONS: Attack[] = [
  {
    name: 'open pages',
    stock: 'small',
    // One of them is a document that has examples of errors.
    expected: /^200 Internal$/,
    workers: AT_ONCE,
    start:
      async ({ client }) =>
      async (turn) =>
        outcomeOf(
          await client.send('GET', OPEN_PAGES[turn % OPEN_PAGES.length]!, undefined, {
            Accept: 'text/html, */*',
            'Accept-Encoding': 'gzip',
            Authorization: '',
          }),
        ),
  },
  held('idle connections', 5500, () => {}),
  held('slow headers', 1000, (_, socket) => {
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    drip(socket, 'x', 500);
  }),
  held('pipelined requests, answers not taken', 32, (noisy, socket) => {
    socket.pause();
    const request = head(noisy, 'GET /collection?pageSize=200', {});
    socket.write(request.repeat(1000));
  }),
  closedAtOnce('connections without end', () => {}),
  closedAtOnce('requests that nobody waits for', (socket) => {
    socket.write('GET /collection HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  }),
  {
    name: 'tokens that are forged',
    stock: 'small',
    workers: AT_ONCE,
    expected: /^401/,
    start: async ({ client }) => {
      const [header, payload] = client.authorization.Authorization!.slice(7).split('.');
      return async () => {
        const Authorization = `Bearer ${header}.${payload}.${randomBytes(64).toString('base64url')}`;
        return outcomeOf(await client.send('GET', '/collection', undefined, { Authorization }));
      };
    },
  },
  {
    name: 'token requests',
    stock: 'small',
    workers: AT_ONCE,
    expected: /^40[01]/,
    start:
      async ({ client }) =>
      async (turn) =>
        outcomeOf(
          await client.requestToken(
            `cli_${randomUUID()}`,
            createHash('sha256').update(`${turn}`).digest('hex'),
          ),
        ),
  },
  {
    name: 'more requests than are allowed',
    stock: 'small',
    workers: AT_ONCE,
    start:
      async ({ client }) =>
      async () => {
        const outcome = outcomeOf(await client.graphql('{ viewer { id } }'));
        // Without the pause that a refusal has elsewhere.
        return outcome.replace(/^429/, 'over: 429');
      },
    expected: /^over: 429/,
  },
];

const ACCOUNTS_BELOW = 20;

const LARGE_PAGE = (aliases: number) =>
  `{ ${aliased(aliases, (i) => `products(first: 200, query: "${['attack', 'dragon', 'ninja', 'red', 'blue'][i % 5]}") { nodes { id name description imageUrl variants { id variantName fcId saleVolumes } } }`)} }`;

/** All of a request. */
function operationText(noisy: Noisy, query: string): string {
  const body = JSON.stringify({ query });
  return head(noisy, 'POST /graphql', { ...JSON_TYPE, 'Content-Length': Buffer.byteLength(body) }) + body;
}

/** Nearly the 8 MiB that an answer may have. */
const LARGEST_PAGE = `transactions(first: 38) { nodes { collection { transactions(first: 200) { nodes { ${aliased(26, () => 'id')} } } } } }`;
const UNTAKEN_MILLIS = 8000;

const ANSWERS: Attack[] = [
  dear('large answers', 'small', (_, aliases) => LARGE_PAGE(aliases)),
  dear('large answers, compressed', 'small', (_, aliases) => LARGE_PAGE(aliases), {
    'Accept-Encoding': 'br, gzip',
  }),
  {
    ...held('large answers, not taken', 200, () => {}),
    start: async (noisy) => {
      const aliases = await mostAllowed(noisy, LARGE_PAGE);
      const text = operationText(noisy, LARGE_PAGE(aliases));
      return () =>
        hold(noisy, (socket) => {
          socket.pause();
          socket.write(text);
        });
    },
  },
  {
    name: 'the largest answers, not taken',
    stock: 'large',
    workers: 70,
    expected: /^refused/,
    start: async (noisy) => {
      const [id] = noisy.client.collectionIds;
      const text = operationText(noisy, inCollection(id!, LARGEST_PAGE));
      return async () => {
        const socket = noisy.client.connect().pause();
        socket.on('error', () => {});
        socket.write(text);
        await sleep(UNTAKEN_MILLIS);
        socket.destroy();
        return 'left';
      };
    },
  },
];

/** The same by a platform that names its accounts in turn. */
function byPlatform(attack: Attack): Attack {
  return {
    ...attack,
    name: `${attack.name}, by a platform`,
    accounts: ACCOUNTS_BELOW,
    start: async (noisy) => {
      const works: Work[] = [];
      for (const client of noisy.clients) works.push(await attack.start({ ...noisy, client }));
      return (turn) => works[turn % works.length]!(turn);
    },
  };
}

const named = (name: string) => [...QUERIES, ...WRITES].find((attack) => attack.name === name)!;

const PLATFORMS: Attack[] = [
  ...['realizedGains', 'summaries by search', 'bulk creates', 'imports'].map((name) =>
    byPlatform(named(name)),
  ),
  {
    name: 'new accounts',
    stock: 'small',
    workers: AT_ONCE,
    isOfPlatforms: true,
    start:
      async ({ client }) =>
      async () =>
        outcomeOf(
          await client.send('POST', '/account', { name: 'New', externalId: randomUUID() }, client.asPlatform),
        ),
  },
];

export const ATTACKS: readonly Attack[] = [
  ...QUERIES,
  ...WRITES,
  ...TRANSFERS,
  ...STREAMS,
  ...BODIES,
  ...CONNECTIONS,
  ...ANSWERS,
  ...PLATFORMS,
];

/**
 * What the build machine plays, as all would take it minutes: one of each kind, that which did the most harm when nothing
 * bounded it. None needs a large collection, or many seconds, to do what it does.
 */
const SHORT_FORM = [
  // A statement of the database that differs each time, over all holdings: what connections and their memory go to.
  'summaries by search',
  // Whole ledgers read into the memory of the process.
  'realizedGains',
  // Nothing of the database: the event loop alone.
  'misspelt searches',
  // Thirty-two writers who want one lock.
  'writes to one collection',
  // Bodies, writes and locks at once, and the longest statements that an account has.
  'bulk creates',
  'imports',
  // Reads and writes all that the account has, in one transaction.
  'changes of the currency',
  // Work that no request asks for. (Those with slow queries leave half a minute of it behind them.)
  'streams',
  // Memory that is held for nothing.
  'bodies without their last byte',
  // Processor time before anything is known of who asks.
  'bodies in tiny chunks',
  'connections without end',
  // Many requests in one piece, and answers that nobody takes.
  'pipelined requests, answers not taken',
];

/** Those to play: all whose names have one of these words (separated by commas), or else those of the form. */
export function attacksFor(words: string, isShort: boolean, isOfPlatforms = false): Attack[] {
  // A platform cannot be below another.
  const isPlayed = (attack: Attack) => (isOfPlatforms ? !attack.accounts : !attack.isOfPlatforms);
  return ATTACKS.filter(isPlayed).filter(({ name }) =>
    isShort && words === ''
      ? SHORT_FORM.includes(name)
      : words.split(',').some((part) => name.includes(part)),
  );
}
