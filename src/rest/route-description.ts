import type { Readable } from 'node:stream';
import type { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Problem } from '../domain/errors.ts';
import type { PageRequest } from '../domain/pagination.ts';
import type { ExchangeBindings } from '../http/exchange.ts';
import type { UploadKind } from '../http/upload.ts';
import type { Context } from '../services/context.ts';
import type { Deprecation } from './deprecation.ts';

export type RestApp = OpenAPIHono<{ Bindings: ExchangeBindings }>;

export type PagePosition = PageRequest & { kind: 'position' };

/** What a handler is given: all of the request that its description names. */
export interface RouteRequest<Query> {
  context: Context;
  params: Record<string, string>;
  query: Query;
  /** What `cursor` and `pageSize` ask for; the first page on routes that are no lists. */
  page: PagePosition;
  /** The parsed JSON, to be checked by the verb. */
  body: unknown;
  /** The file that is sent, as it comes, on routes that take one. */
  file: () => AsyncIterable<Uint8Array>;
  /** The revisions in `If-Match`, null where any will do. */
  revisions: readonly number[] | null;
}

export interface Reply {
  /** Null for 204. */
  body: unknown;
  /** The body as JSON, where it is put together from texts that are at hand; of a list, `body` may lack the results then. */
  text?: string;
  /** The version of the resource, for its ETag. */
  revision?: number;
  /** Cards in it without a known price, for `Unpriced-Cards`. */
  unpriced?: number;
  /** Cards in it that were bought at a cost that is not known, for `Unknown-Cost-Cards`. */
  unknownCost?: number;
  /** The path of what was created. */
  location?: string;
  /** Where there is no revision: the ETag is made from the body. */
  etagOfBody?: boolean;
}

/** A file in the place of a reply. */
export interface Download {
  /** What a browser is to save it as. */
  fileName: string;
  bytes: number;
  stream: Readable;
}

/** One description: from it come the route, its checks and its part of the OpenAPI document. */
export interface RouteDescription<Query extends z.ZodObject> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  operationId: string;
  summary: string;
  description: string;
  tag: string;
  params?: z.ZodObject;
  query?: Query;
  body?: z.ZodType;
  /** Set where a file is sent in the place of JSON. */
  file?: UploadKind;
  /** Null for 204 without a body. */
  response: z.ZodType | null;
  /** Set where the answer is a file of this type in the place of JSON. */
  downloads?: string;
  /** Set where nothing of the answer is kept: it has neither a version nor a path. */
  isTransient?: true;
  /** Set for the GET of one resource. */
  hasEtag?: true;
  /** Set where its amounts are market values of what is held, of which prices may be unknown. */
  hasHeldValues?: true;
  /** Beyond those that every route has. */
  problems: readonly Problem[];
  deprecation?: Deprecation;
  /** The scope that its token needs, where that is not any. */
  scope?: 'platform';
  handle: (request: RouteRequest<z.output<Query>>) => Promise<Reply | Download>;
}

/** Whether the write honours `If-Match`. */
export function isConditional({ problems }: Pick<RouteDescription<z.ZodObject>, 'problems'>): boolean {
  return problems.includes('PreconditionFailed');
}

/** Whether the route's query asks for a page. */
export function isList(query: z.ZodObject | undefined): boolean {
  return query !== undefined && 'cursor' in query.shape;
}
