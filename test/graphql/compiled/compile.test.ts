import {
  buildSchema,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLUnionType,
  getOperationAST,
  parse,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/graphql/compiled/compile.ts';
import { Kept } from '../../../src/graphql/compiled/kept.ts';
import { variableReader } from '../../../src/graphql/compiled/variables.ts';
import type { GraphQLContext } from '../../../src/graphql/context.ts';

const schema = buildSchema(/* GraphQL */ `
  interface Named { id: ID! name: String }
  enum Colour { RED BLUE }
  input Point { x: Int! = 1, y: Float, tags: [String!], colour: Colour }
  type Cat implements Named { id: ID! name: String lives: Int! colour: Colour kittens(first: Int = 2): [Cat!]! }
  type Dog implements Named { id: ID! name: String weight: Float isGood: Boolean! }
  union Pet = Cat | Dog
  type Query {
    cat(id: ID!): Cat
    later: Cat!
    dog: Dog!
    pets: [Pet!]!
    pet: Pet
    named: [Named]
    matrix: [[Int]!]!
    texts: [String]
    echo(text: String = "x", point: Point, ids: [ID!]): String
    nothing: Cat
    missing: Cat!
    fails: Int
    rejects: Int
    wrongInt: Int
    wrongEnum: Colour
    notAList: [Int]
    returnsError: Cat
    noType: Pet
  }
  type Mutation { add(n: Int!): Int! addLater(n: Int!): Cat! failing: Int }
`);

const cat = { id: 'cat_1', name: 'Tom "the" cat\n☃', lives: 9, colour: 'RED', __typename: 'Cat' };
const dog = { id: 7, name: null, weight: 12.5, isGood: true, __typename: 'Dog' };
const kittens = (_cat: unknown, { first }: { first: number }) =>
  Array.from({ length: first }, (_, i) => ({ ...cat, id: `cat_${i}`, lives: -0 + i }));

let log: string[] = [];
const resolvers: Record<string, Record<string, GraphQLFieldResolver<unknown, unknown>>> = {
  Cat: { kittens: kittens as never },
  Query: {
    cat: (_root, { id }) => ({ ...cat, id }),
    later: async () => cat,
    dog: () => dog,
    pets: () => [cat, Promise.resolve(dog), { ...dog, weight: 1e21 }],
    pet: async () => dog,
    named: () => [cat, null, dog],
    matrix: () => [[1, null], [], [Promise.resolve(3)]],
    texts: () => ['a', null, Promise.resolve('b')],
    echo: (_root, args) => JSON.stringify(args),
    nothing: () => undefined,
    missing: () => null,
    fails: () => {
      throw new Error('It fails.');
    },
    rejects: async () => {
      throw new Error('It fails later.');
    },
    wrongInt: () => 1.5,
    wrongEnum: () => 'GREEN',
    notAList: () => 5,
    returnsError: () => new Error('Returned.'),
    noType: () => ({ __typename: 'Money' }),
  },
  Mutation: {
    add: async (_root, { n }) => {
      log.push(`begin ${n}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push(`end ${n}`);
      return n;
    },
    addLater: (_root, { n }) => {
      log.push(`cat ${n}`);
      return { ...cat, name: () => Promise.resolve().then(() => log.push(`name ${n}`) && 'Tom') };
    },
    failing: () => {
      throw new Error('It fails.');
    },
  },
};
for (const [type, fields] of Object.entries(resolvers)) {
  const known = (schema.getType(type) as GraphQLObjectType).getFields();
  for (const [name, resolve] of Object.entries(fields)) known[name]!.resolve = resolve;
}
const typeName = (value: { __typename: string }) => value.__typename;
(schema.getType('Pet') as GraphQLUnionType).resolveType = async (value) => typeName(value);
(schema.getType('Named') as GraphQLInterfaceType).resolveType = typeName;

const context = { catalogue: null, preferences: null } as unknown as GraphQLContext;

async function compiled(text: string, sent: Record<string, unknown> = {}): Promise<unknown> {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const operation = getOperationAST(document)!;
  const variables = variableReader(schema, operation.variableDefinitions ?? [])(sent);
  if (!variables) return null;
  const made = compile(schema, document, operation, variables as Record<string, boolean>, new Kept());
  const data = (await made?.execute(context, variables)) ?? null;
  return data === null ? null : JSON.parse(data);
}

async function interpreted(
  text: string,
  variableValues: Record<string, unknown> = {},
): Promise<ExecutionResult> {
  const result = await execute({ schema, document: parse(text), contextValue: context, variableValues });
  return JSON.parse(JSON.stringify(result));
}

describe('a compiled operation', () => {
  it.each<[string, string, Record<string, unknown>?]>([
    [
      'scalars and enumerations',
      '{ cat(id: 5) { id name lives colour __typename } dog { id name weight isGood } }',
    ],
    [
      'aliases, and fields that are asked for twice',
      '{ a: cat(id: 1) { x: id } a: cat(id: 1) { id y: lives } }',
    ],
    [
      'promises beside values',
      '{ dog { id } later { name } pet { __typename ... on Dog { id } } cat(id: 2) { id } }',
    ],
    ['unions', '{ pets { __typename ... on Cat { lives } ... on Dog { id weight } ... on Named { name } } }'],
    ['interfaces', '{ named { id name ... on Cat { colour } } }'],
    [
      'named fragments, each once',
      '{ later { ...A ...A ...B } } fragment A on Cat { id ...B } fragment B on Named { name }',
    ],
    ['lists in lists', '{ matrix texts }'],
    ['what is null', '{ nothing { id } named { id } }'],
    [
      'arguments and their defaults',
      '{ later { kittens { id } k: kittens(first: 0) { id } } echo(point: { y: 1.5 }) }',
    ],
    [
      'variables',
      'query ($id: ID!, $n: Int = 3, $p: Point, $t: String) { cat(id: $id) { id kittens(first: $n) { lives } } echo(text: $t, point: $p) }',
      { id: 'a"b', p: { x: 2, tags: ['a', 'b'], colour: 'BLUE' } },
    ],
    ['variables in lists', 'query ($a: ID!) { echo(ids: ["x", $a]) }', { a: 5 }],
    ['variables that are null', 'query ($t: String = "d") { echo(text: $t) }', { t: null }],
    ['a mutation of which nothing is included', 'mutation { add(n: 1) @skip(if: true) }'],
    ['a query of which nothing is included', '{ later @skip(if: true) { id } }'],
    [
      'nothing included',
      '{ later { id @skip(if: true) } dog { id @include(if: false) name @skip(if: false) } }',
    ],
    ...[true, false].map((on): [string, string, Record<string, unknown>] => [
      `conditions that are ${on}`,
      'query ($on: Boolean!) { dog { id @include(if: $on) name @skip(if: $on) ... @include(if: $on) { weight } ...F @skip(if: $on) } } fragment F on Dog { isGood }',
      { on },
    ]),
  ])('answers like the interpreter: %s', async (_name, text, variables = {}) => {
    const { data, errors } = await interpreted(text, variables);
    expect(errors).toBeUndefined();
    expect(await compiled(text, variables)).toEqual(data);
  });

  it.each([
    '{ missing { id } }',
    '{ dog { id } fails }',
    '{ rejects later { id } }',
    '{ wrongInt }',
    '{ wrongEnum }',
    '{ notAList }',
    '{ returnsError { id } }',
    '{ noType { __typename } }',
    'mutation { failing }',
  ])('leaves to the interpreter what has errors: %s', async (text) => {
    expect((await interpreted(text)).errors).toHaveLength(1);
    expect(await compiled(text)).toBeNull();
  });

  it.each(['{ __schema { queryType { name } } }', '{ __type(name: "Cat") { name } }'])(
    'leaves introspection to the interpreter: %s',
    async (text) => expect(await compiled(text)).toBeNull(),
  );

  it.each<[string, Record<string, unknown>]>([
    ['query ($id: ID!) { cat(id: $id) { id } }', {}],
    ['query ($id: ID!) { cat(id: $id) { id } }', { id: null }],
    ['query ($n: Int) { later { kittens(first: $n) { id } } }', { n: 1.5 }],
    ['query ($p: Point) { echo(point: $p) }', { p: { x: 1, z: 2 } }],
    ['query ($p: Point) { echo(point: $p) }', { p: { colour: 'GREEN' } }],
    ['query ($t: String) { echo(text: $t) }', { t: 5 }],
  ])('leaves to the interpreter variables that are refused: %s %j', async (text, variables) => {
    expect((await interpreted(text, variables)).errors).toHaveLength(1);
    expect(await compiled(text, variables)).toBeNull();
  });

  it('waits for all that it has begun before it gives up', async () => {
    let isDone = false;
    const { resolve } = schema.getQueryType()!.getFields().later!;
    schema.getQueryType()!.getFields().later!.resolve = async () => {
      await new Promise((go) => setTimeout(go, 10));
      isDone = true;
      return cat;
    };
    expect(await compiled('{ rejects later { id } }')).toBeNull();
    expect(isDone).toBe(true);
    schema.getQueryType()!.getFields().later!.resolve = resolve;
  });

  it('executes the fields of a mutation one after the other, each with all that is selected from it', async () => {
    const text = 'mutation { a: add(n: 1) b: addLater(n: 2) { name } c: add(n: 3) }';
    log = [];
    expect(await compiled(text)).toEqual({ a: 1, b: { name: 'Tom' }, c: 3 });
    expect(log).toEqual(['begin 1', 'end 1', 'cat 2', 'name 2', 'begin 3', 'end 3']);
  });

  it('does not go on with a mutation behind a field that failed', async () => {
    log = [];
    expect(await compiled('mutation { failing add(n: 1) }')).toBeNull();
    expect(log).toEqual([]);
  });
});
