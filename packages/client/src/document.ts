import { newKey } from './key.ts';

/**
 * A GraphQL document with the types of its data and variables: its text, what GraphQL Code Generator makes
 * (`TypedDocumentNode`, or its string documents), or what a `gql` tag gives.
 */
export type Document<Data, Variables> = (string | object) & {
  __apiType?: (variables: Variables) => Data;
};

/** A node of the syntax tree of graphql-js; which fields it has depends on its kind. */
interface Node {
  kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: the printer below knows which kind has which field.
  [field: string]: any;
}

/** The text of a document. One printer serves all, so that no copy of `graphql` is needed. */
export function textOf(document: string | object): string {
  if (typeof document === 'string' || document instanceof String) return String(document);
  return print(document as Node);
}

/** Kinds that a document of operations has, each with its print. */
const PRINTS: Record<string, (node: Node) => string> = {
  Document: ({ definitions }) => list(definitions, ' '),
  OperationDefinition: ({ operation, name, variableDefinitions, directives, selectionSet }) =>
    `${operation} ${text(name)}${within('(', variableDefinitions, ')')} ${list(directives, ' ')}${text(selectionSet)}`,
  VariableDefinition: ({ variable, type, defaultValue, directives }) =>
    `${text(variable)}:${text(type)}${before('=', defaultValue)} ${list(directives, ' ')}`,
  SelectionSet: ({ selections }) => within('{', selections, '}'),
  Field: ({ alias, name, arguments: args, directives, selectionSet }) =>
    `${alias ? `${text(alias)}:` : ''}${text(name)}${within('(', args, ')')}${before(' ', ...(directives ?? []))}${text(selectionSet)}`,
  Argument: ({ name, value }) => `${text(name)}:${text(value)}`,
  FragmentSpread: ({ name, directives }) => `...${text(name)}${before(' ', ...(directives ?? []))}`,
  InlineFragment: ({ typeCondition, directives, selectionSet }) =>
    `...${before('on ', typeCondition)} ${list(directives, ' ')}${text(selectionSet)}`,
  FragmentDefinition: ({ name, typeCondition, directives, selectionSet }) =>
    `fragment ${text(name)} on ${text(typeCondition)} ${list(directives, ' ')}${text(selectionSet)}`,
  Directive: ({ name, arguments: args }) => `@${text(name)}${within('(', args, ')')}`,
  Name: ({ value }) => value,
  Variable: ({ name }) => `$${text(name)}`,
  NamedType: ({ name }) => text(name),
  ListType: ({ type }) => `[${text(type)}]`,
  NonNullType: ({ type }) => `${text(type)}!`,
  IntValue: ({ value }) => value,
  FloatValue: ({ value }) => value,
  EnumValue: ({ value }) => value,
  BooleanValue: ({ value }) => String(value),
  NullValue: () => 'null',
  StringValue: ({ value }) => JSON.stringify(value),
  ListValue: ({ values }) => `[${list(values, ' ')}]`,
  ObjectValue: ({ fields }) => `{${list(fields, ' ')}}`,
  ObjectField: ({ name, value }) => `${text(name)}:${text(value)}`,
};

function print(node: Node): string {
  const printed = PRINTS[node.kind];
  if (!printed) throw new TypeError(`This is no GraphQL document of operations: it has a ${node.kind}.`);
  return printed(node);
}

const text = (node: Node | undefined): string => (node ? print(node) : '');
const list = (nodes: Node[] | undefined, between: string): string => (nodes ?? []).map(print).join(between);
const within = (open: string, nodes: Node[] | undefined, close: string): string =>
  nodes?.length ? `${open}${list(nodes, ' ')}${close}` : '';
const before = (mark: string, ...nodes: (Node | undefined)[]): string =>
  nodes.map((node) => (node ? mark + print(node) : '')).join('');

/** Texts and comments, which are passed over, then names and marks. */
const TOKENS = /"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|#.*|(\$?\w+|[^\s,])/g;

/**
 * The variables, of a mutation with an idempotency key in each input that lacks one, and whether the operation can be
 * repeated now: a mutation cannot where an input stands in the document itself, or where two share a variable.
 */
export function withKeys(
  document: string,
  variables: Record<string, unknown>,
): { variables: Record<string, unknown>; isRepeatable: boolean; idempotencyKeys?: string[] } {
  const tokens = [...document.matchAll(TOKENS)].flatMap(([, token]) => token ?? []);
  if (!tokens.includes('mutation')) return { variables, isRepeatable: true };
  const inputs = tokens.flatMap((token, i) =>
    token === 'input' && tokens[i + 1] === ':' ? [tokens[i + 2]?.replace('$', '') ?? ''] : [],
  );
  const isRepeatable =
    inputs.length > 0 &&
    new Set(inputs).size === inputs.length &&
    inputs.every((name) => isObject(variables[name]));
  if (!isRepeatable) return { variables, isRepeatable };
  const keyed = inputs.map((name) => {
    const input = variables[name] as { idempotencyKey?: string | null };
    return [name, { ...input, idempotencyKey: input.idempotencyKey ?? newKey() }] as const;
  });
  return {
    variables: { ...variables, ...Object.fromEntries(keyed) },
    isRepeatable,
    idempotencyKeys: keyed.map(([, { idempotencyKey }]) => idempotencyKey),
  };
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;
