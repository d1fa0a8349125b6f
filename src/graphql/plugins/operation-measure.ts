import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
} from 'graphql';
import { isCalendarDate } from '../../domain/dates.ts';
import { countHistoryDays, type Interval } from '../../domain/history.ts';
import { LIMITS } from '../../domain/limits.ts';

/** The size that a list is taken to have where the operation does not say it (the variants of a product, say). */
const ASSUMED_LIST_SIZE = 5;
const MUTATION_POINTS = 10;
const NOTHING: Measure = { depth: 0, introspectionDepth: 0, aliases: 0, fields: 0, cost: 0, costPerItem: 0 };

interface Points {
  cost: number;
  /** What each item of the connection or payload that is selected from costs; 0 elsewhere. */
  costPerItem: number;
}

/** The points of each field by its path below the selections that are measured. */
type Shares = Map<string, Points>;

interface Measure extends Points {
  /** Fields on the longest path; leaves count, introspection below `__schema` and `__type` does not. */
  depth: number;
  /** Fields on the longest path from a `__schema` or `__type` field on, itself included. */
  introspectionDepth: number;
  /** Aliases, once for each place where a fragment is spread. */
  aliases: number;
  /** Fields, once for each place where a fragment is spread. */
  fields: number;
  /** Only where they are asked for. */
  shares?: Shares;
}

export interface OperationMeasure {
  depth: number;
  introspectionDepth: number;
  aliases: number;
  fields: number;
  /** Points; see `measureOperation`. */
  cost: number;
  /** Selections looked at: never more than the document has, however often its fragments are spread. */
  visited: number;
}

/** A field of an operation: the names on the way to it joined by dots, and its points with all that is below it. */
export interface CostShare {
  path: string;
  requested: number;
}

interface Walk {
  schema: GraphQLSchema;
  fragments: Map<string, FragmentDefinitionNode>;
  measured: Map<string, Measure>;
  variables: Record<string, unknown>;
  variableDefaults: Map<string, ValueNode>;
  visited: number;
  /** Whether a value that was sent had a say. */
  readsVariables: boolean;
  withShares: boolean;
}

/**
 * The depth, aliases, fields and cost of one operation with these variables (raw, as they were sent), without executing it.
 * Each fragment is measured once, so the work grows with the document and not with what its fragments spread to.
 * `@skip` and `@include` are not looked at. What the schema does not have counts nothing: validation refuses it.
 *
 * Cost is counted in points:
 * - a field that gives an object costs 1 point and its selections, a scalar or enum nothing;
 * - the `edges` and `nodes` of a connection (a type whose name ends in `Connection`) cost that once for each item of
 *   the page: `first` or `last`, or else 50. An edge itself is free, its node is not;
 * - a list that a field's `ids` name costs that once for each id, a history by `interval` once for each point that can
 *   come back, a list of a field with `extensions.maxItems` so many times, any other list of objects 5 times;
 * - a list of a mutation's payload costs that once for each item of the longest list in its `input`;
 * - each field of a mutation costs 10 points more;
 * - a field whose extensions have `points` costs those more.
 *
 * So `{ collections(first: 10) { nodes { transactionSummaries(first: 10) { nodes { variant { product { name } } } } } } }`
 * costs 1 + 10 × (1 + (1 + 10 × (1 + 1 + 1))) = 321.
 *
 * Throws a GraphQLError of code `BAD_USER_INPUT` where `first` or `last` is out of 1 to 200, or both are given.
 */
export function measureOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): OperationMeasure {
  const known = measuresOf(schema).get(operation);
  if (known) return known;
  const walk = newWalk(schema, document, operation, variables, false);
  const { depth, introspectionDepth, aliases, fields, cost } = measureRoot(walk, operation);
  const measure = { depth, introspectionDepth, aliases, fields, cost, visited: walk.visited };
  if (!walk.readsVariables) measuresOf(schema).set(operation, measure);
  return measure;
}

/** Measures that are the same whatever is sent, kept as long as their documents are. */
const measures = new WeakMap<GraphQLSchema, WeakMap<OperationDefinitionNode, OperationMeasure>>();

