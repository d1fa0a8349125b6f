import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { type Breach, DomainError, PROBLEMS, type Problem } from '../domain/errors.ts';
import { breachesOf, IdempotencyKey, parseInput } from '../domain/inputs.ts';
import { type PageRequest, pageByPosition } from '../domain/pagination.ts';
import { textHeaders } from '../http/text.ts';
import type { Context } from '../services/context.ts';
import { readJson } from './body.ts';
import { type Deprecation, deprecationHeaders } from './deprecation.ts';
import { ifMatchRevision, notModified } from './etag.ts';
import { pageLinks } from './links.ts';
import { ProblemSchema } from './schemas.ts';

/** What the middleware leaves for the routes. */
export interface Variables {
  requestId: string;
  context: Context;
}

export type RestApp = OpenAPIHono<{ Variables: Variables; Bindings: NodeBindings }>;

/** What @hono/node-server tells of a request's socket and answer. */
export interface NodeBindings {
  incoming?: { socket?: { remoteAddress?: string } };
  outgoing?: { destroy(): unknown };
}

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
  idempotencyKey: string | null;
  /** The revision in `If-Match`, null where there is none. */
  revision: number | null;
}

export interface Reply {
  /** Null for 204. */
  body: unknown;
  /** The version of the resource, for its ETag. */
  revision?: number;
  /** A weak version, where there is no revision: the ETag is made from the body. */
  etagOfBody?: boolean;
  replayed?: boolean;
}

/** One description: from it come the route, its checks and its part of the OpenAPI document. */
export interface RouteDescription<Query extends z.ZodObject> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  params?: z.ZodObject;
  query?: Query;
  body?: z.ZodType;
  /** Null for 204 without a body. */
  response: z.ZodType | null;
  /** Set for the GET of one resource. */
  hasEtag?: true;
  /** Beyond those that every route has. */
  problems: readonly Problem[];
  deprecation?: Deprecation;
  handle: (request: RouteRequest<z.output<Query>>) => Promise<Reply>;
}

const EVERYWHERE: readonly Problem[] = [
  'ValidationFailed',
  'Unauthorized',
  'RateLimited',
  'Internal',
  'Unavailable',
];

/** Adds the route to the app and to its OpenAPI document. */
export function addRoute<Query extends z.ZodObject>(app: RestApp, route: RouteDescription<Query>): void {
  app.openAPIRegistry.registerPath(openApiRoute(route));
  const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
  const method = route.method.toUpperCase();
  if (route.deprecation) app.on(method, path, deprecated(route.deprecation));
  app.on(method, path, (c) => answer(c, route));
}

function deprecated(deprecation: Deprecation): MiddlewareHandler {
  const headers = deprecationHeaders(deprecation);
  return async (c, next) => {
    await next();
    for (const [name, value] of headers) c.res.headers.append(name, value);
  };
}

async function answer<Query extends z.ZodObject>(
  c: HonoContext<{ Variables: Variables; Bindings: NodeBindings }>,
  route: RouteDescription<Query>,
): Promise<Response> {
  const given = readQuery(c, route.query);
  const reply = await route.handle({
    context: c.get('context'),
    params: c.req.param(),
    query: given.query,
    page: given.page,
    body: route.body ? await readJson(c) : undefined,
    idempotencyKey: route.method === 'post' ? idempotencyKey(c) : null,
    revision: isConditional(route) ? ifMatchRevision(c.req.header('If-Match')) : null,
  });
  if (reply.replayed) c.header('Idempotency-Replayed', 'true');
  if (reply.body === null) return c.body(null, 204);
  if (isList(route.query)) {
    const { nextCursor } = reply.body as { nextCursor?: number };
    c.header('Link', pageLinks(c.req.path, given.values, given.page, nextCursor));
  }
  const text = JSON.stringify(reply.body);
  return notModified(c, text, reply) ?? c.body(text, 200, textHeaders(text, 'application/json'));
}

/** Whether the write honours `If-Match`. */
function isConditional({ problems }: Pick<RouteDescription<z.ZodObject>, 'problems'>): boolean {
  return problems.includes('PreconditionFailed');
}

function idempotencyKey(c: HonoContext): string | null {
  const key = c.req.header('Idempotency-Key');
  return key === undefined ? null : parseInput(IdempotencyKey, key, ['Idempotency-Key']);
}

