import type { FieldNode, GraphQLError, ResponsePath } from 'graphql';
import type { Output } from './output.ts';

/** What all positions of a field, or of the items of its list, have in common. */
export interface Slot {
  nodes: readonly FieldNode[];
  isNullable: boolean;
  /** The type that a field belongs to; none for an item. */
  typename: string | undefined;
}

/**
 * A position of the response, as the GraphQL specification calls it: a field of an object, an item of a list, or `data`.
 * Those of leaves are made only where something has to be said of them.
 */
export class Position {
  /** None for `data`. */
  readonly parent: Position | undefined;
  readonly key: string | number;
  readonly slot: Slot;
  // All properties are there from the start: objects of one shape are what V8 is quick with.
  /** Of a nullable position where something is still to come: what is written of it. */
  out: Output | undefined = undefined;
  /** Whether an error has made it null. */
  isNull = false;
  /** Whether it is a list that failed at once: what its items still come to makes nothing else null. */
  isAbandoned = false;
  /** An error of one of its fields, which makes it null when these have all come to an end. */
  failing: { error: GraphQLError; places: readonly Output[] } | undefined = undefined;
  /** How many promises its value is behind: of itself, and of its type. */
  waits = 0;

  constructor(parent: Position | undefined, key: string | number, slot: Slot) {
    this.parent = parent;
    this.key = key;
    this.slot = slot;
  }

  /** Whether it or what it belongs to is null by an error. */
  get isNulled(): boolean {
    for (let at: Position | undefined = this; at; at = at.parent) if (at.isNull) return true;
    return false;
  }

  /** Itself and what it belongs to, where these are to be null once their fields have come to an end. */
  get failingAround(): Position[] {
    const failing: Position[] = [];
    for (let at: Position | undefined = this; at; at = at.parent) if (at.failing) failing.push(at);
    return failing;
  }

  /** The names and indexes on the way to it. */
  get path(): (string | number)[] {
    return this.parent ? [...this.parent.path, this.key] : [];
  }

  /** The same as resolvers are told it. */
  get responsePath(): ResponsePath | undefined {
    if (!this.parent) return undefined;
    return { prev: this.parent.responsePath, key: this.key, typename: this.slot.typename };
  }
}

const DATA: Slot = { nodes: [], isNullable: true, typename: undefined };

/** The position of `data`. */
export function dataPosition(out: Output): Position {
  const position = new Position(undefined, '', DATA);
  position.out = out;
  return position;
}

/**
 * How many ticks (turns of the queue of promises) graphql-js takes from the end of a promise until a position above knows of
 * it, where the position itself does after `ticks`: one for each promise that it makes between the two.
 */
export function ticksBetween(at: Position, above: Position, ticks: number): number {
  if (at === above) return ticks;
  const parent = at.parent!;
  const ofList = typeof at.key === 'number' ? 1 : 2;
  return ticksBetween(parent, above, ticks + ofList + (parent.failing ? 1 : 0) + parent.waits + 1);
}
