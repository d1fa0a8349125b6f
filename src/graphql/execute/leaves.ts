import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  isEnumType,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import type { Write } from './run.ts';

const MAX_INT = 2 ** 31 - 1;

/** Gives the function that knows the JSON of the usual values of a scalar or an enumeration; undefined for all others. */
export function usualText(type: GraphQLLeafType): (value: unknown) => string | undefined {
  if (!isEnumType(type)) return USUAL.get(type) ?? (() => undefined);
  const names = new Map(type.getValues().map(({ name, value }) => [value as unknown, `"${name}"`]));
  return (value) => names.get(value);
}

/** Writes any value of a scalar or an enumeration, as the type serialises it. */
export function leafWriter(type: GraphQLLeafType): Write {
  return (value, out, _at, run) => {
    const text = serialized(type, value);
    out.text += text;
    run.room -= text.length;
  };
}

function serialized(type: GraphQLLeafType, value: unknown): string {
  const result: unknown = type.serialize(value);
  if (result != null) return JSON.stringify(result);
  throw new Error(
    `Expected \`${inspect(type)}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${inspect(result)}`,
  );
}

const ofText = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : undefined);

/** Of values that the specified scalars serialise to themselves. */
const USUAL = new Map<GraphQLLeafType, (value: unknown) => string | undefined>([
  [GraphQLID, ofText],
  [GraphQLString, ofText],
  [GraphQLBoolean, (value) => (typeof value === 'boolean' ? String(value) : undefined)],
  [
    GraphQLInt,
    (value) =>
      Number.isInteger(value) && Math.abs(value as number) <= MAX_INT ? JSON.stringify(value) : undefined,
  ],
  [GraphQLFloat, (value) => (Number.isFinite(value) ? JSON.stringify(value) : undefined)],
]);
