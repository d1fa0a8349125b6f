import fc, { type GeneratorValue } from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { KnownIds } from './account.ts';
import { inputOf } from './inputs.ts';
import { oneOf, rarely } from './values.ts';

export interface GeneratedOperation {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string | null;
}

/** What a document has so far. */
interface Draft {
  draw: GeneratorValue;
  schema: GraphQLSchema;
  ids: KnownIds;
  cursors: readonly string[];
  /** Those of variables. */
  definitions: Map<string, string>;
  variables: Record<string, unknown>;
  fragments: { name: string; type: GraphQLCompositeType; text: string }[];
}

const MAX_DEPTH = 6;
/** Values are mostly good: what is refused is never compiled. */
const RARITY = 20;
const PAGE_SIZES = [1, 2, 3, 30];

/**
 * Any operation of the schema, in all the forms that its language has: fragments within fragments, fields that are asked
 * for twice, conditions, defaults, literals and variables, several operations.
 */
export function operationOf(
  draw: GeneratorValue,
  schema: GraphQLSchema,
  ids: KnownIds,
  kind: 'query' | 'mutation',
  cursors: readonly string[],
): GeneratedOperation {
  const draft: Draft = {
    draw,
    schema,
    ids,
    cursors,
    definitions: new Map(),
    variables: {},
    fragments: [],
  };
  const root = kind === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  const body = selectionSet(draft, root, 0);
  const definitions = [...draft.definitions].map(([name, definition]) => `$${name}: ${definition}`);
  const name = rarely(draw, 3) ? '' : ' Fuzz';
  const operation = `${kind}${name}${definitions.length > 0 ? `(${definitions.join(', ')})` : ''} ${body}`;
  const fragments = draft.fragments.map(({ name, type, text }) => `fragment ${name} on ${type.name} ${text}`);
  const isOneOfMany = name !== '' && rarely(draw, 8);
  const others = isOneOfMany ? ['query Other { __typename viewer { id name } }'] : [];
  const generated: GeneratedOperation = { query: [...fragments, operation, ...others].join('\n') };
  if (definitions.length > 0 || rarely(draw, 10)) generated.variables = draft.variables;
  if (isOneOfMany) generated.operationName = oneOf(draw, ['Fuzz', 'Fuzz', 'Other']);
  else if (rarely(draw, 25)) generated.operationName = oneOf(draw, [null, 'Fuzz', '', 'None']);
  return generated;
}

function selectionSet(draft: Draft, type: GraphQLCompositeType, depth: number): string {
  const { draw } = draft;
  const parts: string[] = [];
  for (let i = 1 + draw(fc.nat, { max: 3 }); i > 0; i--) parts.push(selection(draft, type, depth));
  return `{ ${parts.join(' ')} }`;
}

function selection(draft: Draft, type: GraphQLCompositeType, depth: number): string {
  const { draw } = draft;
  if (isUnionType(type)) return rarely(draw, 4) ? '__typename' : inlineFragment(draft, type, depth);
  if (rarely(draw, 12)) return `${oneOf(draw, ['', 't: '])}__typename${condition(draft)}`;
  if (rarely(draw, isAbstractType(type) ? 2 : 8)) return inlineFragment(draft, type, depth);
  if (rarely(draw, 8)) return spread(draft, type, depth);
  const fields = Object.values(type.getFields()).filter(
    (field) => depth < MAX_DEPTH || !isCompositeType(getNamedType(field.type)),
  );
  if (fields.length === 0) return '__typename';
  return fieldText(draft, oneOf(draw, fields), depth);
}

/** At times asked for twice, with other selections of it. */
function fieldText(draft: Draft, field: GraphQLField<unknown, unknown>, depth: number): string {
  const { draw } = draft;
  const given = argumentsOf(draft, field);
  const head = `${aliasOf(draft, field, given !== '')}${field.name}${given}`;
  const type = getNamedType(field.type);
  const once = () =>
    `${head}${condition(draft)}${isCompositeType(type) ? ` ${selectionSet(draft, type, depth + 1)}` : ''}`;
  return rarely(draw, 8) ? `${once()} ${once()}` : once();
}

/** Names that different fields share would often be refused; those with arguments always have one of their own. */
function aliasOf({ draw, definitions }: Draft, { name }: { name: string }, hasArguments: boolean): string {
  if (hasArguments) return rarely(draw, 2) ? '' : `${name}_${draw(fc.nat, { max: 9 })}_${definitions.size}: `;
  return rarely(draw, 10) ? `x_${name}: ` : '';
}

function inlineFragment(draft: Draft, type: GraphQLCompositeType, depth: number): string {
  const { draw } = draft;
  const on = rarely(draw, 6) ? null : overlapping(draft, type);
  const inner = selectionSet(draft, on ?? type, depth + 1);
  return `...${on ? ` on ${on.name}` : ''}${condition(draft)} ${inner}`;
}