function measuresOf(schema: GraphQLSchema): WeakMap<OperationDefinitionNode, OperationMeasure> {
  let known = measures.get(schema);
  if (!known) {
    known = new WeakMap();
    measures.set(schema, known);
  }
  return known;
}

/**
 * What each field that costs anything adds to the cost of an operation, in the order of the document. Only for
 * operations within the limits, which bound the number of paths that fragments can spread to.
 */
export function costShares(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): CostShare[] {
  const { shares = new Map<string, Points>() } = measureRoot(
    newWalk(schema, document, operation, variables, true),
    operation,
  );
  return [...shares].flatMap(([path, { cost }]) => (cost > 0 ? { path, requested: cost } : []));
}

function newWalk(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  withShares: boolean,
): Walk {
  return {
    schema,
    fragments: fragmentsOf(document),
    measured: new Map(),
    variables,
    variableDefaults: variableDefaultsOf(operation),
    visited: 0,
    readsVariables: false,
    withShares,
  };
}

function measureRoot(walk: Walk, operation: OperationDefinitionNode): Measure {
  const root = walk.schema.getRootType(operation.operation) ?? undefined;
  return measureSelections(walk, operation.selectionSet, root, '');
}

function measureSelections(
  walk: Walk,
  { selections }: SelectionSetNode,
  parent: GraphQLNamedType | undefined,
  path: string,
): Measure {
  const total: Measure = walk.withShares ? { ...NOTHING, shares: new Map() } : { ...NOTHING };
  for (const selection of selections) {
    walk.visited += 1;
    const measure = measureSelection(walk, selection, parent, path);
    total.depth = Math.max(total.depth, measure.depth);
    total.introspectionDepth = Math.max(total.introspectionDepth, measure.introspectionDepth);
    total.aliases = saturate(total.aliases + measure.aliases);
    total.fields = saturate(total.fields + measure.fields);
    total.cost = saturate(total.cost + measure.cost);
    total.costPerItem = saturate(total.costPerItem + measure.costPerItem);
    for (const [name, points] of measure.shares ?? []) addShare(total.shares!, name, points);
  }
  return total;
}

/** Fields of one path are one field of the answer. */
function addShare(shares: Shares, path: string, points: Points): void {
  const known = shares.get(path);
  shares.set(path, {
    cost: saturate(points.cost + (known?.cost ?? 0)),
    costPerItem: saturate(points.costPerItem + (known?.costPerItem ?? 0)),
  });
}

function measureSelection(
  walk: Walk,
  selection: SelectionNode,
  parent: GraphQLNamedType | undefined,
  path: string,
): Measure {
  if (selection.kind === Kind.FIELD) return measureField(walk, selection, parent, path);
  if (selection.kind === Kind.FRAGMENT_SPREAD) return measureFragment(walk, selection.name.value, path);
  const { typeCondition, selectionSet } = selection;
  const type = typeCondition ? walk.schema.getType(typeCondition.name.value) : parent;
  return measureSelections(walk, selectionSet, type, path);
}

function measureFragment(walk: Walk, name: string, path: string): Measure {
  const known = walk.measured.get(name);
  if (known) return known;
  const fragment = walk.fragments.get(name);
  if (!fragment) return NOTHING;
  // A fragment that is met again within itself counts nothing there: validation refuses such cycles.
  walk.measured.set(name, NOTHING);
  const type = walk.schema.getType(fragment.typeCondition.name.value);
  const measure = measureSelections(walk, fragment.selectionSet, type, path);
  walk.measured.set(name, measure);
  return measure;
}

