import type { PGlite, protocol, Transaction } from '@electric-sql/pglite';
import { removeFrom } from '../lib/lists.ts';
import { asText, DATE, INT8, markStale, type Param, TIMESTAMP, TIMESTAMPTZ } from './connection.ts';
import { type Answer, answerOf, type ParseValue, type RowReader, rowReader } from './embedded-answer.ts';

/** Sends a statement, and gives its rows. */
type Send = (text: string, params: readonly Param[]) => Promise<unknown[]>;

/** A statement that the database keeps under a name. */
interface Prepared {
  name: string;
  /** By the types of its parameters. */
  serializers: (((value: unknown) => string) | undefined)[];
  readRow: RowReader;
}

/** Of the statements of the product one takes the database 60 kB on average, and up to 400 kB. */
export const MAX_PREPARED = 200;

const PARSERS: Record<number, ParseValue> = {
  [DATE]: asText,
  [TIMESTAMP]: asText,
  [TIMESTAMPTZ]: asText,
  [INT8]: Number,
};

/** Of all databases of the process, as two may be of one PGlite. */
let names = 0;

/**
 * The statements of an embedded database. Each text is prepared once, and then bound and executed, while PGlite's own
 * `query` has it parsed and planned each time, in six messages one after the other. As that, they wait for PGlite's
 * locks, so that nothing comes between those of a transaction.
 */
export class EmbeddedStatements {
  readonly #pglite: PGlite;
  // Imported here, so that a service on PostgreSQL need not load it.
  readonly #protocol: Promise<typeof protocol>;
  /** By their texts; those used last are the last. */
  readonly #kept = new Map<string, Prepared>();
  /** The names of those that are no longer kept, until the database is told. */
  #forgotten: string[] = [];
  readonly #listeners: { channel: string; onPayload: (payload: string) => void }[] = [];

  constructor(pglite: PGlite) {
    this.#pglite = pglite;
    this.#protocol = import('@electric-sql/pglite').then((library) => library.protocol);
  }

  /** For statements of their own; with a scope, each in a transaction that starts with it. */
  alone(scope: string | null): Send {
    return (text, params) =>
      this.#pglite._runExclusiveTransaction(() =>
        this.#pglite._runExclusiveQuery(async () => {
          await this.#pglite._checkReady();
          return this.#send(text, params, scope);
        }),
      );
  }

  /** For statements within a transaction of PGlite's. */
  within(transaction: Transaction): Send {
    return async (text, params) => {
      if (transaction.closed) throw new Error('The transaction of this statement is over.');
      return this.#pglite._runExclusiveQuery(() => this.#send(text, params, null));
    };
  }

  /** As PGlite's, which hears nothing of the notifications that come with the answers to these statements. */
  async listen(channel: string, onPayload: (payload: string) => void): Promise<() => Promise<void>> {
    const listener = { channel, onPayload };
    this.#listeners.push(listener);
    const unlisten = await this.#pglite.listen(channel, onPayload);
    return async () => {
      removeFrom(this.#listeners, listener);
      await unlisten();
    };
  }

  async #send(text: string, params: readonly Param[], scope: string | null): Promise<unknown[]> {
    const { serialize } = await this.#protocol;
    const known = this.#used(text);
    const statement = known ?? (await this.#prepare(text));
    const { name, serializers, readRow } = statement;
    const values = params.map((value, i) => serialized(value, serializers[i]));
    const execution = [serialize.bind({ statement: name, values }), serialize.execute(), serialize.sync()];
    const answer = await this.#exchange(
      scope === null
        ? execution
        : [serialize.query(`begin; ${scope}`), ...execution, serialize.query('commit')],
      readRow,
    );
    if (answer.error) {
      if (known && isStale(answer)) {
        this.#forget(text, known);
        markStale(answer.error);
      }
      throw answer.error;
    }
    // PGlite passes over whatever else ends a statement, such as a stack of WebAssembly that is full.
    if (!answer.isComplete) throw new Error('The embedded database has broken a statement off.');
    return answer.rows;
  }

  #used(text: string): Prepared | undefined {
    const known = this.#kept.get(text);
    if (known) {
      this.#kept.delete(text);
      this.#kept.set(text, known);
    }
    return known;
  }

  #forget(text: string, { name }: Prepared): void {
    this.#kept.delete(text);
    this.#forgotten.push(name);
  }

  async #prepare(text: string): Promise<Prepared> {
    const { serialize } = await this.#protocol;
    if (this.#kept.size >= MAX_PREPARED) this.#forget(...this.#kept.entries().next().value!);
    const closed = this.#forgotten.map((name) => serialize.close({ type: 'S', name }));
    this.#forgotten = [];
    const name = `cardledger_${++names}`;
    const { error, parameterTypes, columns } = await this.#exchange([
      ...closed,
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    ]);
    if (error) throw error;
    const columnNames = columns.map((column) => column.name);
    const parsers = columns.map(({ dataTypeID }) => PARSERS[dataTypeID] ?? this.#pglite.parsers[dataTypeID]);
    const prepared: Prepared = {
      name,
      serializers: parameterTypes.map((type) => this.#pglite.serializers[type]),
      readRow: rowReader(columnNames, parsers),
    };
    this.#kept.set(text, prepared);
    return prepared;
  }

  async #exchange(sent: Uint8Array[], readRow: RowReader = () => []): Promise<Answer> {
    const { Parser } = await this.#protocol;
    const chunks: Buffer[] = [];
    await this.#pglite.execProtocolRawStream(Buffer.concat(sent), {
      // A copy: they are in the memory of the database.
      onRawData: (bytes) => chunks.push(Buffer.from(bytes)),
    });
    const answer = answerOf(Buffer.concat(chunks), Parser, readRow);
    for (const { channel, payload } of answer.notifications) this.#tell(channel, payload);
    return answer;
  }

  #tell(channel: string, payload: string): void {
    for (const listener of this.#listeners) {
      // Once the statement is answered, as PGlite does.
      if (listener.channel === channel) queueMicrotask(() => listener.onPayload(payload));
    }
  }
}

function serialized(value: Param, serializer: ((value: unknown) => string) | undefined): string | null {
  if (value === null || value === undefined) return null;
  return serializer ? serializer(value) : String(value);
}

/**
 * Changed result, unknown statement, and whatever is wrong with a text that was right when it was prepared; a lack of
 * privilege was there then, too.
 */
const STALE = /^(0A000|26000|42(?!501)...)$/;

/** Whether a statement that was kept failed before anything of it was done, as by a migration since it was prepared. */
function isStale({ error, isBound }: Answer): boolean {
  return !isBound && STALE.test(error?.code ?? '');
}
