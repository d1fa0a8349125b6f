import {
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getVariableValues,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { inputReader } from './input-values.ts';

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
    const fallback = definition.defaultValue && valueFromAST(definition.defaultValue, type);
    return { name, fallback, isRequired: isNonNullType(type), read: inputReader(type) };
  });
  return (sent) => {
    const values: Values = {};
    try {
      for (const { name, fallback, isRequired, read } of readers) {
        if (Object.hasOwn(sent, name)) values[name] = read(sent[name]);
        else if (fallback !== undefined) values[name] = fallback;
        else if (isRequired) return null;
      }
    } catch {
      // At the first error: a list may have as many as a body has bytes.
      return null;
    }
    return values;
  };
}
