import { setImmediate as turn } from 'node:timers/promises';
import {
  buildSchema,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  isObjectType,
  parse,
  type ResponsePath,
  validate,
} from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import { FUZZ_SEED, fuzzRuns } from '../../support/fuzz.ts';
import { both } from './both.ts';

const schema = buildSchema(/* GraphQL */ `
  interface Any { id: Int! maybe: Node sure: Node! list: [Node]! }
  type Node implements Any {
    id: Int! number: Int numbers: [Int!] sparse: [Int] any: Any sureAny: Any! anys: [Any!]!
    maybe: Node sure: Node! list: [Node]! maybeList: [Node] full: [Node!] sureFull: [Node!]!
  }
  type Query {
    id: Int! number: Int numbers: [Int!] any: Any sureAny: Any! anys: [Any!]!
    maybe: Node sure: Node! list: [Node]! maybeList: [Node] full: [Node!] sureFull: [Node!]!
  }
  type Mutation { id: Int! number: Int any: Any maybe: Node maybeList: [Node] full: [Node!] }
`);
const RUNS = fuzzRuns(400);
/** How often each thing goes wrong. */
const RARELY = 0.06;
const MAX_DEPTH = 3;

/** What a position comes to, from its path alone: both executions meet the same. */
class Fate {
  readonly #seed: number;
  readonly #waiting: { when: number; go: () => void }[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** From 0 to 1. */
  draw(key: string): number {
    let hash = Math.imul(this.#seed, 2654435761);
    for (const char of key) hash = Math.imul(hash ^ char.charCodeAt(0), 16777619);
    hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
    hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
    return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
  }

  /** At once, or in a turn of its own; those that wait come in an order that their keys decide. */
  soonOrLater(key: string, make: () => unknown): unknown {
    if (this.draw(`soon ${key}`) < 0.5) return make();
    const { promise, resolve, reject } = withResolvers();
    const go = () => {
      try {
        resolve(make());
      } catch (error) {
        reject(error);
      }
    };
    this.#waiting.push({ when: this.draw(`when ${key}`), go });
    return promise;
  }

  /** Lets all that waits come, one after the other. */
  async pass(result: Promise<string>): Promise<string> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    result.then(done, done);
    while (!isDone || this.#waiting.length > 0) {
      await turn();
      this.#waiting.sort((a, b) => a.when - b.when);
      this.#waiting.shift()?.go();
    }
    return result;
  }
}

function withResolvers() {
  let resolve!: (value: unknown) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

let fate: Fate;

function drawValue(kind: string, key: string): unknown {
  const drawn = fate.draw(key);
  if (drawn < RARELY) throw new Error(`Thrown at ${key}`);
  if (drawn < 2 * RARELY) return new Error(`Returned at ${key}`);
  if (drawn < 3 * RARELY) return null;
  if (/^(.*list|full|.*Full|anys|numbers|sparse|maybeList)$/.test(kind)) {
    const item = /numbers|sparse/.test(kind) ? 'number' : 'item';
    return Array.from({ length: Math.floor(4 * fate.draw(`length ${key}`)) }, (_, i) =>
      fate.draw(`promised ${key} ${i}`) < 0.5
        ? fate.soonOrLater(`${key} ${i}`, () => drawValue(item, `${key} ${i}`))
        : { key: `${key} ${i}` },
    ).map((one) => (item === 'number' && !(one instanceof Promise) ? 7 : one));
  }
  return /^(id|number)$/.test(kind) ? (drawn < 4 * RARELY ? 1.5 : Math.floor(1000 * drawn)) : { key };
}

const textOf = (path: ResponsePath | undefined): string => (path ? `${textOf(path.prev)}.${path.key}` : '');
for (const type of Object.values(schema.getTypeMap())) {
  if (!isObjectType(type) || type.name.startsWith('__')) continue;
  for (const field of Object.values(type.getFields())) {
    field.resolve = (_source, _args, _context, { path }: GraphQLResolveInfo) =>
      fate.soonOrLater(textOf(path), () => drawValue(field.name, textOf(path)));
  }
}
(schema.getType('Any') as GraphQLInterfaceType).resolveType = ({ key }: { key: string }) =>
  fate.soonOrLater(`type ${key}`, () => 'Node') as string;

function selection(type: GraphQLObjectType, key: string, depth: number): string {
  const fields = Object.values(type.getFields());
  const parts = ['__typename'];
  for (let i = Math.floor(4 * fate.draw(`fields ${key}`)); i >= 0; i--) {
    const { name, type } = fields[Math.floor(fields.length * fate.draw(`field ${key} ${i}`))]!;
    const isLeaf = /Int/.test(String(type));
    if (!isLeaf && depth === MAX_DEPTH) continue;
    const node = schema.getType('Node') as GraphQLObjectType;
    const below = isLeaf ? '' : selection(node, `${key} ${i}`, depth + 1);
    const isAny = /Any/.test(String(type));
    parts.push(`f${i}: ${name} ${isAny ? `{ ... on Node ${below} }` : below}`);
  }
  return `{ ${parts.join(' ')} }`;
}

it('any mixture of values, errors and promises of them is executed as graphql-js does it', async () => {
  // graphql-js leaves promises alone that come to an error beside another one.
  const ignore = () => {};
  process.on('unhandledRejection', ignore);
  onTestFinished(() => void process.off('unhandledRejection', ignore));
  let errors = 0;
  for (let seed = FUZZ_SEED; seed < FUZZ_SEED + RUNS; seed++) {
    fate = new Fate(seed);
    const kind = fate.draw('kind') < 0.2 ? 'mutation' : 'query';
    const root = kind === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
    const text = `${kind} ${selection(root, '', 0)}`;
    if (validate(schema, parse(text)).length > 0) continue;
    const { compiled, interpreted } = both({ schema, text });
    const expected = await fate.pass(interpreted());
    expect(await fate.pass(compiled()), `${seed}: ${text}`).toBe(expected);
    if (expected.startsWith('{"errors"')) errors++;
  }
  expect(errors).toBeGreaterThan(RUNS / 4);
}, 36_000_000);
