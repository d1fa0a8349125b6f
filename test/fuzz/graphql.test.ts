import fc, { type GeneratorValue } from 'fast-check';
import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { expect } from 'vitest';
import { createSchema } from '../../src/graphql/schema.ts';
import type { KnownIds } from './account.ts';
import { describeFuzz } from './describe.ts';
import { inputsOf } from './inputs.ts';
import { damaged, hostileValue, INTERNALS, oneOf, rarely } from './values.ts';

const SCHEMA = createSchema();
const MAX_DEPTH = 4;

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
  const given = inputsOf({ draw, ids }, field.args);
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
