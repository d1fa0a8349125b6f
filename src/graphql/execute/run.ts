import type { GraphQLError } from 'graphql';
import { isPromise } from 'graphql/jsutils/isPromise.js';
import { located } from './located.ts';
import type { Output } from './output.ts';
import { type Position, ticksBetween } from './position.ts';

/** Writes a value as JSON. What it throws is an error of the position. */
export type Write = (value: unknown, out: Output, at: Position, run: Run) => void;

/** What bounds an execution. */
export interface Bounds {
  /** The most bytes that the JSON of `data` and of the errors may have together. */
  maxBytes: number;
  /**
   * The error of an answer that would have more: of a mutation, the response name of the last field that was executed.
   */
  tooLarge: (mutation?: string) => GraphQLError;
  /** What is to be waited for before more is written, if anything: others may have their turn. */
  turn?: (() => Promise<void> | undefined) | undefined;
  waiter?: Waiter | undefined;
}

/** Who waits for the answer. Once they have gone nothing more is written; what was begun is waited for, and its errors are told. */
export interface Waiter {
  hasGone(): boolean;
  /** The error of an execution that has ended so. */
  goneError(): GraphQLError;
}

/** Has the promises of an array be heard that are not written, or not yet: one that fails unheard ends the process. */
export function hearPromises(value: unknown): void {
  if (!Array.isArray(value)) return;
  for (const item of value) if (isPromise(item)) Promise.resolve(item).catch(() => {});
}

/** About as many are sent of what an error has beside these: its code, and the id of the request. */
const EXTENSIONS_BYTES = 200;
/** No more of a message are sent: GraphQL's repeat the values of variables, whatever their size. */
export const MESSAGE_CHARACTERS = 1000;

/**
 * About the bytes of the JSON of an error. That of a root field, of which there are few, counts nothing: an answer that has no room for it would not
 * say whether a mutation was done.
 */
function bytesOf({ message, locations, path = [] }: GraphQLError): number {
  if (path.length <= 1) return 0;
  const text = JSON.stringify({ message: message.slice(0, MESSAGE_CHARACTERS), locations, path });
  return Buffer.byteLength(text) + EXTENSIONS_BYTES;
}

/** Of a text with more characters it takes V8 a while to make one piece of the many that it was put together of. */
const FLAT_CHARACTERS = 16 * 1024;

/** Makes one piece of a text in the turn in which it was written: of 8 MiB, once all are there, that takes 30 ms. */
function makeFlat(text: string): void {
  if (text.length >= FLAT_CHARACTERS) Buffer.byteLength(text);
}

/** One execution of an operation. */
export class Run {
  readonly context: unknown;
  readonly rootValue: unknown;
  /** Coerced. */
  readonly variableValues: Readonly<Record<string, unknown>>;
  /** Of the fields that have variables among their arguments, by the number of the field. */
  readonly args: (Record<string, unknown> | undefined)[] = [];
  readonly errors: GraphQLError[] = [];
  readonly bounds: Bounds;
  /** Characters that may still be written; what is written, and each error, counts it down, and each object looks at it. */
  room: number;
  /** What the errors take of the room. */
  errorBytes = 0;
  /** Whether there was no room: no further object is executed. */
  isFull = false;
  /** Whether any position is to be null once its fields have come to an end: mostly none is, and nobody looks for one. */
  #hasFailing = false;
  #open = 0;
  #whenSettled: (() => void) | undefined;

  constructor(
    rootValue: unknown,
    context: unknown,
    variableValues: Readonly<Record<string, unknown>>,
    bounds: Bounds,
  ) {
    this.rootValue = rootValue;
    this.context = context;
    this.variableValues = variableValues;
    this.bounds = bounds;
    // No character takes less than a byte.
    this.room = bounds.maxBytes;
  }

  /** Throws what nothing may catch but who began the execution. */
  stop(): never {
    this.isFull = true;
    throw new Error('The answer has no room for more.');
  }

