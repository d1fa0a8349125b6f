import fc, { type GeneratorValue } from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { expect } from 'vitest';
import { createSchema } from '../../src/graphql/schema.ts';
import type { KnownIds } from './account.ts';
import { describeFuzz } from './describe.ts';
import { damaged, hostileNumber, hostileText, hostileValue, INTERNALS, oneOf, rarely } from './values.ts';

const SCHEMA = createSchema();
const MAX_DEPTH = 4;

/** Good texts of arguments whose type does not say what they are. */
const SAMPLES: Record<string, string[]> = {
  query: ['command', 'class:ninja', 'price<5 or -x'],
  searchQuery: ['command', 'quantity>1'],
  setType: ['Wtr1stEdition', 'Hnt'],
  occurredDate: ['2026-04-13', '2024-02-29'],
  from: ['2026-01-01', '2026-04-01'],
  to: ['2026-04-13', '2026-02-01'],
  name: ['Binder', 'x'.repeat(100)],
  idempotencyKey: ['a', 'b', 'c'],
  csv: ['', 'variantId,date\n', 'a;b\n1;2'],
};

type Input = GraphQLArgument | GraphQLInputField;

/** A value of the input's type, at times with a part that is not. */
function inputOf(draw: GeneratorValue, type: GraphQLInputType, name: string, ids: KnownIds): unknown {
  if (rarely(draw, 25)) return draw(() => hostileValue);
  if (isNonNullType(type)) return inputOf(draw, type.ofType, name, ids);
  if (rarely(draw, 12)) return null;
  if (isListType(type)) {
    const length = draw(fc.nat, { max: 3 });
    return Array.from({ length }, () => inputOf(draw, type.ofType, name, ids));
  }
  if (isEnumType(type)) return oneOf(draw, type.getValues()).name;
  if (isInputObjectType(type)) return inputsOf(draw, Object.values(type.getFields()), ids);
  if (type.name === 'Boolean') return draw(fc.boolean);
  if (type.name === 'Int') return rarely(draw, 8) ? draw(() => hostileNumber) : oneOf(draw, [1, 2, 30, 200]);
  if (type.name === 'Float')
    return rarely(draw, 8) ? draw(() => hostileNumber) : oneOf(draw, [0, 1, 0.01, 12.5]);
  if (rarely(draw, 8)) return draw(() => hostileText);
  if (type.name !== 'ID') return oneOf(draw, SAMPLES[name] ?? ['x']);
  const [, kind] = /^(\w+)Id$/.exec(name) ?? [];
  return oneOf(draw, ids[kind as keyof KnownIds] ?? Object.values(ids).flat());
}

function inputsOf(draw: GeneratorValue, inputs: readonly Input[], ids: KnownIds): Record<string, unknown> {
  const given = inputs.filter(({ type }) => !rarely(draw, isNonNullType(type) ? 40 : 2));
  return Object.fromEntries(given.map(({ name, type }) => [name, inputOf(draw, type, name, ids)]));
}

interface Operation {
  definitions: string[];
  variables: Record<string, unknown>;
}

/** A field with its arguments as variables, and what is selected of it. */
function fieldText(
  draw: GeneratorValue,
  field: GraphQLField<unknown, unknown>,
  operation: Operation,
  depth: number,
  ids: KnownIds,
): string {
  const given = inputsOf(draw, field.args, ids);
  const uses = Object.entries(given).map(([name, value]) => {
    const variable = `v${operation.definitions.length}`;
    operation.definitions.push(`$${variable}: ${field.args.find((arg) => arg.name === name)!.type}`);
    operation.variables[variable] = value;
    return `${name}: $${variable}`;
  });
  const callee = uses.length > 0 ? `${field.name}(${uses.join(', ')})` : field.name;
  return callee + selectionOf(draw, getNamedType(field.type), operation, depth, ids);
}

function selectionOf(
  draw: GeneratorValue,
  type: GraphQLNamedType,
  operation: Operation,
  depth: number,
  ids: KnownIds,
): string {
  if (!isCompositeType(type)) return '';
  const parts = ['__typename'];
  if (isObjectType(type) || isInterfaceType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (field) => depth < MAX_DEPTH || !isCompositeType(getNamedType(field.type)),
    );
    for (let i = draw(fc.nat, { max: 3 }); i > 0 && fields.length > 0; i--) {
      const text = fieldText(draw, oneOf(draw, fields), operation, depth + 1, ids);
      parts.push(`f${operation.definitions.length}_${depth}_${i}: ${text}`);
    }
  }
  if (isAbstractType(type)) {
    const member = oneOf(draw, SCHEMA.getPossibleTypes(type));
    // Members of a union may have fields of one name and other types.
    parts.push(`... on ${member.name} ${selectionOf(draw, member, operation, depth + 1, ids)}`);
  }
  return ` { ${parts.join(' ')} }`;
}

function requestOf(draw: GeneratorValue, ids: KnownIds): { query: string; variables: unknown } {
  const kind = oneOf(draw, ['query', 'query', 'mutation', 'mutation', 'mutation', 'subscription'] as const);
  const root = {
    query: SCHEMA.getQueryType,
    mutation: SCHEMA.getMutationType,
    subscription: SCHEMA.getSubscriptionType,
  };
  const fields = Object.values(root[kind].call(SCHEMA)!.getFields());
  const operation: Operation = { definitions: [], variables: {} };
  const body = fieldText(draw, oneOf(draw, fields), operation, 0, ids);
  const { definitions, variables } = operation;
  const query = `${kind} Fuzz${definitions.length > 0 ? `(${definitions.join(', ')})` : ''} { ${body} }`;
  return {
    query: rarely(draw, 15) ? damaged(draw, query) : query,
    variables: rarely(draw, 40) ? draw(() => hostileValue) : variables,
  };
}

describeFuzz(
  'any operation of the schema, good or broken',
  'is answered without an internal error, each error with its code, and stores nothing that breaks a rule',
  {
    requestOf,
    async expectAnswer(request, { app, ids, note }) {
      // By which subscriptions are refused, after all else of them is checked: a stream has no end.
      const { status, body } = await app.send('POST', '/graphql', request, { Accept: 'application/json' });
      expect(status).toBeLessThan(500);
      expect(typeof body).toBe('object');
      expect(JSON.stringify(body)).not.toMatch(INTERNALS);
      if (body.data) note('data');
      for (const { message, extensions } of body.errors ?? []) {
        expect({ message, code: extensions?.code }).toEqual({
          message: expect.stringMatching(/\S/),
          code: expect.stringMatching(/^(?!Internal|Unavailable)\w+$/),
        });
        note(extensions.code);
      }
      const found = JSON.stringify(body.data ?? {}).matchAll(/"(col|txn|alr)_[0-9a-z]{26}"/g);
      const kinds = { col: 'collection', txn: 'transaction', alr: 'alert' } as const;
      for (const [quoted, prefix] of found) {
        const known = ids[kinds[prefix as keyof typeof kinds]];
        const id = quoted.slice(1, -1);
        if (!known.includes(id)) known.unshift(id);
      }
    },
    outcomes: ['data', 'BAD_USER_INPUT', 'GRAPHQL_PARSE_FAILED'],
  },
);
