import { buildSchema, GraphQLError, getOperationAST, parse, validate } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { compileOperation, type ExecutionInput } from '../../../src/graphql/execute/operation.ts';
import type { Bounds } from '../../../src/graphql/execute/run.ts';
import { publicResult } from '../../../src/graphql/public-result.ts';
import { newGate } from '../../support/gate.ts';

const schema = buildSchema(/* GraphQL */ `
  type Item { n: Int! text: String later: Item items(count: Int!): [Item!]! maybe(count: Int!): [Item] fails: Int failsLater: Int must: Int! }
  type Query { items(count: Int!): [Item!]! maybe(count: Int!): [Item!] laters(count: Int!): [Item!]! one: Item }
  type Mutation { add(count: Int!): Item! more: Item! maybeMore: Item }
`);

const TEXT = 'ö'.repeat(10);

let resolved: number;
let mutated: string[];
const item = (n: number): object => ({
  n,
  text: () => {
    resolved++;
    return TEXT;
  },
  later: async () => item(n + 1),
  items: ({ count }: { count: number }) => itemsOf(count),
  maybe: ({ count }: { count: number }) => itemsOf(count),
  fails: () => {
    throw new Error(`It fails: ${n}.`);
  },
  failsLater: async () => {
    throw new Error(`It fails later: ${n}.`);
  },
  must: () => (n === 40 ? null : n),
});
const itemsOf = (count: number) => Array.from({ length: count }, (_, i) => item(i));

const rootValue = {
  items: ({ count }: { count: number }) => itemsOf(count),
  maybe: ({ count }: { count: number }) => itemsOf(count),
  laters: ({ count }: { count: number }) => itemsOf(count).map(async (one) => one),
  one: () => item(0),
  add: ({ count }: { count: number }) => {
    mutated.push('add');
    return { ...item(0), items: () => itemsOf(count) };
  },
  more: () => {
    mutated.push('more');
    return item(1);
  },
};

function compiled(text: string) {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  return compileOperation(schema, document, getOperationAST(document)!);
}

const tooLarge = (mutation?: string) => new GraphQLError(`It is too large, up to ${mutation ?? 'nothing'}.`);

async function executed(
  text: string,
  bounds: Partial<Bounds>,
  eachMutation?: ExecutionInput['eachMutation'],
  root: unknown = rootValue,
) {
  resolved = 0;
  mutated = [];
  const { data, errors } = await compiled(text).execute({
    context: {},
    variableValues: {},
    rootValue: root,
    bounds: { maxBytes: Number.POSITIVE_INFINITY, tooLarge, ...bounds },
    ...(eachMutation && { eachMutation }),
  });
  return { data, errors };
}

describe('turns of an execution', () => {
  const OPERATIONS = [
    '{ items(count: 0) { n } }',
    '{ items(count: 100) { n items(count: 20) { n text } } }',
    '{ laters(count: 100) { n later { n items(count: 3) { later { n } } } } one { n } }',
    '{ items(count: 50) { fails n } }',
    '{ one { maybe(count: 50) { must } n } }',
    '{ one { items(count: 50) { must } n } }',
    '{ maybe(count: 50) { must items(count: 50) { n } } one { n } }',
    'mutation { add(count: 50) { items(count: 1) { n } } more { n items(count: 40) { n } } }',
  ];

  it.each(OPERATIONS)('change nothing of what is answered: %s', async (text) => {
    const atOnce = await executed(text, {});
    const waits = [
      () => Promise.resolve(),
      () => new Promise<void>((resolve) => setImmediate(resolve)),
      everyThird(() => new Promise<void>((resolve) => setImmediate(resolve))),
    ];
    for (const turn of waits) {
      const { data, errors } = await executed(text, { turn });
      expect(data).toBe(atOnce.data);
      const said = (all = errors) => (all ?? []).map(({ message, path }) => JSON.stringify([message, path]));
      expect(said().sort()).toEqual(said(atOnce.errors).sort());
    }
  });

  it('are asked for once in 16 items, and before what was waited for is written', async () => {
    let asked = 0;
    const turn = () => {
      asked++;
      return undefined;
    };
    await executed('{ items(count: 160) { n } }', { turn });
    expect(asked).toBe(10);
    asked = 0;
    await executed('{ one { later { later { n } } } }', { turn });
    expect(asked).toBe(2);
  });

  it('let nothing more be executed until they come', async () => {
    let goOn = () => {};
    const turn = everyThird(
      () =>
        new Promise<void>((resolve) => {
          goOn = resolve;
        }),
    );
    const execution = executed('{ items(count: 100) { text } }', { turn });
    expect(resolved).toBe(32);
    goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect(resolved).toBe(64);
    goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect(resolved).toBe(96);
    goOn();
    expect((await execution).data).toBe(JSON.stringify({ items: itemsOf(100).map(() => ({ text: TEXT })) }));
  });
});

