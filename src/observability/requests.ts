import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { accountIdOf, withoutSecrets } from '../domain/credentials.ts';
import type { Caller, Observation } from '../services/context.ts';
import type { Metrics } from './metrics.ts';
import { type Asker, observedDatabase, serviceObserver } from './statements.ts';
import type { TraceSpan, Tracing } from './tracing.ts';

export interface Observers {
  logger: Logger;
  metrics: Metrics;
  /** Left out where no traces are sent. */
  tracing?: Tracing | undefined;
}

/** What is known of a request when it arrives. */
export interface ArrivedRequest {
  method: string;
  path: string;
  /** `X-Request-Id`, if the client gave one. */
  givenId: string | null;
  /** W3C trace context, if the client sent it. */
  traceparent: string | null;
}

/** What is known of it at the end. */
export interface AnsweredRequest {
  status: number;
  /** Its path as the documents have it, such as `/collection/{collectionId}`. */
  route: string;
  /** Whether its client left before. */
  hasLeft: boolean;
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** One request: from it come its line in the log, its metrics and its trace. */
export class ObservedRequest implements Observation {
  readonly requestId: string;
  /** Who asks, once that is known. */
  caller: Caller | undefined;
  readonly #request: ArrivedRequest;
  readonly #observers: Observers;
  readonly #start = performance.now();
  readonly #span: TraceSpan | undefined;
  #operationSpan: TraceSpan | undefined;
  #operationName: string | undefined;
  #statements = 0;

  constructor(request: ArrivedRequest, observers: Observers) {
    const { givenId, method, path, traceparent } = request;
    this.requestId = givenId !== null && REQUEST_ID.test(givenId) ? givenId : randomUUID();
    this.#request = request;
    this.#observers = observers;
    this.#span = observers.tracing?.request(
      method,
      { 'http.request.method': method, 'url.path': withoutSecrets(path) },
      traceparent,
    );
  }

  /** The database, whose statements count as this request's. */
  database(db: Database, asker: Omit<Asker, 'observeBehind'>): Database {
    const observeBehind = serviceObserver(this.#observers.metrics);
    return observedDatabase(db, (text) => this.#statement(text), { ...asker, observeBehind });
  }

  operation(kind: string, name: string | undefined): (failed: boolean) => void {
    const start = performance.now();
    this.#operationName = name ?? `(${kind})`;
    const span = this.#span?.child(name ? `${kind} ${name}` : kind, {
      'graphql.operation.type': kind,
      ...(name && { 'graphql.operation.name': name }),
    });
    this.#operationSpan = span;
    return (failed) => {
      this.#observers.metrics.operation(this.caller?.accountId, kind, name, failed, secondsSince(start));
      span?.end(failed ? { error: true } : {});
      this.#operationSpan = undefined;
    };
  }

  /** Writes the line of the log, and counts. */
  end({ status, route, hasLeft }: AnsweredRequest): void {
    const { caller } = this;
    const { logger, metrics } = this.#observers;
    const { method, path } = this.#request;
    const seconds = secondsSince(this.#start);
    metrics.request(method, route, status, seconds);
    logger.info({
      requestId: this.requestId,
      method,
      path,
      route,
      status,
      millis: Math.round(seconds * 10_000) / 10,
      statements: this.#statements,
      // What is undefined is left out.
      left: hasLeft || undefined,
      operation: this.#operationName,
      accountId: caller && accountIdOf(caller.accountId),
      clientId: caller?.clientId,
      platformId: caller?.platformId && accountIdOf(caller.platformId),
    });
    this.#span?.end({
      name: `${method} ${route}`,
      attributes: {
        'http.route': route,
        'http.response.status_code': status,
        'cardledger.request_id': this.requestId,
        ...(caller && {
          'cardledger.account_id': accountIdOf(caller.accountId),
          'cardledger.client_id': caller.clientId,
        }),
        ...(caller?.platformId && { 'cardledger.platform_id': accountIdOf(caller.platformId) }),
      },
      ...(status >= 500 && { error: true }),
    });
  }

  #statement(text: string): (error?: unknown) => void {
    this.#statements++;
    const start = performance.now();
    // The text has places for values, and never the values.
    const span = (this.#operationSpan ?? this.#span)?.child(statementName(text), {
      'db.system.name': 'postgresql',
      'db.query.text': text,
    });
    return (error) => {
      this.#observers.metrics.statement('request', error !== undefined, secondsSince(start));
      span?.end({ error });
    };
  }
}

/** Its first word, such as `SELECT`. */
function statementName(text: string): string {
  return /[a-z]+/i.exec(text)?.[0].toUpperCase() ?? 'SQL';
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}