function measureField(
  walk: Walk,
  node: FieldNode,
  parent: GraphQLNamedType | undefined,
  parentPath: string,
): Measure {
  const responseName = (node.alias ?? node.name).value;
  const path = parentPath ? `${parentPath}.${responseName}` : responseName;
  const field = fieldOf(walk.schema, parent, node.name.value);
  const type = field && getNamedType(field.type);
  const children = node.selectionSet ? measureSelections(walk, node.selectionSet, type, path) : NOTHING;
  const introspects = field === SchemaMetaFieldDef || field === TypeMetaFieldDef;
  const { points, inField } = field ? pointsOfField(walk, node, field, parent, children, path) : FREE;
  return {
    depth: introspects ? 1 : 1 + children.depth,
    introspectionDepth: introspects ? 1 + children.depth : children.introspectionDepth,
    aliases: saturate(children.aliases + (node.alias ? 1 : 0)),
    fields: saturate(children.fields + 1),
    ...points,
    ...(walk.withShares && { shares: sharesOfField(responseName, points, children.shares, inField) }),
  };
}

function sharesOfField(
  name: string,
  points: Points,
  below: Shares | undefined,
  inField: (points: Points) => Points,
): Shares {
  const shares: Shares = new Map([[name, points]]);
  for (const [path, child] of below ?? []) shares.set(`${name}.${path}`, inField(child));
  return shares;
}

const NO_POINTS: Points = { cost: 0, costPerItem: 0 };
const FREE = { points: NO_POINTS, inField: () => NO_POINTS };

/** The points of a field, and what selections below it add to them. */
function pointsOfField(
  walk: Walk,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  parent: GraphQLNamedType | undefined,
  children: Points,
  path: string,
): { points: Points; inField: (points: Points) => Points } {
  const isMutation = parent !== undefined && parent === walk.schema.getMutationType();
  // Where no list is asked for, the input has no say, and the measure can be kept.
  const ofInput = () => (children.costPerItem > 0 ? inputListSizeOf(walk, node) : 0);
  const items = isMutation ? ofInput() : pageSizeOf(walk, node, field, path);
  const extra = (isMutation ? MUTATION_POINTS : 0) + ownPointsOf(field);
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return { ...FREE, points: { cost: extra, costPerItem: 0 } };
  const isList = isListType(getNullableType(field.type));
  const isPerItem = isList && /(Connection|Payload)$/.test(parent?.name ?? '');
  const times = isList && !isPerItem ? listSizeOf(walk, node, field) : 1;
  const inField = ({ cost, costPerItem }: Points): Points => {
    const points = saturate((cost + costPerItem * items) * times);
    return isPerItem ? { cost: 0, costPerItem: points } : { cost: points, costPerItem: 0 };
  };
  const own = type.name.endsWith('Edge') ? 0 : 1;
  const points = inField({ cost: own + children.cost, costPerItem: children.costPerItem });
  return { points: { ...points, cost: saturate(points.cost + extra) }, inField };
}

/** Those that the schema says, for work that its selections do not show. */
function ownPointsOf({ extensions }: GraphQLField<unknown, unknown>): number {
  return typeof extensions.points === 'number' ? extensions.points : 0;
}

