import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  isEnumType,
} from 'graphql';
import type { Write } from './run.ts';

const MAX_INT = 2 ** 31 - 1;

/** Writes a value of a scalar or an enumeration, as the type serialises it; what is usual takes a shorter way. */
export function leafWriter(type: GraphQLLeafType): Write {
  const serialize = (value: unknown) => JSON.stringify(type.serialize(value));
  if (isEnumType(type)) {
    const names = new Map(type.getValues().map(({ name, value }) => [value as unknown, `"${name}"`]));
    return (value, out) => {
      out.text += names.get(value) ?? serialize(value);
    };
  }
  const isUsual = USUAL.get(type);
  return (value, out) => {
    out.text += isUsual?.(value) ? JSON.stringify(value) : serialize(value);
  };
}

/** Values that the specified scalars serialise to themselves. */
const USUAL = new Map<GraphQLLeafType, (value: unknown) => boolean>([
  [GraphQLID, (value) => typeof value === 'string'],
  [GraphQLString, (value) => typeof value === 'string'],
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
  [GraphQLInt, (value) => Number.isInteger(value) && Math.abs(value as number) <= MAX_INT],
  [GraphQLFloat, (value) => Number.isFinite(value)],
]);
