import type { Param } from './text-types.ts';

/** What postgres.js does otherwise than we need it, and how that is changed. */

/**
 * Where the plan of a statement has become invalid, as by a migration of another node, postgres.js sends it again by
 * itself, in two parts, between which it lets others through: then each is given the answer of the next. So it is
 * rejected instead, with the server's error; nothing of it was done, and the next time it is prepared anew.
 */
export function refuseRetries(query: object): void {
  Object.defineProperty(query, 'retried', {
    configurable: true,
    get: () => undefined,
    set(this: { cancelled: unknown; reject: (error: unknown) => void }, error: unknown) {
      this.cancelled = true;
      markStale(error as object);
      this.reject(error);
    },
  });
}

/** As postgres.js has it when it looks for what is prepared. */
interface SignedQuery {
  tagged: boolean;
  string: string;
  args: readonly Param[];
  preparedAs: string | false;
}

/**
 * postgres.js finds what is prepared by the types of the parameters and the text together, some kB that are made anew for each
 * statement. A number stands for the text, so that this takes a seventh of the time.
 */
export function shortenSignatures(query: object): void {
  Object.defineProperty(query, 'signature', {
    configurable: true,
    get(this: SignedQuery) {
      return this.preparedAs;
    },
    set(this: SignedQuery, signature: string | false) {
      this.preparedAs = signature && !this.tagged ? signatureOf(this.string, this.args) : signature;
    },
  });
}

const numbers = new Map<string, number>();

/** Of parameters that are text, numbers or null the server finds the types by the text. */
function signatureOf(text: string, params: readonly Param[]): string {
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  let signature = String(number);
  for (let i = 0; i < params.length; i++) if (typeof params[i] === 'boolean') signature += ` ${i}`;
  return signature;
}

const stale = new WeakSet<object>();

/** Says of an error that its statement will do once it is prepared anew. */
export function markStale(error: object): void {
  stale.add(error);
}

/** Whether a statement failed only because it had been prepared for tables as they were before. */
export function isStaleStatement(error: unknown): boolean {
  return typeof error === 'object' && error !== null && stale.has(error);
}

/**
 * postgres.js keeps each query from all but the rare full garbage collections: V8 gives functions that are made for a
 * property, such as a query's `resolve`, to the old generation at once, with all that they refer to. So rows are
 * collected apart from their query, which is left without them.
 */
export interface RowHolder {
  rows: unknown[];
}

export const NO_ROWS: unknown[] = [];

export function addTo(holder: RowHolder): (row: unknown) => void {
  return (row) => {
    holder.rows.push(row);
  };
}