function fieldOf(
  schema: GraphQLSchema,
  parent: GraphQLNamedType | undefined,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (parent && parent === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

/** The number of items that a connection field asks for. */
function pageSizeOf(
  walk: Walk,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  path: string,
): number {
  if (!node.arguments?.length) return LIMITS.defaultPageSize;
  const first = sizeArgument(walk, node, field, 'first', path);
  const last = sizeArgument(walk, node, field, 'last', path);
  if (first !== undefined && last !== undefined) {
    throw badUserInput(
      `Arguments "first" and "last" of "${path}" cannot be given together; give one of them.`,
      node,
    );
  }
  return first ?? last ?? LIMITS.defaultPageSize;
}

function sizeArgument(
  walk: Walk,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  name: string,
  path: string,
): number | undefined {
  if (!field.args.some((argument) => argument.name === name)) return undefined;
  const size = integerArgument(walk, node, name);
  if (size === undefined || (size >= 1 && size <= LIMITS.pageSize)) return size;
  throw badUserInput(
    `Argument "${name}" of "${path}" must be from 1 to ${LIMITS.pageSize}, not ${size}.`,
    node,
  );
}

function integerArgument(walk: Walk, node: FieldNode, name: string): number | undefined {
  const value = argumentOf(node, name);
  const sent = value?.kind === Kind.VARIABLE ? sentVariable(walk, value.name.value) : undefined;
  // What is no integer is left to validation and to the coercion of variables, which refuse it.
  if (typeof sent === 'number' && Number.isInteger(sent)) return sent;
  const literal = literalOf(walk, value);
  return literal?.kind === Kind.INT ? Number(literal.value) : undefined;
}

function listSizeOf(walk: Walk, node: FieldNode, field: GraphQLField<unknown, unknown>): number {
  const known = lengthOf(walk, argumentOf(node, 'ids')) ?? historySizeOf(walk, node, field);
  return known ?? (field.extensions.maxItems as number | undefined) ?? ASSUMED_LIST_SIZE;
}

function historySizeOf(
  walk: Walk,
  node: FieldNode,
  { args }: GraphQLField<unknown, unknown>,
): number | undefined {
  const interval = args.find(({ name }) => name === 'interval');
  const intervals = interval && getNamedType(interval.type);
  if (!isEnumType(intervals)) return undefined;
  const name = textArgument(walk, node, 'interval');
  const value = name === undefined ? interval?.defaultValue : intervals.getValue(name)?.value;
  const [from = '', to = ''] = ['from', 'to'].map((end) => textArgument(walk, node, end));
  // What is no range or interval is refused later.
  if (!value || !isCalendarDate(from) || !isCalendarDate(to) || from > to) return undefined;
  return Math.min(countHistoryDays(from, to, value as Interval), LIMITS.historyPoints);
}

function textArgument(walk: Walk, node: FieldNode, name: string): string | undefined {
  const value = argumentOf(node, name);
  const sent = value?.kind === Kind.VARIABLE ? sentVariable(walk, value.name.value) : undefined;
  if (typeof sent === 'string') return sent;
  const literal = literalOf(walk, value);
  return literal?.kind === Kind.STRING || literal?.kind === Kind.ENUM ? literal.value : undefined;
}

/** The length of the longest list in a mutation's input, which its payload may answer item by item. */
function inputListSizeOf(walk: Walk, node: FieldNode): number {
  const value = argumentOf(node, 'input');
  const sent = value?.kind === Kind.VARIABLE ? sentVariable(walk, value.name.value) : undefined;
  const literal = literalOf(walk, value);
  const sizes = [
    ...Object.values((sent ?? {}) as object).map((field) => (Array.isArray(field) ? field.length : 0)),
    ...(literal?.kind === Kind.OBJECT ? literal.fields.map((field) => lengthOf(walk, field.value) ?? 0) : []),
  ];
  return Math.max(ASSUMED_LIST_SIZE, ...sizes);
}

function lengthOf(walk: Walk, value: ValueNode | undefined): number | undefined {
  const sent = value?.kind === Kind.VARIABLE ? sentVariable(walk, value.name.value) : undefined;
  if (Array.isArray(sent)) return sent.length;
  const literal = literalOf(walk, value);
  return literal?.kind === Kind.LIST ? literal.values.length : undefined;
}

function argumentOf(node: FieldNode, name: string): ValueNode | undefined {
  return node.arguments?.find((argument) => argument.name.value === name)?.value;
}

function sentVariable(walk: Walk, name: string): unknown {
  walk.readsVariables = true;
  return Object.hasOwn(walk.variables, name) ? walk.variables[name] : undefined;
}

/** The literal that stands for a value: itself, or the default of a variable that was not sent. */
function literalOf(walk: Walk, value: ValueNode | undefined): ValueNode | undefined {
  if (value?.kind !== Kind.VARIABLE) return value;
  return sentVariable(walk, value.name.value) === undefined
    ? walk.variableDefaults.get(value.name.value)
    : undefined;
}

/** By name. */
export function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

function variableDefaultsOf(operation: OperationDefinitionNode): Map<string, ValueNode> {
  const defaults = new Map<string, ValueNode>();
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue) defaults.set(variable.name.value, defaultValue);
  }
  return defaults;
}

function badUserInput(message: string, node: FieldNode): GraphQLError {
  return new GraphQLError(message, {
    nodes: node,
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400, spec: false } },
  });
}

/** Sums and products of hostile documents overflow; they stay at the largest exact number. */
function saturate(value: number): number {
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}
