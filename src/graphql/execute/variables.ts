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
  const { value, longest } = shortened(sent);
  const maxErrors = Math.min(MAX_ERRORS, Math.max(1, Math.floor(SHOWN_IN_ALL / longest)));
  return getVariableValues(schema, definitions, value as Values, { maxErrors }).errors;
}

/** Characters of values, in all messages of an operation and in a text of one. */
const SHOWN_IN_ALL = 200_000;
const SHOWN_OF_TEXT = 200;
/** As graphql shows of a list. */
const SHOWN_ITEMS = 10;
const CHARACTERS_OF_NUMBER = 5;

/** The value with its texts cut off, and how many characters a message of it, or of a part of it, may have. */
function shortened(sent: Values): { value: unknown; longest: number } {
  let longest = 1;
  const shorten = (part: unknown): { value: unknown; length: number } => {
    if (typeof part === 'string') {
      const value = shownOf(part);
      return { value, length: value.length };
    }
    if (typeof part !== 'object' || part === null) return { value: part, length: CHARACTERS_OF_NUMBER };
    const parts = Object.entries(part).map(([name, one]) => [shownOf(name), shorten(one)] as const);
    const shown = Array.isArray(part) ? parts.slice(0, SHOWN_ITEMS) : parts;
    const length = shown.reduce((sum, [name, one]) => sum + name.length + one.length, 0);
    longest = Math.max(longest, length);
    const value = Array.isArray(part)
      ? parts.map(([, one]) => one.value)
      : Object.fromEntries(parts.map(([name, one]) => [name, one.value]));
    return { value, length };
  };
  const { value } = shorten(sent);
  return { value, longest };
}

function shownOf(text: string): string {
  return text.length > SHOWN_OF_TEXT ? `${text.slice(0, SHOWN_OF_TEXT)}…` : text;
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
