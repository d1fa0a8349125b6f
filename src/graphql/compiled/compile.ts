import {
  type DocumentNode,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import type { Catalogue } from '../../memory/catalogue.ts';
import type { GraphQLContext } from '../context.ts';
import { fragmentsOf } from '../fragments.ts';
import { type ArgumentsOf, compileArguments, type VariableFields } from './arguments.ts';
import { collectFields, type Selections, selectionsOf } from './collect-fields.ts';
import { flat, type Kept } from './kept.ts';
import { leafWriter } from './leaves.ts';
import { broughtBy, type CompiledInfo } from './look-ahead.ts';
import { Output } from './output.ts';
import { Run, type Write } from './run.ts';

/**
 * What the text of a value follows from, beside the value itself, from the least to the most: the catalogue in memory,
 * the caller's currency and source of prices too, or anything.
 */
const FROM = { catalogue: 0, prices: 1, anything: 2 } as const;
type From = (typeof FROM)[keyof typeof FROM];

interface Part {
  write: Write;
  from: From;
}

/** Extensions of types and fields that let texts be kept. */
export interface KeptExtensions {
  /**
   * Of a type, all of whose fields follow from the catalogue: whether an object is held by it; or that they follow from
   * the object, which is part of another.
   */
  keptWith?: ((catalogue: Catalogue, value: never) => boolean) | 'parent';
  /** Of a field: follows from the caller's preferences, too. */
  byPreferences?: boolean;
  /** Of a field of the query: what it gives at once is of the catalogue in memory. */
  isOfCatalogue?: boolean;
}

interface Compilation extends Selections, VariableFields {
  texts: Kept<string>;
}

export interface Compiled {
  execute: Execute;
  /** Whether a result that is there at once is the same for all whose preferences are, until the next import. */
  isOfCatalogue: boolean;
}

/** Gives the JSON of `data`, or null where the interpreter has to execute the operation, whose errors are the ones to show. */
export type Execute = (
  context: GraphQLContext,
  variables: Record<string, unknown>,
) => Promise<string | null> | string | null;

/**
 * Makes a function that executes a valid query or mutation by writing its JSON: what the interpreter finds out for each
 * value (fields, arguments, types) is settled here once, and what follows from the catalogue in memory is written once.
 * Null for what it does not do: introspection, and types that tell theirs in other ways than ours do.
 */
export function compile(
  schema: Selections['schema'],
  document: DocumentNode,
  operation: OperationDefinitionNode,
  conditions: Selections['conditions'],
  texts: Kept<string>,
): Compiled | null {
  const fragments = fragmentsOf(document);
  const c: Compilation = { schema, fragments, conditions, texts, variableFields: 0 };
  const root = schema.getRootType(operation.operation)!;
  try {
    const fields = compileFields(c, root, [operation.selectionSet]);
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const isOfCatalogue = fields.every(({ from }) => from !== FROM.anything);
    return { execute: isMutation ? inTurn(fields) : atOnce(fields), isOfCatalogue };
  } catch (error) {
    if (error instanceof NotCompiled) return null;
    throw error;
  }
}

class NotCompiled extends Error {}

function atOnce(fields: readonly Field[]): Execute {
  const write = objectWriter(fields);
  return (context, variables) => {
    const run = new Run(context, variables);
    const out = new Output();
    run.attempt(write, undefined, out);
    const result = () => (run.hasFailed ? null : out.toString());
    return run.settled()?.then(result) ?? result();
  };
}

/** As the fields of a mutation are executed: one after the other, each with all that is selected from it. */
function inTurn(fields: readonly Field[]): Execute {
  return async (context, variables) => {
    const run = new Run(context, variables);
    const out = new Output();
    for (const { key, write } of fields) {
      out.text += key;
      run.attempt(write, undefined, out);
      await run.settled();
      if (run.hasFailed) return null;
    }
    return fields.length === 0 ? '{}' : `${out}}`;
  };
}

interface Field extends Part {
  /** With what stands before it. */
  key: string;
}

function compileFields(
  c: Compilation,
  type: GraphQLObjectType,
  sets: Parameters<typeof collectFields>[2],
): Field[] {
  return [...collectFields(c, type, sets)].map(([name, nodes], i) => ({
    key: `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    ...compileField(c, type, name, nodes),
  }));
}

function objectWriter(fields: readonly Field[]): Write {
  if (fields.length === 0) return constant('{}').write;
  return (value, out, run) => {
    for (const { key, write } of fields) {
      out.text += key;
      write(value, out, run);
    }
    out.text += '}';
  };
}

function compileField(c: Compilation, parent: GraphQLObjectType, name: string, nodes: FieldNode[]): Part {
  const node = nodes[0]!;
  const fieldName = node.name.value;
  if (fieldName === '__typename') return constant(`"${parent.name}"`);
  const field = parent.getFields()[fieldName];
  if (!field) throw new NotCompiled();
  const { write: complete, from } = compileValue(c, field.type, nodes);
  const args = compileArguments(c, field, node);
  const read = reader(field, args.of, infoOf(parent, name), broughtBy(c, field, nodes));
  const write: Write = (source, out, run) => {
    const value = read(source, run);
    if (value instanceof Promise) run.later(value, complete, out.place());
    else complete(value, out, run);
  };
  return { write, from: fromOfField(parent, field, args.haveVariables, from) };
}

function constant(text: string): Part {
  const write: Write = (_value, out) => {
    out.text += text;
  };
  return { write, from: FROM.catalogue };
}

function fromOfField(
  parent: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  haveVariables: boolean,
  from: From,
): From {
  const { isOfCatalogue, byPreferences } = field.extensions as KeptExtensions;
  if (isOfCatalogue) return from;
  if (haveVariables || !(parent.extensions as KeptExtensions).keptWith) return FROM.anything;
  const own = byPreferences ? FROM.prices : FROM.catalogue;
  return Math.max(own, from) as From;
}

/** The field's resolver, or else the property of its name, as graphql's default resolver reads it. */
function reader(
  { resolve, name }: GraphQLField<unknown, unknown>,
  args: ArgumentsOf,
  info: GraphQLResolveInfo,
  argsOfBrought: ArgumentsOf | undefined,
): (source: unknown, run: Run) => unknown {
  if (resolve && argsOfBrought) {
    return (source, run) => {
      const told: CompiledInfo = { ...info, argsOfBrought: argsOfBrought(run) };
      return resolve(source, args(run), run.context, told);
    };
  }
  if (resolve) return (source, run) => resolve(source, args(run), run.context, info);
  return (source, run) => {
    const holder = source as Record<string, unknown> | undefined;
    const value = holder?.[name];
    return typeof value === 'function' ? value.call(source, args(run), run.context, info) : value;
  };
}

/** Resolvers ask for nothing of it but the name that a mutation has in the answer. */
function infoOf(parent: GraphQLObjectType, key: string): GraphQLResolveInfo {
  const known: Partial<GraphQLResolveInfo> = { path: { prev: undefined, key, typename: parent.name } };
  return known as GraphQLResolveInfo;
}

function compileValue(c: Compilation, type: GraphQLOutputType, nodes: readonly FieldNode[]): Part {
  if (isNonNullType(type)) {
    const { write, from } = compilePresent(c, type.ofType, nodes);
    return {
      from,
      write(value, out, run) {
        if (value == null) throw new Error('A value that must not be null is.');
        write(value, out, run);
      },
    };
  }
  const { write, from } = compilePresent(c, type, nodes);
  return {
    from,
    write(value, out, run) {
      if (value == null) out.text += 'null';
      else write(value, out, run);
    },
  };
}

function compilePresent(
  c: Compilation,
  type: GraphQLNullableType & GraphQLOutputType,
  nodes: readonly FieldNode[],
): Part {
  if (isLeafType(type)) return { write: leafWriter(type), from: FROM.catalogue };
  if (isListType(type)) return compileList(compileValue(c, type.ofType, nodes));
  if (isAbstractType(type)) return compileAbstract(c, type, nodes);
  return compileObject(c, type, nodes);
}

function compileList({ write, from }: Part): Part {
  return {
    from,
    write(value, out, run) {
      if (!Array.isArray(value)) throw new Error('A list is none.');
      let before = '[';
      for (const item of value) {
        out.text += before;
        before = ',';
        if (item instanceof Promise) run.later(item, write, out.place());
        else write(item, out, run);
      }
      out.text += before === '[' ? '[]' : ']';
    },
  };
}

function compileObject(c: Compilation, type: GraphQLObjectType, nodes: readonly FieldNode[]): Part {
  if (type.isTypeOf) throw new NotCompiled();
  const fields = compileFields(c, type, selectionsOf(nodes));
  const write = objectWriter(fields);
  const checked: Write = (value, out, run) => {
    // The interpreter throws an error that a resolver returns.
    if (value instanceof Error) throw value;
    write(value, out, run);
  };
  const from = Math.max(FROM.catalogue, ...fields.map((field) => field.from)) as From;
  const { keptWith } = type.extensions as KeptExtensions;
  if (from === FROM.anything || typeof keptWith !== 'function') return { write: checked, from };
  return { write: keptWriter(c.texts, checked, from === FROM.prices, keptWith as IsHeld), from };
}

type IsHeld = (catalogue: Catalogue, value: unknown) => boolean;

/** Writes an object of the catalogue in memory once; see `Kept`. */
function keptWriter(texts: Kept<string>, write: Write, showsPrices: boolean, isHeld: IsHeld): Write {
  return (value, out, run) => {
    const { catalogue, preferences, context } = run.context;
    if (!catalogue || (showsPrices && !preferences)) {
      write(value, out, run);
      return;
    }
    const kept = texts.of(catalogue, write, showsPrices ? run.pricesOf(preferences!) : '');
    const known = kept.get(value);
    if (known !== undefined) {
      if (showsPrices) context.seen?.marketRevisions.add(catalogue.pricingRevision);
      out.text += known;
      return;
    }
    if (!isHeld(catalogue, value)) {
      write(value, out, run);
      return;
    }
    const own = new Output();
    write(value, own, run);
    if (own.isWhole) {
      texts.keep(kept, value, flat(own.text), own.text.length);
      out.text += own.text;
    } else out.append(own);
  };
}

/** Objects of each type that it may be are compiled when one is met. */
function compileAbstract(c: Compilation, type: GraphQLAbstractType, nodes: readonly FieldNode[]): Part {
  const { resolveType } = type;
  if (!resolveType) throw new NotCompiled();
  const writers = new Map<string, Write>();
  const info = {} as GraphQLResolveInfo;
  const writerOf = (name: unknown): Write => {
    const known = writers.get(name as string);
    if (known) return known;
    const object = typeof name === 'string' ? c.schema.getType(name) : undefined;
    if (!isObjectType(object) || !c.schema.isSubType(type, object)) throw new Error('A value has no type.');
    const { write } = compileObject(c, object, nodes);
    writers.set(object.name, write);
    return write;
  };
  return {
    from: FROM.anything,
    write(value, out, run) {
      const name = resolveType(value, run.context, info, type);
      if (name instanceof Promise) {
        run.later(name, (name, out, run) => writerOf(name)(value, out, run), out.place());
      } else writerOf(name)(value, out, run);
    },
  };
}
