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

/** Writes a value of a scalar or an enumeration, as the type serialises it; what is usual takes a shorter way. */
export function leafWriter(type: GraphQLLeafType): Write {
  if (isEnumType(type)) {
    const names = new Map(type.getValues().map(({ name, value }) => [value as unknown, `"${name}"`]));
    return (value, out) => {
      out.text += names.get(value) ?? serialized(type, value);
    };
  }
  const isUsual = USUAL.get(type);
  return (value, out) => {
    out.text += isUsual?.(value) ? JSON.stringify(value) : serialized(type, value);
  };
}

function serialized(type: GraphQLLeafType, value: unknown): string {
  if (value instanceof Error) throw value;
  const result: unknown = type.serialize(value);
  if (result != null) return JSON.stringify(result);
  throw new Error(
    `Expected \`${inspect(type)}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${inspect(result)}`,
  );
}

/** Values that the specified scalars serialise to themselves. */
const USUAL = new Map<GraphQLLeafType, (value: unknown) => boolean>([
  [GraphQLID, (value) => typeof value === 'string'],
  [GraphQLString, (value) => typeof value === 'string'],
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
  [GraphQLInt, (value) => Number.isInteger(value) && Math.abs(value as number) <= MAX_INT],
  [GraphQLFloat, (value) => Number.isFinite(value)],
]);
