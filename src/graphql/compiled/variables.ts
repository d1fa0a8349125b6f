import {
  coerceInputValue,
  GraphQLID,
  type GraphQLInputType,
  type GraphQLSchema,
  GraphQLString,
  getNullableType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';

type Values = Record<string, unknown>;

/**
 * Makes the function that coerces the variables of an operation (GraphQL, section 6.1.2); it gives null where one of them
 * is to be refused. graphql's own looks the types up each time.
 */
export function variableReader(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): (sent: Values) => Values | null {
  const readers = definitions.map((definition) => {
    const type = typeFromAST(schema, definition.type as never) as unknown as GraphQLInputType;
    const name = definition.variable.name.value;
    const isText = TEXTS.has(getNullableType(type));
    const fallback = definition.defaultValue && valueFromAST(definition.defaultValue, type);
    return { name, type, isText, fallback, isRequired: isNonNullType(type) };
  });
  return (sent) => {
    const values: Values = {};
    for (const { name, type, isText, fallback, isRequired } of readers) {
      const isSent = Object.hasOwn(sent, name);
      const value = isSent ? sent[name] : fallback;
      if (isRequired && value == null) return null;
      if (!isSent) {
        if (fallback !== undefined) values[name] = fallback;
      } else if (isText && typeof value === 'string') values[name] = value;
      else {
        let isGood = true;
        values[name] = coerceInputValue(value, type, () => {
          isGood = false;
        });
        if (!isGood) return null;
      }
    }
    return values;
  };
}

const TEXTS: ReadonlySet<unknown> = new Set([GraphQLID, GraphQLString]);
