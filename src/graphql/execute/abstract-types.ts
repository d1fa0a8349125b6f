import {
  defaultTypeResolver,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  isObjectType,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';

/** How the type of an object is found out where it may be of several: its name, and the type that it names. */
export function typeResolver(type: GraphQLAbstractType) {
  const resolve = type.resolveType ?? defaultTypeResolver;
  return {
    of: (value: unknown, context: unknown, info: GraphQLResolveInfo): unknown =>
      resolve(value, context, info, type),
    /** Throws, in the words of graphql-js, where the name is not one of an object type that it may be. */
    checked: (name: unknown, value: unknown, info: GraphQLResolveInfo): GraphQLObjectType => {
      const found = typeof name === 'string' ? info.schema.getType(name) : undefined;
      if (isObjectType(found) && info.schema.isSubType(type, found)) return found;
      throw wrongType(type, name, value, info);
    },
  };
}

function wrongType(
  { name: abstract }: GraphQLAbstractType,
  name: unknown,
  value: unknown,
  { parentType, fieldName, schema, fieldNodes: nodes }: GraphQLResolveInfo,
): GraphQLError {
  const field = `for field "${parentType.name}.${fieldName}"`;
  if (name == null) {
    const advice = `Either the "${abstract}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`;
    return new GraphQLError(
      `Abstract type "${abstract}" must resolve to an Object type at runtime ${field}. ${advice}`,
      { nodes },
    );
  }
  if (typeof name !== 'string') {
    return new GraphQLError(
      `Abstract type "${abstract}" must resolve to an Object type at runtime ${field} with value ${inspect(value)}, received "${inspect(name)}".`,
    );
  }
  const found = schema.getType(name);
  if (!found) {
    return new GraphQLError(
      `Abstract type "${abstract}" was resolved to a type "${name}" that does not exist inside the schema.`,
      { nodes },
    );
  }
  if (!isObjectType(found)) {
    return new GraphQLError(`Abstract type "${abstract}" was resolved to a non-object type "${name}".`, {
      nodes,
    });
  }
  return new GraphQLError(`Runtime Object type "${name}" is not a possible type for "${abstract}".`, {
    nodes,
  });
}