  /** Writes what a promise gives to a place of its own. */
  later(promise: PromiseLike<unknown>, write: Write, place: Output, at: Position): void {
    this.#open++;
    const waits = ++at.waits;
    const writeNow = (value: unknown) => {
      if (this.isFull) return hearPromises(value);
      try {
        if (at.isNulled || this.bounds.waiter?.hasGone()) hearPromises(value);
        else {
          write(value, place, at, this);
          makeFlat(place.text);
        }
      } catch (error) {
        if (this.isFull) {
          this.#whenSettled?.();
          return;
        }
        this.#failLater(error, at, waits);
      }
      this.#end(place, at, waits);
    };
    const fail = (error: unknown) => {
      this.#failLater(error, at, waits);
      this.#end(place, at, waits);
    };
    // One that is none of JavaScript's own may throw at once, or call back twice.
    Promise.resolve(promise).then(
      (value) => {
        if (this.bounds.waiter?.hasGone()) writeNow(value);
        else this.#inTurn(() => writeNow(value), value);
      },
      // Hundreds of fields may fail at once.
      (error) => {
        if (!this.isFull) this.#inTurn(() => fail(error));
      },
    );
  }

  /** @param value what is written, which is left until then */
  #inTurn(work: () => void, value?: unknown): void {
    const turn = this.bounds.turn?.();
    if (turn) {
      hearPromises(value);
      turn.then(work);
    } else work();
  }

  /** Makes `data` null at once. */
  failData(error: unknown, data: Position): void {
    this.note(error as GraphQLError, data);
    data.out!.replace('null');
  }

  /** Takes note of the error of a position that is written as null; of none below what is null by one already. */
  note(error: GraphQLError, at: Position): void {
    if (at.isNulled) return;
    at.isNull = true;
    this.errors.push(error);
    const bytes = bytesOf(error);
    if (bytes === 0) return;
    this.errorBytes += bytes;
    this.room -= bytes;
    if (this.room >= 0 || this.bounds.waiter?.hasGone()) return;
    this.isFull = true;
    this.#whenSettled?.();
  }

  /** Makes a position fail once all that was begun in it has come to its end. */
  failAfter(places: readonly Output[], error: GraphQLError, at: Position): void {
    at.failing = { error, places };
    this.#hasFailing = true;
  }

  /** What is to be waited for until nothing is to come any more, if anything. */
  settled(): Promise<void> | undefined {
    if (this.#open === 0 || this.isFull) return undefined;
    return new Promise((resolve) => {
      this.#whenSettled = resolve;
    });
  }

  /**
   * Makes null what an error makes null (GraphQL, section 6.4.4): the position itself, or else the next one above it that
   * may be; after as many ticks as graphql-js would take, so that errors come in the same order.
   */
  #failLater(thrown: unknown, at: Position, ticks: number): void {
    let error = located(thrown, at.slot.nodes, at.path);
    let nulled = at;
    while (!nulled.slot.isNullable) {
      nulled = nulled.parent!;
      if (nulled.isAbandoned) return;
      // Its own error came first, and only waits for those beside it.
      if (nulled.failing) error = nulled.failing.error;
    }
    this.#after(ticksBetween(at, nulled, ticks), () => {
      this.note(error, nulled);
      nulled.out!.replace('null');
    });
  }

  #end(place: Output, at: Position, waits: number): void {
    const around = this.#hasFailing ? at.failingAround : [];
    place.isOpen = around.length > 0;
    for (const failing of around) {
      this.#after(ticksBetween(at, failing, waits) - failing.waits - 2, () => {
        place.isOpen = false;
        const { error, places } = failing.failing!;
        if (places.every(({ isWhole }) => isWhole)) this.#failLater(error, failing, failing.waits + 2);
      });
    }
    this.#close();
  }

  async #after(ticks: number, work: () => void): Promise<void> {
    this.#open++;
    for (let i = 0; i < ticks; i++) await undefined;
    work();
    this.#close();
  }

  #close(): void {
    if (--this.#open === 0) this.#whenSettled?.();
  }
}
