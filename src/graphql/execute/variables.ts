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
    const errors = errorsOf(schema, definitions, sent);
    if (errors) return { errors };
    const { coerced, errors: others } = getVariableValues(schema, definitions, sent, { maxErrors: 1 });
    return coerced ? { variableValues: coerced } : { errors: others! };
  };
}

/** A message has the whole value in it, so it is told of a short one. Undefined where that would have been taken. */
function errorsOf(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  sent: Values,
): readonly GraphQLError[] | undefined {
  const { value, count } = shortened(sent);
  const maxErrors = count > LARGE ? 1 : MAX_ERRORS;
  return getVariableValues(schema, definitions, value as Values, { maxErrors }).errors;
}

/** Of values: one message of so many takes a millisecond. */
const LARGE = 1000;
const SHOWN_CHARACTERS = 200;

/** The value with what no message shows of its texts cut off, and how many values are in it. */
function shortened(sent: unknown): { value: unknown; count: number } {
  let count = 0;
  const shorten = (part: unknown): unknown => {
    count++;
    if (typeof part === 'string') return part.slice(0, SHOWN_CHARACTERS);
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map(shorten);
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, shorten(one)]));
  };
  const value = shorten(sent);
  return { value, count };
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
