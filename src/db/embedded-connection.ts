import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { protocol } from '@electric-sql/pglite';
import { freeMillis } from '../lib/free-time.ts';
import { startPatience } from '../lib/patience.ts';
import { startThread } from '../paths.ts';
import type { Connection, OnWork, Result, SendOptions } from './connection.ts';
import { type Answer, answersOf, type Notification, type RowReader } from './embedded-answer.ts';
import {
  ARRAY_TYPES,
  type ArrayType,
  EmbeddedStatements,
  isStale,
  type Prepared,
} from './embedded-statements.ts';
import type { EmbeddedSource, ThreadReport, ThreadRequest } from './embedded-thread.ts';
import { INVALID_CURSOR_STATE, SYSTEM_ERROR } from './errors.ts';
import { markStale } from './postgres-js.ts';
import type { Param } from './text-types.ts';

/** No statement of a request takes nearly as long; the database cannot be told to give one up. */
export const EMBEDDED_LIMIT_MILLIS = 30_000;

/** Nothing to prepare, and perhaps more than one command. */
const COMMAND = /^(begin|commit|rollback|set|listen|unlisten|vacuum|checkpoint)\b/i;

/** What was sent and is not answered. */
interface Sent {
  text: string;
  params: readonly Param[];
  onWork: OnWork | undefined;
  isPrepared: boolean | undefined;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** A statement that is with the database. */
interface Execution {
  sent: Sent;
  /** Undefined of a command. */
  statement: Prepared | undefined;
  messages: Uint8Array[];
}

export interface EmbeddedEvents {
  onNotification(channel: string, payload: string): void;
}

/**
 * The embedded database in a thread of its own, so that its work holds nothing else up. What is sent at once travels at
 * once. As a connection to PostgreSQL it is never opened again once it was lost: `ended` says why it was.
 */
export class EmbeddedConnection implements Connection {
  beginTexts(settings: readonly string[]): string[] {
    return [['begin', ...settings].join('; ')];
  }
  readonly openedAt = Date.now();
  readonly isLeft = false;
  limitMillis = EMBEDDED_LIMIT_MILLIS;
  isOpen = true;
  /** Resolves, once nothing of it runs any more, with the reason; null where it was closed. */
  readonly ended: Promise<string | null>;
  readonly #thread: Worker;
  readonly #protocol: typeof protocol;
  readonly #statements: EmbeddedStatements;
  readonly #events: EmbeddedEvents;
  readonly #waiting: Sent[] = [];
  #isWorking = false;
  #reason: string | null = null;
  #isClosing = false;
  #answered: ((pieces: Uint8Array[]) => void) | undefined;

  /** Throws an error with the reason where the database does not open. */
  static async open(source: EmbeddedSource, events: EmbeddedEvents): Promise<EmbeddedConnection> {
    // Imported here, so that a service on PostgreSQL need not load it.
    const { protocol, types } = await import('@electric-sql/pglite');
    const thread = startThread('db/embedded-thread', source);
    const [report] = (await Promise.race([once(thread, 'message'), once(thread, 'exit')])) as [
      ThreadReport | number,
    ];
    if (typeof report === 'number') throw new Error(`its thread ended with ${report}`);
    if ('ended' in report) {
      await thread.terminate();
      throw new Error(report.ended);
    }
    const statements = new EmbeddedStatements(protocol, types);
    const connection = new EmbeddedConnection(thread, protocol, statements, events);
    try {
      const { rows } = await connection.send(ARRAY_TYPES);
      statements.addArrays(rows as ArrayType[], types);
    } catch (error) {
      // Two must never have one directory.
      connection.discard();
      await connection.ended;
      throw error;
    }
    return connection;
  }

