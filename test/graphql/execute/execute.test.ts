import {
  buildSchema,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLUnionType,
  getIntrospectionQuery,
  getOperationAST,
  parse,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { compileOperation } from '../../../src/graphql/execute/operation.ts';
import { both, expectAlike } from './both.ts';

const schema = buildSchema(/* GraphQL */ `
  interface Named { id: ID! name: String }
  enum Colour { RED BLUE }
  input Point { x: Int! = 1, y: Float, tags: [String!], colour: Colour }
  type Cat implements Named { id: ID! name: String lives: Int! colour: Colour kittens(first: Int = 2): [Cat!]! must(n: Int! = 1): Int path: String }
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
    wrongType: Pet
    objectType: Pet
    noName: Pet
    strays: [Stray]
    throwsText: Int
    rejectsNothing: Int
    promisesError: Cat
    cats: [Cat]
    notTexts: [String!]
    allCats: [Cat!]
    promisedCats: [Cat!]
    endless: [Int]
    parent: Parent!
    echoNumbers(numbers: [Int!]!): Int
    told: String
  }
  type Stray { id: ID! }
  type Parent { fails: Int rejects: Int requiredFails: Int! required: Parent! optional: Parent slow: Parent }
  type Mutation { add(n: Int!): Int! addLater(n: Int!): Cat! failing: Int must: Int! mustLater: Int! }
  type Subscription { ticks(count: Int!): Int! ticksFail: Int noTicks: Int }
`);

const cat = { id: 'cat_1', name: 'Tom "the" cat\n☃', lives: 9, colour: 'RED', __typename: 'Cat' };
const dog = { id: 7, name: null, weight: 12.5, isGood: true, __typename: 'Dog' };
function fails(): never {
  throw new Error('It fails.');
}
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
    wrongType: () => ({ __typename: 'Stray' }),
    objectType: () => ({ __typename: 5 }),
    noName: () => ({}),
    strays: () => [{ isStray: true }, {}, { isStray: 'later' }, { isStray: 'never' }],
    throwsText: () => {
      throw 'It fails.';
    },
    rejectsNothing: () => Promise.reject(),
    promisesError: async () => new Error('Promised.'),
    cats: () => [cat, new Error('One.'), Promise.reject(new Error('Two.')), undefined],
    notTexts: () => ['a', {}],
    allCats: () => [cat, null, cat],
    promisedCats: () => [cat, Promise.resolve(null), cat],
    *endless() {
      yield 1;
      throw new Error('It ends.');
    },
    parent: () => ({}),
  },
  Parent: {
    fails,
    rejects: async () => fails(),
    requiredFails: fails,
    required: () => ({}),
    optional: () => ({}),
    slow: async () => ({}),
  },
  Subscription: {},
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
    failing: fails,
    must: fails,
    mustLater: async () => fails(),
  },
};
for (const [type, fields] of Object.entries(resolvers)) {
  const known = (schema.getType(type) as GraphQLObjectType).getFields();
  for (const [name, resolve] of Object.entries(fields)) known[name]!.resolve = resolve;
}
const subscriptions = schema.getSubscriptionType()!.getFields();
subscriptions.ticks!.subscribe = async function* (_root, { count }: { count: number }) {
  for (let ticks = 1; ticks <= count; ticks++) yield { ticks };
};
subscriptions.ticksFail!.subscribe = fails;
subscriptions.noTicks!.subscribe = () => 5;
(schema.getType('Stray') as GraphQLObjectType).isTypeOf = ({ isStray }) =>
  typeof isStray === 'string' ? Promise.resolve(isStray === 'later') : isStray === true;
const typeName = (value: { __typename: string }) => value.__typename;
(schema.getType('Pet') as GraphQLUnionType).resolveType = async (value) => typeName(value);
(schema.getType('Named') as GraphQLInterfaceType).resolveType = typeName;

/** Its fields are the properties of the root. */
const plain = buildSchema('type Query { n: Int list: [Int!] }');

const thenable = (then: (resolve: (value: unknown) => void, reject: (error: Error) => void) => void) => ({
  then,
});