/** Query parameters by their rules; a parameter that is given twice, or is not known, is a breach. */
function readQuery<Query extends z.ZodObject>(c: HonoContext, rule: Query | undefined) {
  const given = c.req.queries();
  const repeated = Object.keys(given).filter((name) => given[name]!.length > 1);
  const breaches: Breach[] = repeated.map((name) => ({
    path: [name],
    detail: 'must be given once',
    inQuery: true,
  }));
  const values = Object.fromEntries(Object.entries(given).map(([name, texts]) => [name, texts[0]!]));
  const parsed = (rule ?? z.strictObject({})).safeParse(values);
  const page = readPage(isList(rule) ? values : {});
  const broken = [...(parsed.success ? [] : breachesOf(parsed.error, values)), ...page.breaches];
  breaches.push(...broken.map((breach) => ({ ...breach, inQuery: true as const })));
  if (breaches.length > 0) throw queryFailed(breaches);
  return { values, query: parsed.data as z.output<Query>, page: page.request! };
}

/** `ValidationFailed` for query parameters. */
export function queryFailed(breaches: readonly Breach[]): DomainError {
  const message = breaches.map(({ path, detail }) => `?${path.join('.')} ${detail}`).join('; ');
  return new DomainError('ValidationFailed', message, { breaches });
}

function isList(query: z.ZodObject | undefined): boolean {
  return query !== undefined && 'cursor' in query.shape;
}

/** The page that is asked for, or what is wrong with it. */
function readPage(values: Record<string, string>): { request?: PagePosition; breaches: readonly Breach[] } {
  try {
    return { request: pageByPosition(values), breaches: [] };
  } catch (error) {
    if (error instanceof DomainError && error.details.breaches) return { breaches: error.details.breaches };
    throw error;
  }
}

function openApiRoute(route: RouteDescription<z.ZodObject>) {
  const headers = {
    ...(route.method === 'post' && { 'Idempotency-Key': IDEMPOTENCY_KEY }),
    ...(isConditional(route) && { 'If-Match': IF_MATCH }),
    ...(route.hasEtag && { 'If-None-Match': IF_NONE_MATCH }),
  };
  return createRoute({
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [route.tag],
    security: [{ oauth2: ['default'] }],
    request: {
      ...(route.params && { params: route.params }),
      ...(route.query && { query: route.query }),
      ...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
      ...(route.body && {
        body: { required: true, content: { 'application/json': { schema: route.body } } },
      }),
    },
    responses: {
      ...successOf(route.response),
      ...(route.hasEtag && {
        304: { description: 'Not modified: the ETag is still that in `If-None-Match`' },
      }),
      ...problemsOf(route),
    },
  });
}

const IDEMPOTENCY_KEY = z.string().min(1).max(255).optional().meta({
  description:
    'Makes the request safe to repeat: the same key and request give the first answer again for 24 hours.',
});

const IF_MATCH = z.string().optional().meta({
  description:
    'The ETag of the version that is to be changed; `PreconditionFailed` where there is a newer one.',
});

const IF_NONE_MATCH = z.string().optional().meta({
  description: 'The ETag of the version that is known; 304 without a body where it is still the newest.',
});

function successOf(response: z.ZodType | null) {
  if (response === null) return { 204: { description: 'Done' } };
  return { 200: { description: 'Success', content: { 'application/json': { schema: response } } } };
}

/** The problems of the route by status; several may share one. */
function problemsOf(route: RouteDescription<z.ZodObject>) {
  const names = new Set<Problem>([...EVERYWHERE, ...route.problems]);
  if (route.body) names.add('MalformedRequest');
  const byStatus = new Map<number, Problem[]>();
  for (const name of names) {
    const { status } = PROBLEMS[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  if (route.body) byStatus.set(413, ['MalformedRequest']).set(415, ['MalformedRequest']);
  const responses = [...byStatus].map(([status, problems]) => [
    status,
    {
      description: problems.map((name) => `${name}: ${PROBLEMS[name].title}`).join('; '),
      content: { 'application/problem+json': { schema: ProblemSchema } },
    },
  ]);
  return Object.fromEntries(responses);
}
