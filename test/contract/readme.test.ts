import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { PROBLEMS } from '../../src/domain/errors.ts';
import { OPERATION_LIMIT_CODES } from '../../src/graphql/cost/limits.ts';
import { commandsBelow } from '../cli/support.ts';
import { expectAnswer, expectHttpAnswer, likeShown } from '../support/readme-answers.ts';
import {
  anchorsOf,
  type Block,
  blocksOf,
  codesIn,
  DOCUMENTS,
  readDocument,
  tableUnder,
} from '../support/readme-blocks.ts';
import { type Output, type Reader, startReader } from '../support/readme-service.ts';

/** Languages of blocks that are not run. */
const NOT_RUN: Record<string, string> = {
  console:
    'those of the README and of docs/setup.md start the service below; that of docs/operations.md is run by test/slow/container.test.ts',
  ebnf: 'a grammar, compared with the one at the parser',
  js: 'the receiver of docs/webhooks.md, which test/server/webhooks.test.ts runs',
  mermaid: 'the picture of docs/architecture.md, held to the imports by architecture.test.ts',
  text: 'a drawing, or the shape of a file or of an output, to which the tests of the importers hold',
};

/** A block that is run, and those behind it that show what it is given and what it gives. */
interface Example {
  block: Block;
  variables?: Block;
  answer?: Block;
}

function examplesOf(file: string): Example[] {
  const examples: Example[] = [];
  for (const block of blocksOf(file)) {
    const { language, meta, place } = block;
    const last = examples.at(-1);
    // Run by operations.test.ts.
    if (language === 'sh' && meta === 'postgres') continue;
    if (language === 'sh' || language === 'graphql') examples.push({ block });
    else if (meta === 'variables' && last?.block.language === 'graphql') last.variables = block;
    else if (['json', 'http'].includes(language) && last && !last.answer) last.answer = block;
    else if (!(language in NOT_RUN)) throw new Error(`The block at ${place} (${language}) is not tested.`);
  }
  return examples;
}

/** Commands that open the database themselves, for which the documents say to stop the server. */
const needsStoppedServer = ({ block }: Example) => block.text.includes('npm run -s cli');

const schema = buildSchema(readDocument('schema/schema.graphql'));
let reader: Reader;
let token = '';

const consoleBlock = (file: string) => blocksOf(file).find(({ language }) => language === 'console')!;
const cloneAndStart = consoleBlock('README.md');
const startOnPostgres = consoleBlock('docs/setup.md');

beforeAll(async () => {
  reader = await startReader(cloneAndStart.text);
});

afterAll(() => reader.close());

const liveExamples = (file: string) => examplesOf(file).filter((example) => !needsStoppedServer(example));

describe.each(DOCUMENTS.filter((file) => liveExamples(file).length > 0))(
  '%s, while the server runs',
  (file) => {
    it.each(liveExamples(file).map((example) => [example.block.place, example] as const))(
      '%s',
      async (_, example) => {
        if (example.block.meta === 'until the deletion') return runUntilDeletion(example);
        if (example.block.language === 'sh') return runShell(example);
        await runOperation(example);
      },
    );
  },
);

describe('docs/search.md', () => {
  it('has the grammar of the parser', () => {
    const grammar = blocksOf('docs/search.md').find(({ language }) => language === 'ebnf')!.text;
    const comment = readDocument('src/domain/search/parse.ts').replaceAll(/^ \* ?/gm, '');
    expect(comment).toContain(`\`\`\`ebnf\n${grammar}\`\`\`\n`);
  });

  const queries = ['## Plain words', '## Filters'].flatMap((heading) =>
    tableUnder('docs/search.md', heading).map(([query]) => codesIn(query!)[0]!),
  );
  it.each(queries)('finds something with %s', async (query) => {
    const { results } = await json(await search(query));
    expect(results).not.toEqual([]);
  });

  const refused = tableUnder('docs/search.md', '## What is refused');
  it.each(refused.map(([query, answer]) => [codesIn(query!)[0]!, answer!]))(
    'refuses %s',
    async (query, answer) => {
      const { type, detail } = await json(await search(query));
      expect(type).toBe('/problems/InvalidQuery');
      expect(likeShown(detail, answer)).toBe(answer);
    },
  );
});

