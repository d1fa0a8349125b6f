import {
  BreakingChangeType,
  findBreakingChanges,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** What a `@deprecated` reason says (CONTRIBUTING, "Change the schema"). */
export const DEPRECATION_REASON = /^Use `[^`]+` instead\. Removed after (\d{4}-\d{2}-\d{2})\.$/;

/** The values of both scalars are texts, and variables that are declared `String` are taken (src/graphql/validation.ts). */
const TEXT_BY_NAME = /changed type from ([^.]*)\bString\b([^.]*) to \1Date(Time)?\2\.$/;

const FAILS_ALONE = /^(?<type>\w+)\.(?<member>\w+) changed type from (?<named>\w+)! to \k<named>\.$/;

const REMOVED_MEMBER: Partial<Record<string, RegExp>> = {
  [BreakingChangeType.FIELD_REMOVED]: /^(?<type>\w+)\.(?<member>\w+) was removed\.$/,
  [BreakingChangeType.ARG_REMOVED]: /^(?<type>\w+)\.(?<member>\w+) arg (?<arg>\w+) was removed\.$/,
  [BreakingChangeType.VALUE_REMOVED_FROM_ENUM]: /^(?<member>\w+) was removed from enum type (?<type>\w+)\.$/,
};

/**
 * What would break a client of the released schema, a line each. A field, an argument or an enum value may go when the
 * release has it deprecated, with a date that is past; a text may become a day or a time; a field may become null by an error
 * of its own, where the object around it was null by then. `today` is `YYYY-MM-DD`.
 */
export function breakingChanges(released: GraphQLSchema, current: GraphQLSchema, today: string): string[] {
  return findBreakingChanges(released, current)
    .filter(({ type, description }) => {
      if (TEXT_BY_NAME.test(description)) return false;
      const failing = FAILS_ALONE.exec(description)?.groups;
      if (failing && isNullOnlyByError(current, failing)) return false;
      const removed = REMOVED_MEMBER[type]?.exec(description)?.groups;
      const reason = removed && deprecationReason(released, removed);
      const date = reason && DEPRECATION_REASON.exec(reason)?.[1];
      return !date || date >= today;
    })
    .map(({ description }) => description);
}

function isNullOnlyByError(schema: GraphQLSchema, { type, member }: Removed): boolean {
  const parent = schema.getType(type!);
  const field = isObjectType(parent) ? parent.getFields()[member!] : undefined;
  return field?.astNode?.directives?.some(({ name }) => name.value === 'semanticNonNull') ?? false;
}

type Removed = Record<string, string | undefined>;

function deprecationReason(schema: GraphQLSchema, { type, member, arg }: Removed): string | null | undefined {
  const parent = schema.getType(type!);
  if (isEnumType(parent)) return parent.getValue(member!)?.deprecationReason;
  if (isInputObjectType(parent)) return parent.getFields()[member!]?.deprecationReason;
  if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined;
  const field = parent.getFields()[member!];
  return arg === undefined
    ? field?.deprecationReason
    : field?.args.find(({ name }) => name === arg)?.deprecationReason;
}