describe('an execution that nobody waits for any more', () => {
  const gone = new GraphQLError('Nobody waits.');
  const waiterUntil = (hasGone: () => boolean) => ({ hasGone, goneError: () => gone });
  const slowly = () => new Promise<void>((resolve) => setImmediate(resolve));

  it.each(['{ items(count: 100) { text } }', '{ laters(count: 100) { text later { text } } }'])(
    'is executed no further: %s',
    async (text) => {
      const whole = await executed(text, {});
      const inAll = resolved;
      expect(inAll).toBeGreaterThanOrEqual(100);
      expect(await executed(text, { turn: slowly, waiter: waiterUntil(() => false) })).toEqual(whole);
      expect(resolved).toBe(inAll);
      const cut = await executed(text, { turn: slowly, waiter: waiterUntil(() => resolved >= 10) });
      expect(cut).toEqual({ data: 'null', errors: [gone] });
      expect(resolved).toBeLessThan(30);
    },
  );

  it('ends when what was begun has, whose errors are told', async () => {
    let hasGone = false;
    let ended = 0;
    const gate = newGate();
    const one = {
      n: gate.opened.then(() => ++ended),
      later: gate.opened.then(() => {
        throw new Error('It fails.');
      }),
    };
    const waiter = waiterUntil(() => hasGone);
    const execution = executed('{ one { n later { n } } }', { waiter }, undefined, { one });
    hasGone = true;
    expect(await Promise.race([execution, slowly().then(() => 'goes on')])).toBe('goes on');
    gate.open();
    const { data, errors } = await execution;
    expect([ended, data]).toEqual([1, 'null']);
    expect(errors?.map(({ message }) => message)).toEqual(['It fails.', 'Nobody waits.']);
  });

  it('takes a turn for each field that fails', async () => {
    let turns = 0;
    let hasGone = false;
    const turn = () => {
      if (!hasGone) return undefined;
      turns++;
      return slowly();
    };
    const gate = newGate();
    const laters = Array.from({ length: 10 }, async () => {
      await gate.opened;
      throw new Error('It fails.');
    });
    const waiter = waiterUntil(() => hasGone);
    const execution = executed('{ laters(count: 10) { n } }', { turn, waiter }, undefined, { laters });
    hasGone = true;
    gate.open();
    await execution;
    expect(turns).toBe(10);
  });

  const failing = (gate: { opened: Promise<void> }) =>
    Array.from({ length: 40 }, async () => {
      await gate.opened;
      throw new Error('It fails.');
    });
  it.each([
    ['waits for its turn', true, (gate) => failing(gate)],
    ['has come and waits for its turn', false, async (gate) => failing(gate)],
    ['comes when nobody waits any more', true, async (gate) => gate.opened.then(() => failing(gate))],
    ['fails at another item', true, (gate) => [null, ...failing(gate)]],
  ] satisfies [string, boolean, (gate: { opened: Promise<void> }) => unknown][])(
    'lets no promise fail unheard of a list that %s',
    async (_, leaves, laters) => {
      const unheard = vi.fn<() => void>();
      process.on('unhandledRejection', unheard);
      onTestFinished(() => void process.off('unhandledRejection', unheard));
      const gate = newGate();
      let hasGone = false;
      const turn = leaves ? everyThird(slowly) : slowly;
      const bounds = { turn, waiter: waiterUntil(() => hasGone) };
      const root = { laters: laters(gate) };
      const execution = executed('{ laters(count: 40) { n } }', bounds, undefined, root);
      hasGone = leaves;
      gate.open();
      await execution;
      await slowly();
      await slowly();
      expect(unheard).not.toHaveBeenCalled();
    },
  );
});

function everyThird(wait: () => Promise<void>): () => Promise<void> | undefined {
  let asked = 0;
  return () => (++asked % 3 === 0 ? wait() : undefined);
}

