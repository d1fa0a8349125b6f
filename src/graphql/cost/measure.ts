import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { type Fragments, fragmentsOf } from '../execute/fragments.ts';
import { ArgumentValues } from './argument-values.ts';
import { FREE, type Points, pointsOfField, saturate } from './field-points.ts';

const NOTHING: Measure = { depth: 0, introspectionDepth: 0, aliases: 0, fields: 0, cost: 0, costPerItem: 0 };

/** The points of each field by its path below the selections that are measured. */
type Shares = Map<string, Points>;

interface Measure extends Points {
  /** Fields on the longest path; leaves count, introspection below `__schema` and `__type` does not. */
  depth: number;
  /** Fields on the longest path from a `__schema` or `__type` field on, itself included. */
  introspectionDepth: number;
  /** Aliases, once for each place where a fragment is spread. */
  aliases: number;
  /** Fields, once for each place where a fragment is spread, and for each type that an object there may be of. */
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
  /** Whether values that were sent had a say, so that it is of these. */
  readsVariables: boolean;
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
  fragments: Fragments;
  measured: Map<string, Measure>;
  args: ArgumentValues;
  visited: number;
  withShares: boolean;
}

/**
 * The depth, aliases, fields and cost of one operation with these variables (raw, as they were sent), without executing it.
 * Each fragment is measured once, so the work grows with the document and not with what its fragments spread to.
 * `@skip` and `@include` are not looked at. What the schema does not have counts nothing: validation refuses it.
 *
 * Cost is counted in points:
 * - a field that gives an object costs 1 point and its selections, a scalar, an enum or a single `Money` nothing;
 * - the `edges` and `nodes` of a connection (a type whose name ends in `Connection`) cost that once for each item of
 *   the page: `first` or `last`, or else 50. An edge itself is free, its node is not;
 * - a list that a field's `ids` name costs that once for each id, a history once for each point that can come back, a
 *   list of a field with `extensions.maxItems` so many times, any other list of objects (of introspection) 5 times;
 * - any other list of a mutation's payload, or of a field with `extensions.isPerItem`, costs that once for each item of the
 *   longest list in the mutation's `input`, at any depth, or 5 times;
 * - each field of a mutation costs 10 points more;
 * - a field whose extensions have `points` costs those more, one with `pointsPerItem` so many for each item of that list, where nothing
 *   else costs for each.
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
  const { readsVariables } = walk.args;
  const measure = { depth, introspectionDepth, aliases, fields, cost, readsVariables, visited: walk.visited };
  if (!readsVariables) measuresOf(schema).set(operation, measure);
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
    args: new ArgumentValues(operation, variables),
    visited: 0,
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
  const fragment = walk.fragments[name];
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
    fields: saturate((children.fields + 1) * typeCountOf(walk.schema, parent)),
    ...points,
    ...(walk.withShares && { shares: sharesOfField(responseName, points, children.shares, inField) }),
  };
}

/** How many types an object may be of. */
function typeCountOf(schema: GraphQLSchema, type: GraphQLNamedType | undefined): number {
  return isAbstractType(type) ? schema.getPossibleTypes(type).length : 1;
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
