import {
  coerceInputValue,
  type GraphQLError,
  GraphQLID,
  type GraphQLInputType,
  type GraphQLSchema,
  GraphQLString,
  getNullableType,
  getVariableValues,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';

type Values = Record<string, unknown>;

export type CoercedVariables =
  | { variableValues: Values; errors?: undefined }
  | { errors: readonly GraphQLError[] };

/** As many errors of variables as are told, and one that says that there are more. */
const MAX_ERRORS = 50;

/**
 * Makes the function that coerces the variables of an operation (GraphQL, section 6.1.2). graphql's own, which looks the
 * types up each time, says what is wrong where something is.
 */
export function variableCoercion(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): (sent: Values) => CoercedVariables {
  const read = variableReader(schema, definitions);
  return (sent) => {
    const variableValues = read(sent);
    if (variableValues) return { variableValues };
    const { coerced, errors } = getVariableValues(schema, definitions, sent, { maxErrors: MAX_ERRORS });
    return coerced ? { variableValues: coerced } : { errors: errors! };
  };
}

/** Gives null where one of them is to be refused. */
function variableReader(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): (sent: Values) => Values | null {
  // No object can be given a property of this name by assignment.
  if (definitions.some(({ variable }) => variable.name.value === '__proto__')) return () => null;
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
        try {
          values[name] = coerceInputValue(value, type, refuse);
        } catch {
          return null;
        }
      }
    }
    return values;
  };
}

/** Ends the coercion at the first error: a list may have as many as a body has bytes. */
function refuse(): never {
  throw new Error('The value is refused.');
}

const TEXTS: ReadonlySet<unknown> = new Set([GraphQLID, GraphQLString]);
