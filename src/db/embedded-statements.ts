import type { protocol, types } from '@electric-sql/pglite';
import { LRUCache } from 'lru-cache';
import { type Answer, type ParseValue, type RowReader, rowReader } from './embedded-answer.ts';
import { asText, DATE, INT8, type Param, TIMESTAMP, TIMESTAMPTZ } from './text-types.ts';

/** A statement that the database keeps under a name. */
export interface Prepared {
  name: string;
  readRow: RowReader;
  /** What fails at its first use is wrong itself, and not prepared for tables as they were before. */
  wasUsed: boolean;
  uses: number;
}

/** Of statements of the product one takes the database 60 kB on average, and up to 400 kB. */
export const MAX_PREPARED = 200;

/** So often PostgreSQL plans a prepared statement for its parameters; from then on perhaps once for all (`plan_cache_mode`). */
const PLANNED_USES = 5;

const PARSERS: Record<number, ParseValue> = {
  [DATE]: asText,
  [TIMESTAMP]: asText,
  [TIMESTAMPTZ]: asText,
  [INT8]: Number,
};

/** The types of the elements, and of arrays of them. */
export const ARRAY_TYPES =
  'select oid::int8 as element, typarray::int8 as "array" from pg_type where typarray <> 0';
export interface ArrayType {
  element: number;
  array: number;
}

/**
 * What an embedded database keeps of statements. Each text is prepared once, and then bound and executed, while PGlite's own
 * `query` has it parsed and planned each time, in six messages one after the other.
 */
export class EmbeddedStatements {
  readonly #serialize: (typeof protocol)['serialize'];
  readonly #parsers: Record<number, ParseValue>;
  /** By their texts. */
  readonly #kept = new LRUCache<string, Prepared>({
    max: MAX_PREPARED,
    dispose: ({ name }) => this.#forgotten.push(name),
  });
  /** The names of those that are no longer kept, until the database is told. */
  #forgotten: string[] = [];
  #names = 0;

  constructor({ serialize }: typeof protocol, { parsers }: typeof types) {
    this.#serialize = serialize;
    this.#parsers = { ...parsers, ...PARSERS };
  }

  addArrays(arrays: readonly ArrayType[], { arrayParser, parsers }: typeof types): void {
    for (const { element, array } of arrays) {
      this.#parsers[array] = (text) => arrayParser(text, parsers[element]!, array);
    }
  }

  /** @param isPrepared false where what it takes follows from its parameters: none whose plan no longer does */
  used(text: string, isPrepared = true): Prepared | undefined {
    const statement = this.#kept.get(text);
    if (isPrepared || !statement || statement.uses < PLANNED_USES) return statement;
    this.#kept.delete(text);
    return undefined;
  }

  /** It will be prepared anew. */
  forget(text: string, { name }: Prepared): void {
    if (this.#kept.peek(text)?.name === name) this.#kept.delete(text);
  }

  /** What has a text prepared, and the function that keeps it by the answer to that. */
  preparation(text: string): { messages: Uint8Array[]; keep: (answer: Answer) => void } {
    if (this.#kept.size >= MAX_PREPARED) this.#kept.pop();
    const serialize = this.#serialize;
    const closed = this.#forgotten.map((name) => serialize.close({ type: 'S', name }));
    this.#forgotten = [];
    const name = `cardledger_${++this.#names}`;
    return {
      messages: [
        ...closed,
        serialize.parse({ name, text }),
        serialize.describe({ type: 'S', name }),
        serialize.sync(),
      ],
      keep: ({ columns }) =>
        this.#kept.set(text, {
          name,
          readRow: rowReader(
            columns.map((column) => column.name),
            columns.map(({ dataTypeID }) => this.#parsers[dataTypeID]),
          ),
          wasUsed: false,
          uses: 0,
        }),
    };
  }

  /** Parameters go as text, as to PostgreSQL. */
  execution(statement: Prepared, params: readonly Param[]): Uint8Array[] {
    statement.uses++;
    const values = params.map((value) => (value === null || value === undefined ? null : String(value)));
    return [
      this.#serialize.bind({ statement: statement.name, values }),
      this.#serialize.execute(),
      this.#serialize.sync(),
    ];
  }
}

/**
 * Changed result, unknown statement, and whatever is wrong with a text that was right when it was prepared; a lack of
 * privilege was there then, too.
 */
const STALE = /^(0A000|26000|42(?!501)...)$/;

/** Whether a statement that was kept failed before anything of it was done, as by a migration since it was prepared. */
export function isStale({ error, isBound }: Answer): boolean {
  return !isBound && STALE.test(error?.code ?? '');
}