const alike = (text: string, variableValues = {}) => expectAlike({ schema, text, variableValues });

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
  ])('is executed as graphql-js does it: %s', async (_name, text, variables = {}) => {
    expect((await alike(text, variables)).errors).toBeUndefined();
  });

  it.each([
    ['of data that must not be null', '{ missing { id } dog { id } }'],
    ['of a field', '{ dog { id } fails later { id } }'],
    ['that come later', '{ rejects later { id } }'],
    ['that are no errors', '{ throwsText rejectsNothing }'],
    ['that are returned, or promised', '{ returnsError { id } promisesError { id } }'],
    ['of values that the type does not have', '{ wrongInt wrongEnum notAList }'],
    ['of a type that is not there', '{ noType { __typename } }'],
    [
      'of a type that does not fit',
      '{ wrongType { __typename } objectType { __typename } noName { __typename } }',
    ],
    ['of no object that it may be', '{ pets { __typename } strays { __typename } }'],
    ['of items', '{ cats { id } texts notTexts }'],
    ['of items that must not be null', '{ allCats { id } promisedCats { id } dog { id } }'],
    ['of iterators', '{ endless }'],
    ['below other errors', '{ parent { required { required { fails } } optional { fails } } }'],
    [
      'of one object, by what was begun before it',
      '{ parent { a: slow { rejects } requiredFails b: slow { rejects } } }',
    ],
    [
      'of all, by what was begun before it',
      '{ a: parent { slow { rejects } } missing { id } b: parent { slow { rejects } } }',
    ],
    ['of one name in two places', '{ parent { fails } parent { rejects ... { fails } } }'],
    ['of a mutation', 'mutation { failing a: add(n: 1) }'],
    ['of a mutation that must not be null', 'mutation { a: add(n: 1) must b: add(n: 2) }'],
    ['of a mutation, later', 'mutation { a: add(n: 1) mustLater b: add(n: 2) }'],
  ])('has the errors of graphql-js, in their order: %s', async (_name, text) => {
    expect((await alike(text)).errors).not.toEqual([]);
  });

  it('is executed in parts where the schema is asked for, too', async () => {
    const { data } = await alike(getIntrospectionQuery());
    expect(data).toHaveProperty('__schema.types');
    await alike(
      '{ dog { __typename } __type(name: "Cat") { name fields { name } } none: __type(name: "X") { name } }',
    );
  });

  it.each<[string, Record<string, unknown>]>([
    ['query ($id: ID!) { cat(id: $id) { id } }', {}],
    ['query ($id: ID!) { cat(id: $id) { id } }', { id: null }],
    ['query ($n: Int) { later { kittens(first: $n) { id } } }', { n: 1.5 }],
    ['query ($p: Point) { echo(point: $p) }', { p: { x: 1, z: 2 } }],
    ['query ($p: Point) { echo(point: $p) }', { p: { colour: 'GREEN' } }],
    ['query ($t: String) { echo(text: $t) }', { t: 5 }],
    ['query ($n: [Int!]!) { echoNumbers(numbers: $n) }', { n: Array.from({ length: 60 }, () => 'x') }],
  ])('refuses variables as graphql-js does: %s %j', async (text, variables) => {
    expect((await alike(text, variables)).errors!.length).toBeGreaterThan(0);
  });

  it.each<[string, Record<string, unknown>]>([
    ['query ($on: Boolean = true) { dog { id @include(if: $on) } }', { on: null }],
    ['query ($on: Boolean = true) { dog @skip(if: $on) { id } later { id } }', { on: null }],
    ['query ($n: Int! = 1) { later { kittens(first: $n) { id } } }', {}],
    ['query ($n: Int = 1) { cat(id: "1") { must(n: $n) id } later { id } }', { n: null }],
    [
      'query ($__proto__: Boolean!) { dog { id @skip(if: $__proto__) name } }',
      JSON.parse('{"__proto__":true}'),
    ],
    ['query ($__proto__: String) { echo(text: $__proto__) }', JSON.parse('{"__proto__":"x"}')],
    ['{ __proto__: dog { constructor: id __proto__: name } }', {}],
  ])('takes what is odd as graphql-js does: %s %j', async (text, variables) => {
    await alike(text, variables);
  });

  it('tells resolvers what graphql-js tells them', async () => {
    const told: unknown[] = [];
    const { told: field } = schema.getQueryType()!.getFields();
    field!.resolve = (_root, _args, _context, info: GraphQLResolveInfo) => {
      const { fieldName, fieldNodes, returnType, parentType, path, rootValue, operation, variableValues } =
        info;
      told.push({
        fieldName,
        fieldNodes,
        returnType,
        parentType,
        path,
        rootValue,
        operation,
        variableValues,
      });
      told.push(info.schema === schema, { ...info.fragments });
      return 'told';
    };
    const text =
      'query ($a: ID! = 5) { a: told ...F cat(id: $a) { id } } fragment F on Query { a: told b: told @skip(if: false) }';
    const { compiled, interpreted } = both({ schema, text, rootValue: { root: true } });
    await interpreted();
    const expected = told.splice(0);
    await compiled();
    expect(told).toEqual(expected);
    expect(told).toHaveLength(6);
  });

  it('tells them the path through lists, and types what they are of', async () => {
    const paths: unknown[] = [];
    const { path: field } = (schema.getType('Cat') as GraphQLObjectType).getFields();
    field!.resolve = (_cat, _args, _context, { path }) => {
      paths.push(path);
      return '';
    };
    const { compiled, interpreted } = both({
      schema,
      text: '{ pets { ... on Cat { x: path } } later { kittens { path } } }',
    });
    await interpreted();
    const expected = paths.splice(0);
    await compiled();
    expect(paths).toEqual(expected);
    expect(paths.length).toBeGreaterThan(2);
  });

  it('ends where what gives the items of a list fails, and an item of it later', async () => {
    function* items() {
      yield new Promise((_, reject) => setTimeout(reject, 5, new Error('The item fails.')));
      throw new Error('The list fails.');
    }
    const later = new Promise((resolve) => setTimeout(resolve, 10, 1));
    // Not compared: graphql-js leaves the item's rejection unhandled.
    const { compiled } = both({ schema: plain, text: '{ list n }', rootValue: { list: items, n: later } });
    expect(JSON.parse(await compiled())).toMatchObject({
      data: { list: null, n: 1 },
      errors: [{ message: 'The list fails.', path: ['list'] }],
    });
  });

  it('ends where a thenable throws, and takes what one says first', async () => {
    const throwing = thenable(fails);
    await expectAlike({ schema: plain, text: '{ n }', rootValue: { n: throwing } });
    await expectAlike({ schema: plain, text: '{ list m: n }', rootValue: { list: [1, throwing], n: 1 } });
    const talkative = thenable((resolve, reject) => {
      resolve(1);
      resolve(2);
      reject(new Error('It fails.'));
    });
    const { compiled } = both({ schema: plain, text: '{ n m: n }', rootValue: { n: talkative } });
    expect(await compiled()).toBe('{"data":{"n":1,"m":1}}');
  });

  it('waits for all that it has begun, though the result is known before', async () => {
    let isDone = false;
    const { later } = schema.getQueryType()!.getFields();
    const { resolve } = later!;
    later!.resolve = async () => {
      await new Promise((go) => setTimeout(go, 10));
      isDone = true;
      return cat;
    };
    const { errors } = JSON.parse(await both({ schema, text: '{ later { id } missing { id } }' }).compiled());
    expect(errors).toHaveLength(1);
    expect(isDone).toBe(true);
    later!.resolve = resolve;
  });

  it('executes the fields of a mutation one after the other, each with all that is selected from it', async () => {
    const text = 'mutation { a: add(n: 1) b: addLater(n: 2) { name } c: add(n: 3) }';
    log = [];
    await both({ schema, text }).compiled();
    expect(log).toEqual(['begin 1', 'end 1', 'cat 2', 'name 2', 'begin 3', 'end 3']);
  });

  it('does not go on with a mutation behind a field that failed and must not be null', async () => {
    log = [];
    await both({ schema, text: 'mutation { must add(n: 1) }' }).compiled();
    expect(log).toEqual([]);
    await both({ schema, text: 'mutation { failing add(n: 1) }' }).compiled();
    expect(log).toEqual(['begin 1', 'end 1']);
  });

  it('holds functions for 8 sets of conditions, and executes any other', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const text = `query (${names.map((n) => `$${n}: Boolean!`)}) { ${names.map((n) => `${n}: dog @skip(if: $${n}) { id }`).join(' ')} }`;
    for (let i = 0; i < 16; i++) {
      const values = names.map((name, bit) => [name, (i & (1 << bit)) > 0]);
      await alike(text, Object.fromEntries(values));
    }
    const variants = (text: string) => {
      const document = parse(text);
      return compileOperation(schema, document, getOperationAST(document)!).variants;
    };
    expect(variants('{ dog { id } }')).toBe(1);
    expect(variants('query ($a: Boolean!) { dog @skip(if: $a) { id } }')).toBe(2);
    expect(variants(text)).toBe(8);
  });

  it('has the cause where it cannot be compiled', async () => {
    const broken = buildSchema('type Query { name: String }');
    const mistake = new TypeError('A mistake of ours.');
    Object.defineProperty(broken.getQueryType()!.getFields().name, 'args', {
      get() {
        throw mistake;
      },
    });
    const document = parse('{ name }');
    const operation = compileOperation(broken, document, getOperationAST(document)!);
    const { data, errors } = await operation.execute({ context: {}, variableValues: {} });
    expect(data).toBe('null');
    expect(errors).toHaveLength(1);
    expect(errors![0]).toBeInstanceOf(GraphQLError);
    expect(errors![0]!.originalError).toBe(mistake);
  });
});

describe('a compiled subscription', () => {
  const compiled = (text: string) => {
    const document = parse(text);
    return compileOperation(schema, document, getOperationAST(document)!);
  };
  const subscribe = (text: string) => compiled(text).subscribe({ context: {}, variableValues: {} });

  it('gives the events of its field, each of which is executed as its root', async () => {
    const operation = compiled('subscription { tick: ticks(count: 2) }');
    const events = await operation.subscribe({ context: {}, variableValues: {} });
    const results = [];
    for await (const rootValue of events as AsyncIterable<unknown>)
      results.push(await operation.execute({ context: {}, variableValues: {}, rootValue }));
    expect(results).toEqual([{ data: '{"tick":1}' }, { data: '{"tick":2}' }]);
  });

  it('has located errors where there are none', async () => {
    expect(await subscribe('subscription { ticksFail }')).toMatchObject({
      errors: [{ message: 'It fails.', path: ['ticksFail'] }],
    });
    await expect(subscribe('subscription { noTicks }')).rejects.toThrow('Async Iterable');
  });

  it('has an error where its field is skipped', async () => {
    expect(await subscribe('subscription { ticksFail @skip(if: true) }')).toMatchObject({
      errors: [{ message: 'A subscription must select a field.', extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });
});
