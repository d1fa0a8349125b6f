import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
} from 'graphql';
import type { ArgumentValues } from './argument-values.ts';
import { inputListSizeOf, listSizeOf, pageSizeOf } from './list-sizes.ts';

const MUTATION_POINTS = 10;

export interface Points {
  cost: number;
  /** What each item of the connection or payload that is selected from costs; 0 elsewhere. */
  costPerItem: number;
}

/** The points of a field, and what points below it come to in it. */
export interface FieldPoints {
  points: Points;
  inField: (points: Points) => Points;
}

const NO_POINTS: Points = { cost: 0, costPerItem: 0 };
export const FREE: FieldPoints = { points: NO_POINTS, inField: () => NO_POINTS };

/** By the rules of `measureOperation`; `children` are the points of all that is selected from the field. */
export function pointsOfField(
  { schema, args }: { schema: GraphQLSchema; args: ArgumentValues },
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  parent: GraphQLNamedType | undefined,
  children: Points,
  path: string,
): FieldPoints {
  const isMutation = parent !== undefined && parent === schema.getMutationType();
  // Where no list is asked for, the input has no say, and the measure can be kept.
  const ofInput = () => (children.costPerItem > 0 ? inputListSizeOf(args, node) : 0);
  const items = isMutation ? ofInput() : pageSizeOf(args, node, field, path);
  const unasked = children.costPerItem > 0 ? 0 : pointsOfInput(args, node, field);
  const extra = (isMutation ? MUTATION_POINTS : 0) + ownPointsOf(field) + unasked;
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return { ...FREE, points: { cost: extra, costPerItem: 0 } };
  const isList = isListType(getNullableType(field.type));
  const isPerItem = isList && isOneForEachItem(field, parent);
  const times = isList && !isPerItem ? listSizeOf(args, node, field) : 1;
  const inField = ({ cost, costPerItem }: Points): Points => {
    const points = saturate((cost + costPerItem * items) * times);
    return isPerItem ? { cost: 0, costPerItem: points } : { cost: points, costPerItem: 0 };
  };
  const own = isPart(type, isList) ? 0 : 1;
  const points = inField({ cost: own + children.cost, costPerItem: children.costPerItem });
  return { points: { ...points, cost: saturate(points.cost + extra) }, inField };
}

/** An edge is a part of its node, and an amount of money a value as a number is. */
function isPart({ name }: GraphQLNamedType, isList: boolean): boolean {
  return name.endsWith('Edge') || (name === 'Money' && !isList);
}

/** Whether the list has an item for each of the page, or of the mutation's input. */
function isOneForEachItem(
  { extensions }: GraphQLField<unknown, unknown>,
  parent: GraphQLNamedType | undefined,
): boolean {
  if (extensions.isPerItem) return true;
  return extensions.maxItems === undefined && /(Connection|Payload)$/.test(parent?.name ?? '');
}

/** Those that the schema says, for work that its selections do not show. */
function ownPointsOf({ extensions }: GraphQLField<unknown, unknown>): number {
  return typeof extensions.points === 'number' ? extensions.points : 0;
}

/** For what a mutation does with each item of its input, where nothing is asked of each that costs as much. */
function pointsOfInput(
  args: ArgumentValues,
  node: FieldNode,
  { extensions }: GraphQLField<unknown, unknown>,
): number {
  const { pointsPerItem } = extensions;
  if (typeof pointsPerItem !== 'number') return 0;
  return Math.floor(pointsPerItem * args.longestListIn(node, 'input'));
}

/** Sums and products of hostile documents overflow; they stay at the largest exact number. */
export function saturate(value: number): number {
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}
