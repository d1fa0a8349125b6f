import { type ExecutionArgs, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { useCompiledExecution } from '../../../src/graphql/plugins/compiled.ts';
import { sampleYoga } from './sample-yoga.ts';

const { schema } = sampleYoga().yoga.getEnveloped({});

/** Whether each execution of a document in its turn is a compiled one. */
function executor(fromExecution: number) {
  const { onExecute } = useCompiledExecution(fromExecution);
  return (document: ReturnType<typeof parse>, operationName?: string): boolean => {
    let isCompiled = false;
    const args = { schema, document, operationName } as ExecutionArgs;
    const setExecuteFn = () => {
      isCompiled = true;
    };
    onExecute!({ args, executeFn: () => {}, setExecuteFn } as never);
    return isCompiled;
  };
}

const fields = (count: number) => parse(`{ ${'name '.repeat(count)} }`);

describe('compiled execution', () => {
  it('begins with the third of an operation, and not of its document', () => {
    const isCompiled = executor(3);
    const document = parse('query a { name } query b { self { name } } mutation c { ping }');
    expect([1, 2, 3, 4].map(() => isCompiled(document, 'a'))).toEqual([false, false, true, true]);
    expect([1, 2, 3].map(() => isCompiled(document, 'b'))).toEqual([false, false, true]);
    expect([1, 2, 3].map(() => isCompiled(document, 'c'))).toEqual([false, false, false]);
  });

  it('takes operations of up to 300 fields, those of fragments once for each spread', () => {
    const isCompiled = executor(1);
    expect(isCompiled(fields(300))).toBe(true);
    expect(isCompiled(fields(301))).toBe(false);
    const spread = (times: number) =>
      parse(`{ ${'...F '.repeat(times)} } fragment F on Query { ${'name '.repeat(30)} }`);
    expect(isCompiled(spread(10))).toBe(true);
    expect(isCompiled(spread(11))).toBe(false);
  });

  it.each([
    ['fields', () => fields(300), 23],
    ['tokens', () => parse(`{ ${'name(a: "b") '.repeat(280)} }`), 16],
  ])('holds as many as their %s let it', (_name, make, most) => {
    const isCompiled = executor(2);
    const documents = Array.from({ length: 30 }, make);
    for (const document of documents) for (let i = 0; i < 2; i++) isCompiled(document);
    const held = documents.filter((document) => isCompiled(document)).length;
    expect(held).toBe(most);
  });
});