describe('README.md and what it leads to', () => {
  it('is short', () => {
    expect(readDocument('README.md').split('\n').length).toBeLessThanOrEqual(150);
  });

  it('has the worked example in the tutorial', () => {
    const answers = blocksOf('docs/tutorial.md').filter(
      ({ language, meta }) => language === 'json' && meta !== 'variables',
    );
    const shown = answers.map(({ text }) => JSON.parse(text));
    const summary = shown.find(({ results }) => results?.[0].profit).results[0];
    expect(summary).toMatchObject({
      quantity: 3,
      invested: { value: 30 },
      profit: { value: 5 },
      cashPosition: { value: -25 },
    });
    const created = shown.find(({ data }) => data?.createTransactions).data.createTransactions;
    for (const { collection } of created.transactions) {
      expect(collection).toEqual({
        quantity: 3,
        invested: { decimal: '30.00' },
        profit: { decimal: '5.00' },
        cashPosition: { decimal: '-25.00' },
      });
    }
  });

  it('lists the settings with their defaults', () => {
    const source = readDocument('src/config.ts').split('z.object({')[1]!.split('\n});')[0]!;
    const names = [...source.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name!);
    const defaults = new Map(Object.entries(loadConfig({})));
    const listed = tableUnder('docs/setup.md', '## Settings').map(([name, shown]) => [
      codesIn(name!)[0],
      codesIn(shown!)[0] ?? shown,
    ]);
    const known = names.map((name) => [name, shownDefault(defaults.get(camelCase(name)))]);
    expect(names.map(camelCase).sort()).toEqual([...defaults.keys()].sort());
    expect(listed.sort()).toEqual(known.sort());
  });

  it('lists the endpoints', async () => {
    const listed = tableUnder('docs/rest.md', '## Endpoints').flatMap(([cell]) => codesIn(cell!));
    const { paths } = JSON.parse(readDocument('schema/openapi.json'));
    const documented = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.filter((endpoint) => !listed.includes(endpoint))).toEqual([]);
    for (const endpoint of listed) {
      const [method, path] = endpoint.split(' ') as [string, string];
      const { headers } = await reader.fetch(path.replaceAll(/\{\w+\}/g, 'x'), { method: 'OPTIONS' });
      expect([endpoint, headers.get('Allow')?.split(', ')]).toEqual([
        endpoint,
        expect.arrayContaining([method]),
      ]);
    }
  });

  it('lists the commands', async () => {
    const listed = tableUnder('docs/setup.md', '## Command line').flatMap(([cell]) => codesIn(cell!));
    expect(listed.sort()).toEqual((await commandsBelow([])).sort());
  });
});

it('docs/rest.md lists the problems with their status', () => {
  const listed = tableUnder('docs/rest.md', '## Problems').map(([name, status]) => [
    codesIn(name!)[0],
    Number(status),
  ]);
  expect(listed).toEqual(Object.entries(PROBLEMS).map(([name, { status }]) => [name, status]));
});

it('docs/graphql.md lists the codes of the limits', () => {
  const listed = tableUnder('docs/graphql.md', '## Limits').map(([code]) => codesIn(code!)[0]);
  expect(listed).toEqual([...new Set(Object.values(OPERATION_LIMIT_CODES))]);
});

it.each([...DOCUMENTS, 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'])(
  '%s links to files and headings that are there',
  (file) => {
    for (const [, link] of readDocument(file).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link!)) continue;
      const [path, anchor] = link!.split('#') as [string, string?];
      const target = path === '' ? file : decodeURI(new URL(path, `file:///${file}`).pathname.slice(1));
      expect([link, anchor === undefined || anchorsOf(target).includes(anchor)]).toEqual([link, true]);
    }
  },
);