function spread(draft: Draft, type: GraphQLCompositeType, depth: number): string {
  const { draw, schema, fragments } = draft;
  const known = fragments.filter((fragment) => overlaps(schema, fragment.type, type));
  if (known.length > 0 && !rarely(draw, 3)) return `...${oneOf(draw, known).name}${condition(draft)}`;
  if (fragments.length > 3) return '__typename';
  const on = overlapping(draft, type);
  const text = selectionSet(draft, on, depth + 1);
  // The fragments within it are there by now, and have their names.
  const name = `F${draft.fragments.length}`;
  draft.fragments.push({ name, type: on, text });
  return `...${name}${condition(draft)}`;
}

/** A type that objects of this one may be of: itself, one of its interfaces, or one that it stands for. */
function overlapping({ draw, schema }: Draft, type: GraphQLCompositeType): GraphQLCompositeType {
  const members = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  const member = oneOf(draw, members);
  return rarely(draw, 4) ? oneOf(draw, [member, ...member.getInterfaces()]) : member;
}

function overlaps(schema: GraphQLSchema, a: GraphQLCompositeType, b: GraphQLCompositeType): boolean {
  const members = (type: GraphQLCompositeType) =>
    isObjectType(type) ? [type] : schema.getPossibleTypes(type);
  return members(a).some((member) => members(b).includes(member));
}

const CONDITIONS = [
  ['Boolean!', true, false],
  ['Boolean! = true', true, false, undefined],
  ['Boolean = false', true, false, undefined, null],
] as const;

function condition(draft: Draft): string {
  const { draw, definitions, variables } = draft;
  if (!rarely(draw, 10)) return '';
  const name = oneOf(draw, ['skip', 'include']);
  if (rarely(draw, 3)) return ` @${name}(if: ${draw(fc.boolean)})`;
  const i = draw(fc.nat, { max: CONDITIONS.length - 1 });
  const [definition, ...values] = CONDITIONS[i]!;
  if (!definitions.has(`c${i}`)) {
    definitions.set(`c${i}`, definition);
    const value = oneOf(draw, values);
    if (value !== undefined) variables[`c${i}`] = value;
  }
  return ` @${name}(if: $c${i})`;
}

function argumentsOf(draft: Draft, field: GraphQLField<unknown, unknown>): string {
  const { draw, cursors } = draft;
  const texts = field.args.flatMap((arg) => {
    const isCursor = arg.name === 'after' || arg.name === 'before';
    if (isCursor && (cursors.length === 0 || !rarely(draw, 8))) return [];
    if (arg.name !== 'first' && rarely(draw, isNonNullType(arg.type) ? 200 : 2)) return [];
    const value = isCursor ? oneOf(draw, cursors) : argumentOf(draft, field, arg);
    return [`${arg.name}: ${valueText(draft, arg.type, value)}`];
  });
  return texts.length > 0 ? `(${texts.join(', ')})` : '';
}

function argumentOf({ draw, ids }: Draft, field: { name: string }, { name, type }: GraphQLArgument): unknown {
  if (name === 'first') return oneOf(draw, PAGE_SIZES);
  // With both sizes an operation is refused.
  if (name === 'last') return null;
  const named = name === 'id' && field.name in ids ? `${field.name}Id` : name;
  return inputOf({ draw, ids, rarity: RARITY }, type, named);
}

/** The value as a variable, as a literal, or as an object of both. */
function valueText(draft: Draft, type: GraphQLInputType, value: unknown): string {
  const { draw, definitions, variables } = draft;
  const named = isNonNullType(type) ? type.ofType : type;
  if (isInputObjectType(named) && isPlainObject(value) && rarely(draw, 3)) {
    const fields = Object.entries(value).flatMap(([name, inner]) => {
      const field = named.getFields()[name];
      return field ? [`${name}: ${valueText(draft, field.type, inner)}`] : [];
    });
    return `{ ${fields.join(', ')} }`;
  }
  const literal = rarely(draw, 2) ? literalOf(type, value) : null;
  if (literal !== null && rarely(draw, 2)) return literal;
  const name = `v${definitions.size}`;
  definitions.set(name, literal === null ? String(type) : `${type} = ${literal}`);
  // With a default it need not be sent.
  if (literal === null || draw(fc.boolean)) variables[name] = value;
  return `$${name}`;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null where a literal of the type cannot say it. */
function literalOf(type: GraphQLInputType, value: unknown): string | null {
  if (isNonNullType(type)) return literalOf(type.ofType, value);
  if (isListType(type) && Array.isArray(value)) {
    const items = value.map((item) => literalOf(type.ofType, item));
    return items.includes(null) ? null : `[${items.join(', ')}]`;
  }
  if (isInputObjectType(type) && isPlainObject(value)) {
    const fields = Object.entries(value).map(([name, inner]) => {
      const field = type.getFields()[name];
      const literal = field ? literalOf(field.type, inner) : null;
      return literal === null ? null : `${name}: ${literal}`;
    });
    return fields.includes(null) ? null : `{ ${fields.join(', ')} }`;
  }
  if (typeof value === 'object' && value !== null) return null;
  return isEnumType(type) && /^[A-Z_]+$/.test(String(value)) ? String(value) : JSON.stringify(value);
}
