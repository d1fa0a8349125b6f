import {
  GraphQLID,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNonNull,
  GraphQLString,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

/** Gives the input value as the type has it (GraphQL, sections 3.5 to 3.12). Throws where it is to be refused, without saying why. */
export type ReadInput = (sent: unknown) => unknown;

type Nullable = Exclude<GraphQLInputType, GraphQLNonNull<never>>;

const TEXTS: ReadonlySet<unknown> = new Set([GraphQLID, GraphQLString]);

const objects = new WeakMap<GraphQLInputObjectType, ReadInput>();

/** Makes the function that reads values of a type, as they come from JSON. */
export function inputReader(type: GraphQLInputType): ReadInput {
  if (isNonNullType(type)) {
    const read = nullableReader(type.ofType);
    return (sent) => (sent == null ? refuse() : read(sent));
  }
  const read = nullableReader(type);
  return (sent) => (sent == null ? null : read(sent));
}

function nullableReader(type: Nullable): ReadInput {
  if (isListType(type)) return listReader(inputReader(type.ofType));
  if (isInputObjectType(type)) return objectReader(type);
  const parse = (sent: unknown) => {
    const value = type.parseValue(sent);
    return value === undefined ? refuse() : value;
  };
  if (TEXTS.has(type)) return (sent) => (typeof sent === 'string' ? sent : parse(sent));
  return parse;
}

function listReader(read: ReadInput): ReadInput {
  return (sent) => (Array.isArray(sent) ? sent.map((one) => read(one)) : [read(sent)]);
}

/** Of its fields when it is read first: they may be of the type itself. */
function objectReader(type: GraphQLInputObjectType): ReadInput {
  const known = objects.get(type);
  if (known) return known;
  let fields: FieldReader[] | undefined;
  const read = (sent: unknown) => {
    fields ??= Object.values(type.getFields()).map(({ name, type, defaultValue }) => ({
      name,
      fallback: defaultValue,
      isRequired: isNonNullType(type),
      read: inputReader(type),
    }));
    const value = readFields(fields, sent);
    if (type.isOneOf) refuseAllButOne(value);
    return value;
  };
  objects.set(type, read);
  return read;
}

interface FieldReader {
  name: string;
  fallback: unknown;
  isRequired: boolean;
  read: ReadInput;
}

type Values = Record<string, unknown>;

function readFields(fields: readonly FieldReader[], sent: unknown): Values {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return refuse();
  const values: Values = {};
  let left = Object.keys(sent).length;
  for (const { name, fallback, isRequired, read } of fields) {
    const value = (sent as Values)[name];
    if (value !== undefined) {
      left--;
      values[name] = read(value);
    } else if (fallback !== undefined) values[name] = fallback;
    else if (isRequired) refuse();
  }
  return left === 0 ? values : refuse();
}

function refuseAllButOne(values: Values): void {
  const [value, ...others] = Object.values(values);
  if (value == null || others.length > 0) refuse();
}

function refuse(): never {
  throw new Error('The value is refused.');
}
