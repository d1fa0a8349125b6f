import type { Readable } from 'node:stream';
import type { AccountWork, Context } from '../services/context.ts';
import type { ReadBody, StreamBody } from './body.ts';

/** A request on its way to its answer. */
export interface Exchange {
  readonly requestId: string;
  /** As it was sent: HEAD is answered like GET. */
  readonly method: string;
  readonly url: string;
  readonly path: string;
  /** The path as the documents have it, such as `/collection/{collectionId}`; set by the route that takes it. */
  route: string | undefined;
  /**
   * Finds out who asks, counts the request, and waits for its turn. Throws `Unauthorized`, `RateLimited`, `Unavailable`,
   * and `MalformedRequest` where the client has left meanwhile.
   */
  admit(): Promise<Context>;
  readonly readBody: ReadBody;
  readonly streamBody: StreamBody;
}

/** What @hono/node-server tells of a request's socket and answer. */
export interface NodeBindings {
  incoming?: Readable & { socket?: { remoteAddress?: string | undefined } };
  outgoing?: Outgoing;
}

/** The answer as Node has it. */
export interface Outgoing {
  owner?: AnswerOwner;
  /** What is written of it and the system has still to take, in bytes. */
  readonly leftBytes?: number;
  /** Ends the connection, whatever was written to it and not taken. */
  destroy(): unknown;
}

/** Whom an answer is for; nothing where nobody knows. */
export interface AnswerOwner {
  accountId?: string | undefined;
  /** That the account is below, where it acts for it. */
  platformId?: string | undefined;
}

/** What Hono's handlers find in `c.env`. */
export interface ExchangeBindings extends NodeBindings {
  exchange: Exchange;
}

/** What becomes known of an exchange on its way. */
export interface OpenExchange extends Exchange {
  work: AccountWork | undefined;
  /** The `RateLimit-*` headers of its answer. */
  limits: Record<string, string>;
}
