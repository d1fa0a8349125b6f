import type { Preferences } from '../../services/accounts/preferences.ts';
import type { GraphQLContext } from '../context.ts';
import { pricesOf } from './kept.ts';
import type { Output } from './output.ts';

/** Writes a value as JSON. Throws where the interpreter would add to `errors`. */
export type Write = (value: unknown, out: Output, run: Run) => void;

/** One execution of a compiled operation. */
export class Run {
  readonly context: GraphQLContext;
  /** Coerced. */
  readonly variables: Record<string, unknown>;
  /** Of the fields that have variables among their arguments, by the number of the field. */
  readonly args: unknown[] = [];
  /** Whether something went wrong: what it was, the interpreter finds out. */
  hasFailed = false;
  #prices: string | undefined;
  #open = 0;
  #whenSettled: (() => void) | undefined;

  constructor(context: GraphQLContext, variables: Record<string, unknown>) {
    this.context = context;
    this.variables = variables;
  }

  /** Names the caller's prices; they are the same in all of an execution. */
  pricesOf(preferences: Preferences): string {
    this.#prices ??= pricesOf(preferences);
    return this.#prices;
  }

  /** Writes what a promise gives to a place of its own. */
  later(promise: Promise<unknown>, write: Write, place: Output): void {
    this.#open++;
    promise.then(
      (value) => {
        if (!this.hasFailed) this.attempt(write, value, place);
        this.#close();
      },
      () => {
        this.hasFailed = true;
        this.#close();
      },
    );
  }

  attempt(write: Write, value: unknown, out: Output): void {
    try {
      write(value, out, this);
    } catch {
      this.hasFailed = true;
    }
  }

  /** What is to be waited for until nothing is to come any more, if anything. */
  settled(): Promise<void> | undefined {
    if (this.#open === 0) return undefined;
    return new Promise((resolve) => {
      this.#whenSettled = resolve;
    });
  }

  #close(): void {
    if (--this.#open === 0) this.#whenSettled?.();
  }
}