describe('the size of an answer', () => {
  const bytesOf = async (text: string) => Buffer.byteLength((await executed(text, {})).data);
  const QUERIES = [
    '{ items(count: 300) { text } }',
    '{ laters(count: 300) { n text later { text } } }',
    '{ items(count: 3) { items(count: 100) { text } } }',
  ];

  it.each(QUERIES)('has a limit, up to which all of it is given: %s', async (text) => {
    const maxBytes = await bytesOf(text);
    const whole = await executed(text, { maxBytes });
    expect(whole.errors).toBeUndefined();
    expect(Buffer.byteLength(whole.data)).toBe(maxBytes);
    const cut = await executed(text, { maxBytes: maxBytes - 1 });
    expect(cut.data).toBe('null');
    expect(cut.errors).toMatchObject([{ message: 'It is too large, up to nothing.' }]);
  });

  it.each(QUERIES)('ends the execution where it is reached: %s', async (text) => {
    const { errors } = await executed(text, { maxBytes: 500 });
    expect(errors).toHaveLength(1);
    expect(resolved).toBeLessThan(40);
    await new Promise((resolve) => setImmediate(resolve));
    expect(resolved).toBeLessThan(40);
  });

  /** As sent with what the service adds to each, some 200 bytes. */
  const bytesOfErrors = (errors: readonly GraphQLError[]) =>
    errors.reduce((sum, { message, locations, path }) => {
      return (
        sum + 200 + Buffer.byteLength(JSON.stringify({ message: message.slice(0, 1000), locations, path }))
      );
    }, 0);

  it.each<[string, number]>([
    ['{ items(count: 100) { fails n } }', 0],
    ['{ items(count: 100) { n failsLater } }', 0],
    ['{ one { maybe(count: 100) { must items(count: 3) { failsLater } } n fails } }', 0],
    [
      'mutation { add(count: 50) { items(count: 1) { fails n } } more { n items(count: 40) { failsLater } } }',
      50,
    ],
  ])('counts its errors: %s', async (text, errorsBefore) => {
    const { data, errors = [] } = await executed(text, {});
    const maxBytes = Buffer.byteLength(data) + bytesOfErrors(errors);
    const whole = await executed(text, { maxBytes });
    expect(whole.data).toBe(data);
    expect(whole.errors).toHaveLength(errors.length);
    for (const less of [1, 500, 5000]) {
      const cut = await executed(text, { maxBytes: maxBytes - less });
      expect(cut.data).toBe('null');
      // What went wrong with the mutations before is told.
      expect(cut.errors).toHaveLength(errorsBefore + 1);
      expect(cut.errors!.at(-1)!.message).toMatch(/^It is too large/);
    }
  });

  describe('counts no less of errors than is sent', () => {
    /** The longest that a client may give. */
    const requestId = 'x'.repeat(128);
    const expectAllCounted = async (text: string, root: unknown) => {
      const { errors, errorBytes } = await compiled(text).execute({
        context: {},
        variableValues: {},
        rootValue: root,
      });
      expect(errors!.length).toBeGreaterThanOrEqual(50);
      const sent = publicResult({ errors: errors!, data: null }, requestId, () => {});
      expect(errorBytes).toBeGreaterThan(Buffer.byteLength(JSON.stringify(sent.errors)));
    };

    it.each(['fails', 'failsLater', 'maybe(count: 41) { must }'])('of %s', async (fails) => {
      await expectAllCounted(`{ items(count: 50) { ${fails} } }`, rootValue);
    });

    it.each([
      ['no message, and no code', '', undefined],
      ['no message', '', 'COST_LIMIT'],
      ['a long message', 'ö'.repeat(5000), 'COST_LIMIT'],
    ])('with %s', async (_, message, code) => {
      const fails = () => {
        throw new GraphQLError(message, { extensions: { code } });
      };
      await expectAllCounted('{ items(count: 50) { fails } }', {
        items: () => Array.from({ length: 50 }, () => ({ fails })),
      });
    });
  });

  it('counts what an error has beyond 1,000 characters, and beyond ten places, no more than it is sent', async () => {
    const failing = {
      one: () => ({
        fails: () => {
          throw new Error('ö'.repeat(5000));
        },
      }),
    };
    const { data, errors = [] } = await executed(
      `{ one { ${'fails '.repeat(500)} } }`,
      {},
      undefined,
      failing,
    );
    expect(errors[0]!.locations).toHaveLength(10);
    const maxBytes = Buffer.byteLength(data) + bytesOfErrors(errors);
    expect(maxBytes).toBeLessThan(3000);
    const within = await executed('{ one { fails } }', { maxBytes: 2400 }, undefined, failing);
    expect(within.data).toBe(data);
    const beyond = await executed('{ one { fails } }', { maxBytes: 2200 }, undefined, failing);
    expect(beyond.errors![0]!.message).toMatch(/^It is too large/);
  });

  it('ends the execution where its errors reach it, whatever has still to come', async () => {
    const rejections: (() => void)[] = [];
    const failing = () =>
      new Promise((_, reject) => {
        rejections.push(() => reject(new Error('It fails.')));
      });
    const items = Array.from({ length: 100 }, () => ({
      failsLater: failing,
      later: () => new Promise(() => {}),
    }));
    let turns = 0;
    const turn = () => {
      turns++;
      return undefined;
    };
    const text = '{ items(count: 100) { failsLater later { n } } }';
    const answer = executed(text, { maxBytes: 5000, turn }, undefined, { items });
    for (const reject of rejections) {
      reject();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { data, errors } = await answer;
    expect(data).toBe('null');
    expect(errors![0]!.message).toBe('It is too large, up to nothing.');
    // Some for the list, and one for each error that has room.
    expect(turns).toBeLessThan(40);
  });

  it('always has room for how a mutation failed', async () => {
    const text = 'mutation { more { n } maybeMore { n } }';
    const root = { ...rootValue, maybeMore: () => Promise.reject(new Error('It was not done.')) };
    const whole = await executed(text, {}, undefined, root);
    for (let maxBytes = '{"more":{"n":1}}'.length; maxBytes < whole.data.length + 2; maxBytes++) {
      const { data, errors } = await executed(text, { maxBytes }, undefined, root);
      expect(data).toBe('{"more":{"n":1},"maybeMore":null}');
      expect(errors).toMatchObject([{ message: 'It was not done.', path: ['maybeMore'] }]);
    }
  });

  it('is looked at by each mutation with what the errors before have taken', async () => {
    const text =
      'mutation { add(count: 20) { items(count: 1) { fails } } more { items(count: 100) { text } } }';
    const { errors = [] } = await executed(text, {});
    expect(errors).toHaveLength(20);
    await executed(text, { maxBytes: bytesOfErrors(errors) + 500 });
    expect(resolved).toBeLessThan(40);
  });

  it('is reached by the error of `data` while more is to come', async () => {
    const items = () => [new Promise(() => {}), { must: null }];
    const answer = await executed('{ items(count: 2) { must } }', { maxBytes: 200 }, undefined, { items });
    expect(answer.data).toBe('null');
    expect(answer.errors).toMatchObject([{ message: 'It is too large, up to nothing.' }]);
  });

  it('is not what is told where nobody waits any more', async () => {
    const waiter = { hasGone: () => true, goneError: () => new GraphQLError('Gone.') };
    const text = '{ items(count: 100) { failsLater } }';
    const { errors } = await executed(text, { maxBytes: 5000, waiter });
    expect(errors!.at(-1)!.message).toBe('Gone.');
  });

  it('counts the errors of a mutation as they are answered, not those of another reading', async () => {
    const text = 'mutation { first: more { n fails } second: more { n } }';
    const once = await executed(text, {});
    const maxBytes = Buffer.byteLength(once.data) + bytesOfErrors(once.errors!);
    const { data, errors } = await executed(text, { maxBytes }, async (execute) => {
      const first = await execute();
      await execute({ context: {}, bounds: { maxBytes: Number.POSITIVE_INFINITY, tooLarge } });
      return first;
    });
    expect(data).toBe(once.data);
    expect(errors).toHaveLength(1);
    const cut = await executed(text, { maxBytes: maxBytes - 1 });
    expect(cut.errors!.map(({ message }) => message)).toEqual([
      'It fails: 1.',
      'It is too large, up to second.',
    ]);
  });

  it('has the same limit for the mutations of an operation together', async () => {
    const text = 'mutation { first: add(count: 10) { items(count: 1) { text } } second: more { n } }';
    const maxBytes = await bytesOf(text);
    expect((await executed(text, { maxBytes })).errors).toBeUndefined();
    const { data, errors } = await executed(text, { maxBytes: maxBytes - 1 });
    expect(data).toBe('null');
    expect(errors).toMatchObject([{ message: 'It is too large, up to second.' }]);
    // Whoever executes them one by one is told by the one that is too large.
    const parts: (string | undefined)[] = [];
    await executed(text, { maxBytes: maxBytes - 1 }, async (execute) => {
      const part = await execute();
      parts.push(part.errors?.[0]?.message);
      return part;
    });
    expect(parts).toEqual([undefined, 'It is too large, up to second.']);
  });

  it('tells which mutations were executed, and executes no other', async () => {
    const text = 'mutation { first: add(count: 100) { items(count: 1) { text } } second: more { n } }';
    const { data, errors } = await executed(text, { maxBytes: 1000 });
    expect(data).toBe('null');
    expect(errors).toMatchObject([{ message: 'It is too large, up to first.' }]);
    expect(mutated).toEqual(['add']);
    await executed(text, { maxBytes: 10_000 });
    expect(mutated).toEqual(['add', 'more']);
  });
});
