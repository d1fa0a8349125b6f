import {
  type FieldNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLField,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import { getFieldDef } from 'graphql/execution/execute.js';
import { inspect } from 'graphql/jsutils/inspect.js';
import { isIterableObject } from 'graphql/jsutils/isIterableObject.js';
import { isPromise } from 'graphql/jsutils/isPromise.js';
import { typeResolver } from './abstract-types.ts';
import { argumentsReader } from './arguments.ts';
import { collectFields, type Selections, selectionsOf } from './collect-fields.ts';
import { FieldInfo, type Plan, type StaticInfo } from './info.ts';
import { leafWriter, usualText } from './leaves.ts';
import { located } from './located.ts';
import type { Output } from './output.ts';
import { Position, type Slot } from './position.ts';
import { hearPromises, type Run, type Write } from './run.ts';

/**
 * Puts another writer in the place of the one that was made for objects of a type and what is selected of them, or gives
 * that one back.
 */
export type ReplaceWriter = (
  write: Write,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  selections: Selections,
) => Write;

export interface Compilation extends Plan {
  replaceWriter: ReplaceWriter;
  nextNumber: () => number;
}

/** A field with what reads its value, which never throws, and what writes it. */
export interface Field extends StaticInfo {
  /** With what stands before it. */
  label: string;
  read(source: unknown, at: Position, run: Run): unknown;
  place: Place;
}

/** Writes what stands at a position: a value, or a promise of one. Throws what makes the position above it null. */
type Place = (value: unknown, key: string | number, out: Output, parent: Position, run: Run) => void;

/** The fields of a type that are selected, in their order. */
export function compileFields(
  c: Compilation,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): Field[] {
  const fields: Field[] = [];
  for (const [name, nodes] of collectFields(c, type, sets)) {
    const definition = getFieldDef(c.schema, type, nodes[0]!);
    if (definition) fields.push(compileField(c, type, definition, name, nodes, fields.length === 0));
  }
  return fields;
}

/** Writes objects whose fields are executed side by side. */
export function objectWriter(fields: readonly Field[]): Write {
  if (fields.length === 0) return writeText('{}');
  const labels = fields.reduce((length, { label }) => length + label.length, 1);
  return (value, out, at, run) => {
    run.room -= labels;
    const start = out.count;
    let before = start;
    let i = 0;
    try {
      for (; i < fields.length; i++) {
        const field = fields[i]!;
        before = out.count;
        out.text += field.label;
        field.place(field.read(value, at, run), field.name, out, at, run);
      }
    } catch (thrown) {
      if (run.isFull) throw thrown;
      const { nodes, name } = fields[i]!;
      const error = located(thrown, nodes, [...at.path, name]);
      if (before === start) throw error;
      out.reset('', before);
      run.failAfter(out.placesBetween(start, before), error, at);
      return;
    }
    out.text += '}';
    if (run.room < 0) run.stop();
  };
}

function compileField(
  c: Compilation,
  parentType: GraphQLObjectType,
  definition: GraphQLField<unknown, unknown>,
  name: string,
  nodes: readonly FieldNode[],
  isFirst: boolean,
): Field {
  const field: StaticInfo = { plan: c, parentType, definition, name, nodes };
  const label = `${isFirst ? '{' : ','}${JSON.stringify(name)}:`;
  if (definition === TypeNameMetaFieldDef) {
    return { ...field, label: `${label}"${parentType.name}"`, read: () => undefined, place: () => {} };
  }
  return {
    ...field,
    label,
    read: reader(field, c.nextNumber),
    place: compilePlace(c, definition.type, field, parentType.name),
  };
}

/** The field's resolver, or else the property of its name, as graphql's default resolver reads it. */
function reader(field: StaticInfo, nextNumber: () => number): Field['read'] {
  const { definition, nodes, name } = field;
  const { resolve, name: property } = definition;
  const args = argumentsReader(definition, nodes[0]!, nextNumber);
  // As a value, an error is thrown where a value would be written.
  const failed = (error: unknown, at: Position) => located(error, nodes, [...at.path, name]);
  if (resolve) {
    return (source, at, run) => {
      try {
        return resolve(source, args(run), run.context, new FieldInfo(field, at, run));
      } catch (error) {
        return failed(error, at);
      }
    };
  }
  const hasArguments = definition.args.length > 0;
  return (source, at, run) => {
    try {
      // They are coerced though nobody reads them: they may be wrong.
      if (hasArguments) args(run);
      if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return undefined;
      const value = (source as Record<string, unknown>)[property];
      return typeof value === 'function'
        ? value.call(source, args(run), run.context, new FieldInfo(field, at, run))
        : value;
    } catch (error) {
      return failed(error, at);
    }
  };
}

/** Of a field, or without a type's name, of the items of its list. */
function compilePlace(
  c: Compilation,
  type: GraphQLOutputType,
  field: StaticInfo,
  typename: string | undefined,
): Place {
  const write = compileValue(c, type, field);
  const slot = { nodes: field.nodes, isNullable: !isNonNullType(type), typename };
  const present = getNullableType(type);
  const isLeaf = isLeafType(present);
  const place = slot.isNullable ? nullablePlace(slot, isLeaf, write) : nonNullPlace(slot, isLeaf, write);
  return isLeaf ? usuallyAtOnce(usualText(present), place) : place;
}

function usuallyAtOnce(textOf: (value: unknown) => string | undefined, place: Place): Place {
  return (value, key, out, parent, run) => {
    const text = textOf(value);
    if (text === undefined) place(value, key, out, parent, run);
    else {
      out.text += text;
      run.room -= text.length;
    }
  };
}

function nonNullPlace(slot: Slot, isLeaf: boolean, write: Write): Place {
  return (value, key, out, parent, run) => {
    if (isPromise(value)) run.later(value, write, out.place(), new Position(parent, key, slot));
    else write(value, out, isLeaf ? parent : new Position(parent, key, slot), run);
  };
}

function nullablePlace(slot: Slot, isLeaf: boolean, write: Write): Place {
  return (value, key, out, parent, run) => {
    if (value == null) {
      out.text += 'null';
      return;
    }
    if (isPromise(value)) {
      const at = new Position(parent, key, slot);
      at.out = out.place();
      run.later(value, write, at.out, at);
      return;
    }
    const { text, count } = out;
    const at = isLeaf ? parent : new Position(parent, key, slot);
    try {
      write(value, out, at, run);
    } catch (error) {
      if (run.isFull) throw error;
      out.reset(text, count);
      out.text += 'null';
      const failed = isLeaf ? new Position(parent, key, slot) : at;
      run.note(located(error, slot.nodes, failed.path), failed);
      return;
    }
    if (out.count !== count) at.out = out.carve(text, count);
  };
}

/** What is selected of objects is looked at when one is met for the first time. */
function compileValue(c: Compilation, type: GraphQLOutputType, field: StaticInfo): Write {
  const isNullable = !isNonNullType(type);
  const { parentType, definition } = field;
  let write: Write | undefined;
  return (value, out, at, run) => {
    if (value == null) {
      if (!isNullable)
        throw new Error(`Cannot return null for non-nullable field ${parentType.name}.${definition.name}.`);
      out.text += 'null';
      return;
    }
    if (value instanceof Error) throw value;
    write ??= compilePresent(c, getNullableType(type), field);
    write(value, out, at, run);
  };
}

function compilePresent(
  c: Compilation,
  type: GraphQLNullableType & GraphQLOutputType,
  field: StaticInfo,
): Write {
  if (isLeafType(type)) return leafWriter(type);
  if (isListType(type)) return compileList(compilePlace(c, type.ofType, field, undefined), field);
  return isAbstractType(type) ? compileAbstract(c, type, field) : compileObject(c, type, field);
}

/** So many items are written before it is asked whether others may have their turn. */
const ITEMS_A_LOOK = 16;

function compileList(place: Place, { parentType, definition, nodes }: StaticInfo): Write {
  const writeItem = (item: unknown, index: number, out: Output, at: Position, run: Run) => {
    out.text += index === 0 ? '[' : ',';
    try {
      place(item, index, out, at, run);
    } catch (error) {
      throw run.isFull ? error : located(error, nodes, [...at.path, index]);
    }
  };
  /** @param isTurn whether others had their turn just before */
  const writeList = (
    items: Iterable<unknown>,
    start: number,
    isTurn: boolean,
    out: Output,
    at: Position,
    run: Run,
  ) => {
    let count = start;
    try {
      if (Array.isArray(items)) {
        for (; count < items.length; count++) {
          const index = count;
          const isLook = index % ITEMS_A_LOOK === 0 && !(isTurn && index === start);
          const turn = isLook ? run.bounds.turn?.() : undefined;
          if (turn) {
            if (start === 0) hearPromises(items);
            run.later(turn, (_, out, at) => writeList(items, index, true, out, at, run), out.place(), at);
            return;
          }
          writeItem(items[index], index, out, at, run);
        }
      } else {
        for (const item of items) writeItem(item, count++, out, at, run);
      }
    } catch (error) {
      // An item's, or that of what gives the items.
      at.isAbandoned = true;
      hearPromises(items);
      throw error;
    }
    out.text += count === 0 ? '[]' : ']';
  };
  return (value, out, at, run) => {
    if (!isIterableObject(value)) {
      throw new GraphQLError(
        `Expected Iterable, but did not find one for field "${parentType.name}.${definition.name}".`,
      );
    }
    writeList(value, 0, false, out, at, run);
  };
}

function compileObject(c: Compilation, type: GraphQLObjectType, field: StaticInfo): Write {
  const sets = selectionsOf(field.nodes);
  const write = c.replaceWriter(objectWriter(compileFields(c, type, sets)), type, sets, c);
  const { isTypeOf } = type;
  if (!isTypeOf) return write;
  const assertIsOfType = (value: unknown, isOfType: boolean) => {
    if (!isOfType) {
      throw new GraphQLError(`Expected value of type "${type.name}" but got: ${inspect(value)}.`, {
        nodes: field.nodes,
      });
    }
  };
  return (value, out, at, run) => {
    const answer = isTypeOf(value, run.context, FieldInfo.ofValue(field, at, run));
    if (isPromise(answer)) {
      const checked: Write = (isOfType, out, at, run) => {
        assertIsOfType(value, isOfType as boolean);
        write(value, out, at, run);
      };
      run.later(answer, checked, out.place(), at);
    } else {
      assertIsOfType(value, answer);
      write(value, out, at, run);
    }
  };
}

/** Objects of each type that it may be are compiled when one is met. */
function compileAbstract(c: Compilation, type: GraphQLAbstractType, field: StaticInfo): Write {
  const resolveType = typeResolver(type);
  const writers = new Map<GraphQLObjectType, Write>();
  const writeAs = (object: GraphQLObjectType): Write => {
    let write = writers.get(object);
    if (!write) {
      write = compileObject(c, object, field);
      writers.set(object, write);
    }
    return write;
  };
  return (value, out, at, run) => {
    const info = FieldInfo.ofValue(field, at, run);
    const name = resolveType.of(value, run.context, info);
    if (isPromise(name)) {
      const resolved: Write = (name, out, at, run) =>
        writeAs(resolveType.checked(name, value, info))(value, out, at, run);
      run.later(name, resolved, out.place(), at);
    } else writeAs(resolveType.checked(name, value, info))(value, out, at, run);
  };
}

function writeText(text: string): Write {
  return (_value, out) => {
    out.text += text;
  };
}