describe('the command line, when the server is stopped', () => {
  beforeAll(() => reader.stopService());
  const examples = DOCUMENTS.flatMap(examplesOf).filter(needsStoppedServer);
  it.each(examples.map((example) => [example.block.place, example] as const))('%s', (_, example) =>
    runShell(example),
  );
});

it.skipIf(!inject('postgresUrl'))(
  `${startOnPostgres.place}, with the address of a server of its own`,
  async () => {
    await reader.stopService();
    const { hostname: PGHOST, port: PGPORT, username: PGUSER, host } = new URL(inject('postgresUrl')!);
    const block = startOnPostgres.text.replace('user:password@localhost', `${PGUSER}@${host}`);
    const service = await reader.untilReady(block, { PGHOST, PGPORT, PGUSER });
    const answer = await reader.fetch('/readyz');
    await service.stop();
    expect(answer.status).toBe(200);
  },
);

async function runShell({ block, answer }: Example): Promise<void> {
  const output = await reader.run(block.text);
  expect([output.status, output.stderr.replaceAll(/^npm warn .*\n/gm, '')], explained(output)).toEqual([
    0,
    '',
  ]);
  if (answer?.language === 'http') expectHttpAnswer(answer.text, output.stdout);
  else if (answer) expectAnswer(answer.text, output.stdout);
  else expect(output.stdout).not.toMatch(/"(error|errors|type)":/);
}

/** Deletes the collection that the block follows once it does. */
async function runUntilDeletion({ block }: Example): Promise<void> {
  const [made, follow] = block.text.split(/^(?=api -N )/m);
  const headers = { Authorization: await authorization() };
  const { stdout } = await reader.run(`${made}printf %s "$FOLLOWED"`);
  const following = reader.run(follow!);
  const isOpen = 'cardledger_graphql_subscriptions{field="collectionChanged"} 1';
  while (!(await (await reader.fetch('/metrics')).text()).includes(isOpen));
  await reader.fetch(`/collection/${stdout}`, { method: 'DELETE', headers });
  const output = await following;
  expect([output.status, output.stderr], explained(output)).toEqual([0, '']);
  expect(output.stdout).toMatch(/^event: next\ndata: .*"kind":"DELETED".*\n\nevent: complete$/m);
}

function explained({ stdout, stderr }: Output): string {
  return `${stdout}\n${stderr}`;
}

async function runOperation({ block, variables, answer }: Example): Promise<void> {
  expect(validate(schema, parse(block.text))).toEqual([]);
  const collectionId = async () => {
    const query = `mutation { createCollection(input: { name: "A reader's" }) {
      ... on CreateCollectionPayload { collection { id } } } }`;
    return (await json(await graphql(query))).data.createCollection.collection.id;
  };
  const given = variables && JSON.parse(variables.text.replaceAll('COLLECTION_ID', await collectionId()));
  const response = await graphql(block.text, given);
  const text = await response.text();
  expect([response.status, JSON.parse(text).errors]).toEqual([200, undefined]);
  if (answer) expectAnswer(answer.text, text);
}

/** As the README's commands get it. */
async function authorization(): Promise<string> {
  token ||= (await reader.run(`printf %s "$TOKEN"\n`)).stdout;
  return `Bearer ${token}`;
}

async function graphql(query: string, variables?: object): Promise<Response> {
  const headers = { Authorization: await authorization(), 'Content-Type': 'application/json' };
  return reader.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
}

async function search(query: string): Promise<Response> {
  const headers = { Authorization: await authorization() };
  return reader.fetch(`/product/search?q=${encodeURIComponent(query)}`, { headers });
}

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on its shape
function json(response: Response): Promise<any> {
  return response.json();
}

function camelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function shownDefault(value: unknown): string {
  if (value === null || value === '') return 'none';
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}