  private constructor(
    thread: Worker,
    library: typeof protocol,
    statements: EmbeddedStatements,
    events: EmbeddedEvents,
  ) {
    this.#thread = thread;
    this.#protocol = library;
    this.#statements = statements;
    this.#events = events;
    thread.on('message', (message: Uint8Array[] | ThreadReport) => {
      if (Array.isArray(message)) this.#answered?.(message);
      else if ('ended' in message) this.#end(message.ended);
    });
    thread.on('error', (error) => this.#end(String(error)));
    this.ended = new Promise((resolve) => {
      thread.on('exit', (code) => {
        this.#end(this.#isClosing ? null : `its thread ended with ${code}`);
        resolve(this.#reason);
      });
    });
  }

  get unanswered(): number {
    return this.#waiting.length;
  }

  readonly isCancelled = false;

  /** The thread hears of nothing before its statement is done. */
  cancel(): void {}

  send(
    text: string,
    params: readonly Param[] = [],
    { onWork, isPrepared }: SendOptions = {},
  ): Promise<Result> {
    if (!this.isOpen) return Promise.reject(lost(this.#reason));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, params, onWork, isPrepared, resolve, reject });
      void this.#work();
    });
  }

  discard(): void {
    this.#end('it was given up');
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.isOpen) this.#post(null);
    this.isOpen = false;
    await this.ended;
  }

  /** Nobody is left waiting, and what may be stuck is ended. */
  #end(reason: string | null): void {
    this.isOpen = false;
    this.#reason ??= reason;
    this.#answered?.([]);
    for (const { reject } of this.#waiting.splice(0)) reject(lost(this.#reason));
    void this.#thread.terminate();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    // Behind what is sent at once with the first.
    await null;
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      if (batch.length > 0) await this.#execute(batch);
      else await this.#prepare(this.#waiting[0]!);
    }
    this.#isWorking = false;
  }

  /** What waits first, up to what has to be prepared. */
  #nextBatch(): Execution[] {
    const batch: Execution[] = [];
    for (const sent of this.#waiting) {
      if (COMMAND.test(sent.text)) {
        batch.push({ sent, statement: undefined, messages: [this.#protocol.serialize.query(sent.text)] });
        continue;
      }
      const statement = this.#statements.used(sent.text, sent.isPrepared);
      if (!statement) break;
      batch.push({ sent, statement, messages: this.#statements.execution(statement, sent.params) });
    }
    return batch;
  }

  async #prepare(first: Sent): Promise<void> {
    const { messages, keep } = this.#statements.preparation(first.text);
    const [answer] = await this.#exchange(messages, [noRows], first.onWork);
    if (!answer) return;
    if (!answer.error) return void keep(answer);
    this.#waiting.shift();
    first.reject(answer.error);
    this.#endWhereBroken(answer.error);
  }

  /** What it would answer from here on is the same. */
  #endWhereBroken({ code = '', message }: NonNullable<Answer['error']>): void {
    if (code === INVALID_CURSOR_STATE || SYSTEM_ERROR.test(code)) this.#end(message);
  }

  async #execute(batch: Execution[]): Promise<void> {
    const readers = batch.map(({ statement }) => statement?.readRow ?? noRows);
    const answers = await this.#exchange(
      batch.flatMap(({ messages }) => messages),
      readers,
      // All are of one user.
      batch.find(({ sent }) => sent.onWork)?.sent.onWork,
    );
    for (const [i, answer] of answers.entries()) {
      this.#waiting.shift();
      this.#settle(batch[i]!, answer);
    }
  }

  #settle({ sent, statement }: Execution, answer: Answer): void {
    const { error, rows, command } = answer;
    if (error && statement?.wasUsed && isStale(answer)) {
      this.#statements.forget(sent.text, statement);
      markStale(error);
    }
    if (statement) statement.wasUsed = true;
    if (error) sent.reject(error);
    else sent.resolve({ rows, command: command! });
    if (error) this.#endWhereBroken(error);
  }

  /** None where the database was lost, of which all who wait are told. */
  async #exchange(messages: Uint8Array[], readers: RowReader[], onWork?: OnWork): Promise<Answer[]> {
    const start = freeMillis();
    const bytes = await this.#answerTo(messages);
    onWork?.(freeMillis() - start);
    return answersOf(bytes, this.#protocol.Parser, readers, (notification) => this.#tell(notification));
  }

  #answerTo(messages: Uint8Array[]): Promise<Buffer> {
    const { limitMillis } = this;
    const giveUp = () => this.#end(`it has not answered for ${limitMillis / 1000} s`);
    const stopPatience = limitMillis > 0 ? startPatience(limitMillis, giveUp) : () => {};
    return new Promise((resolve) => {
      this.#answered = (pieces) => {
        stopPatience();
        resolve(Buffer.concat(pieces));
      };
      this.#post(Buffer.concat(messages));
    });
  }

  #post(request: ThreadRequest): void {
    this.#thread.postMessage(request);
  }

  #tell({ channel, payload }: Notification): void {
    // Once the statement is answered.
    queueMicrotask(() => this.#events.onNotification(channel, payload));
  }
}

const noRows: RowReader = () => [];

function lost(reason: string | null): Error {
  const message = `The embedded database has ended: ${reason ?? 'it was closed'}.`;
  return Object.assign(new Error(message), { code: 'CONNECTION_CLOSED' });
}
