import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { compiledOperations } from '../../../src/graphql/compiled/operations.ts';
import type { GraphQLContext } from '../../../src/graphql/context.ts';
import { sampleYoga } from '../plugins/sample-yoga.ts';

const { schema } = sampleYoga().yoga.getEnveloped({});

/** Whether each execution of a document in its turn is a compiled one. */
function executor(fromExecution: number) {
  const operations = compiledOperations(schema, fromExecution);
  return (document: ReturnType<typeof parse>, operationName?: string): boolean => {
    const key = { query: document.loc!.source.body, operationName };
    if (operations.get(key)) return true;
    const operation = document.definitions.find(
      (one) => one.kind === 'OperationDefinition' && one.name?.value === operationName,
    );
    return operations.executed(key, document, operation as never) !== null;
  };
}

const fields = (count: number, note = '') => parse(`#${note}\n{ ${'name '.repeat(count)} }`);
const CONDITIONS = ['$a', '$b', '$c', '$d'];

describe('the operations that are compiled', () => {
  it('are so from their third execution on, each of a document apart, but for subscriptions', () => {
    const isCompiled = executor(3);
    const document = parse(
      'query a { name } query b { self { name } } mutation c { ping } subscription d { ticks(count: 1) }',
    );
    expect([1, 2, 3, 4].map(() => isCompiled(document, 'a'))).toEqual([false, false, true, true]);
    expect([1, 2, 3].map(() => isCompiled(document, 'b'))).toEqual([false, false, true]);
    expect([1, 2, 3].map(() => isCompiled(document, 'c'))).toEqual([false, false, true]);
    expect([1, 2, 3].map(() => isCompiled(document, 'd'))).toEqual([false, false, false]);
  });

  it('are not taken for a text that only looks like one of them', () => {
    const operations = compiledOperations(schema, 1);
    const document = parse('query a { name }');
    operations.executed(
      { query: 'query a { name }', operationName: 'a' },
      document,
      document.definitions[0] as never,
    );
    expect(operations.get({ query: 'query a { name }', operationName: 'a' })).toBeDefined();
    expect(operations.get({ query: 'query a { name }' })).toBeUndefined();
    expect(operations.get({ query: 'a\nquery a { name }' })).toBeUndefined();
    const commented = parse('#\n{ name }');
    operations.executed({ query: '#\n{ name }' }, commented, commented.definitions[0] as never);
    expect(operations.get({ query: '#\n{ name }', operationName: null })).toBeDefined();
    expect(operations.get({ query: '#\n{ name }', operationName: '' })).toBeUndefined();
    expect(operations.get({ query: '{ name }', operationName: '\n#' })).toBeUndefined();
  });

  it('have up to 300 fields, those of fragments once for each spread', () => {
    const isCompiled = executor(1);
    expect(isCompiled(fields(300))).toBe(true);
    expect(isCompiled(fields(301))).toBe(false);
    const spread = (times: number) =>
      parse(`{ ${'...F '.repeat(times)} } fragment F on Query { ${'name '.repeat(30)} }`);
    expect(isCompiled(spread(10))).toBe(true);
    expect(isCompiled(spread(11))).toBe(false);
  });

  it('have up to 3 variables that decide what is selected', () => {
    const isCompiled = executor(1);
    const conditional = (names: string[]) =>
      parse(
        `query (${names.map((name) => `${name}: Boolean!`).join()}) { ${names.map((name) => `name @skip(if: ${name})`).join(' ')} }`,
      );
    expect(isCompiled(conditional(CONDITIONS.slice(0, 3)))).toBe(true);
    expect(isCompiled(conditional(CONDITIONS))).toBe(false);
  });

  it('are left to the interpreter where such a variable is null', async () => {
    const operations = compiledOperations(schema, 1);
    const query = 'query ($on: Boolean = true) { name @include(if: $on) }';
    const document = parse(query);
    const compiled = operations.executed({ query }, document, document.definitions[0] as never)!;
    const context = {} as GraphQLContext;
    expect(await compiled.execute(context, {}).data).toBe('{"name":"sample"}');
    expect(await compiled.execute(context, { on: false }).data).toBe('{}');
    expect(compiled.execute(context, { on: null }).data).toBeNull();
  });

  it('are left to the interpreter where such a variable has a name that no object can be given', () => {
    const operations = compiledOperations(schema, 1);
    const query = 'query ($__proto__: Boolean!) { name @skip(if: $__proto__) }';
    const document = parse(query);
    const compiled = operations.executed({ query }, document, document.definitions[0] as never)!;
    expect(compiled.execute({} as GraphQLContext, JSON.parse('{"__proto__":true}')).data).toBeNull();
  });

  it('are chosen by their own variables, whatever other operations of the document have', async () => {
    const operations = compiledOperations(schema, 1);
    const query =
      'query a($on: Boolean!) { name @skip(if: $on) } query b($b: Boolean!, $c: Boolean!, $d: Boolean!) { name @skip(if: $b) @skip(if: $c) @skip(if: $d) }';
    const document = parse(query);
    const [a] = document.definitions;
    const compiled = operations.executed({ query, operationName: 'a' }, document, a as never)!;
    expect(await compiled.execute({} as GraphQLContext, { on: true }).data).toBe('{}');
  });

  it.each([
    ['fields', (note: string) => fields(300, note)],
    ['tokens', (note: string) => parse(`#${note}\n{ ${'name(a: "b") '.repeat(280)} }`)],
  ])('are held as many as their %s let them', (_name, make) => {
    const operations = compiledOperations(schema, 1);
    const documents = Array.from({ length: 60 }, (_, i) => make(String(i)));
    const keys = documents.map((document) => ({ query: document.loc!.source.body }));
    const execute = (i: number) =>
      operations.executed(keys[i]!, documents[i]!, documents[i]!.definitions[0] as never);
    for (const i of documents.keys()) execute(i);
    expect(operations.cache.bytes).toBeLessThanOrEqual(32 * 1024 * 1024);
    expect(operations.cache.size).toBeLessThan(60);
    expect(operations.get(keys[0]!)).toBeUndefined();
    expect(operations.get(keys.at(-1)!)).toBeDefined();
    expect(execute(0)).not.toBeNull();
    expect(operations.get(keys[0]!)).toBeDefined();
  });
});
