import { type FieldNode, GraphQLError, type GraphQLField, getNamedType, isEnumType } from 'graphql';
import { isCalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { countHistoryDays, type Interval } from '../../domain/history.ts';
import { LIMITS } from '../../domain/limits.ts';
import { connectionSize } from '../../domain/pagination.ts';
import type { ArgumentValues } from './argument-values.ts';

/** The size that a list is taken to have where neither the operation nor the schema says it, as in introspection. */
const ASSUMED_LIST_SIZE = 5;

type Field = GraphQLField<unknown, unknown>;

/**
 * The number of items that a connection field asks for. Throws a GraphQLError of code `BAD_USER_INPUT` where `first` or
 * `last` is out of 1 to 200, or both are given.
 */
export function pageSizeOf(args: ArgumentValues, node: FieldNode, field: Field, path: string): number {
  const size = (name: string) =>
    field.args.some((argument) => argument.name === name) ? args.integer(node, name) : undefined;
  try {
    return connectionSize({ first: size('first'), last: size('last') });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw badUserInput(`${path}: ${error.message}`, node);
  }
}

/** Of a list that is no page: by its `ids`, its `interval`, its `extensions.maxItems`, or else the size that is assumed. */
export function listSizeOf(args: ArgumentValues, node: FieldNode, field: Field): number {
  const known = args.listLength(node, 'ids') ?? historySizeOf(args, node, field);
  return known ?? (field.extensions.maxItems as number | undefined) ?? ASSUMED_LIST_SIZE;
}

function historySizeOf(values: ArgumentValues, node: FieldNode, { args }: Field): number | undefined {
  if (!args.some(({ name }) => name === 'from')) return undefined;
  const value = intervalOf(values, node, args);
  const [from = '', to = ''] = ['from', 'to'].map((end) => values.text(node, end));
  // What is no range or interval is refused later.
  if (!value || !isCalendarDate(from) || !isCalendarDate(to) || from > to) return undefined;
  return Math.min(countHistoryDays(from, to, value as Interval), LIMITS.historyPoints);
}

/** A day where a history has no intervals. */
function intervalOf(values: ArgumentValues, node: FieldNode, args: Field['args']): unknown {
  const interval = args.find(({ name }) => name === 'interval');
  const intervals = interval && getNamedType(interval.type);
  if (!isEnumType(intervals)) return 'Day';
  const name = values.text(node, 'interval');
  return name === undefined ? interval!.defaultValue : intervals.getValue(name)?.value;
}

/** Of the longest list in a mutation's input, which its payload may answer item by item. */
export function inputListSizeOf(args: ArgumentValues, node: FieldNode): number {
  return Math.max(ASSUMED_LIST_SIZE, args.longestListIn(node, 'input'));
}

function badUserInput(message: string, node: FieldNode): GraphQLError {
  return new GraphQLError(message, {
    nodes: node,
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400, spec: false } },
  });
}
