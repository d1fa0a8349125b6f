import { Readable } from 'node:stream';
import { z } from '@hono/zod-openapi';
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { type Breach, DomainError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { pageByPosition } from '../domain/pagination.ts';
import { breachesOf } from '../domain/parse-input.ts';
import { answered } from '../http/answer.ts';
import type { ExchangeBindings } from '../http/exchange.ts';
import { isObject, readJson } from '../http/json-body.ts';
import { textHeaders } from '../http/text.ts';
import { readUpload } from '../http/upload.ts';
import type { Context } from '../services/context.ts';
import { withIdempotencyKey } from '../services/idempotency.ts';
import { assertMayChange } from '../services/may-change.ts';
import { type Deprecation, deprecationHeaders } from './deprecation.ts';
import { etagOf, ifMatchRevisions } from './etag.ts';
import { pageLinks } from './links.ts';
import { openApiRoute, UNKNOWN_COST_CARDS, UNPRICED_CARDS } from './openapi.ts';
import {
  type Download,
  isConditional,
  isList,
  type PagePosition,
  type RestApp,
  type RouteDescription,
} from './route-description.ts';

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
  c: HonoContext<{ Bindings: ExchangeBindings }>,
  route: RouteDescription<Query>,
): Promise<Response> {
  const { exchange } = c.env;
  exchange.route = route.path;
  const asker = await exchange.admit();
  if (route.method !== 'get') assertMayChange(asker);
  const db = asker.db.forOperation();
  const admitted = { ...asker, db: (route.method === 'get' && db.onlyReads()) || db };
  const given = readQuery(c, route.query);
  const body = route.body ? asObject(await readJson(c.req.raw, exchange.readBody)) : undefined;
  const context = route.method === 'post' ? withKey(admitted, c) : admitted;
  const reply = await route.handle({
    context,
    params: c.req.param(),
    query: given.query,
    page: given.page,
    body,
    file: () => readUpload(c.req.raw, exchange.streamBody, route.file!),
    revisions: isConditional(route) ? ifMatchRevisions(c.req.header('If-Match')) : null,
  });
  if ('stream' in reply) return downloaded(reply, route.downloads!);
  const headers: Record<string, string> = context.idempotency?.replayed
    ? { 'Idempotency-Replayed': 'true' }
    : {};
  if (reply.body === null) return answered(null, 204, headers);
  if (isList(route.query)) {
    const { nextCursor } = reply.body as { nextCursor?: number };
    headers.Link = pageLinks(c.req.path, given.values, given.page, nextCursor);
  }
  if (reply.location) headers.Location = reply.location;
  if (reply.unpriced) headers[UNPRICED_CARDS] = String(reply.unpriced);
  if (reply.unknownCost) headers[UNKNOWN_COST_CARDS] = String(reply.unknownCost);
  const text = reply.text ?? JSON.stringify(reply.body);
  const { etag, isKnown } = etagOf(c, text, reply);
  if (etag !== null) headers.ETag = etag;
  if (isKnown) return answered(null, 304, headers);
  return answered(text, 200, { ...headers, ...textHeaders(text, 'application/json') });
}

function downloaded({ fileName, bytes, stream }: Download, type: string): Response {
  const headers = {
    'Content-Type': type,
    'Content-Length': String(bytes),
    'Content-Disposition': `attachment; filename="${fileName}"`,
  };
  return new Response(Readable.toWeb(stream) as ReadableStream, { headers });
}

function asObject(body: unknown): object {
  if (isObject(body)) return body;
  throw new DomainError('ValidationFailed', 'The body must be a JSON object.', {
    breaches: [{ path: [], detail: 'must be an object' }],
  });
}

function withKey(context: Context, c: HonoContext): Context {
  const key = c.req.header('Idempotency-Key');
  return key === undefined ? context : withIdempotencyKey(context, key, 'Idempotency-Key');
}

const NO_PARAMETERS = z.strictObject({});
const NOTHING_GIVEN = { values: {}, query: {}, page: pageByPosition({}) };

interface GivenQuery<Query extends z.ZodObject> {
  /** As they were given. */
  values: Record<string, string>;
  query: z.output<Query>;
  page: PagePosition;
}

/** Query parameters by their rules; a parameter that is given twice, or is not known, is a breach. */
function readQuery<Query extends z.ZodObject>(c: HonoContext, rule: Query | undefined): GivenQuery<Query> {
  if (rule === undefined && !c.req.url.includes('?')) return NOTHING_GIVEN as GivenQuery<Query>;
  const given = c.req.queries();
  const repeated = Object.keys(given).filter((name) => given[name]!.length > 1);
  const breaches: Breach[] = repeated.map((name) => ({
    path: [name],
    detail: 'must be given once',
    inQuery: true,
  }));
  const values = Object.fromEntries(Object.entries(given).map(([name, texts]) => [name, texts[0]!]));
  const parsed = (rule ?? NO_PARAMETERS).safeParse(values);
  const page = readPage(isList(rule) ? values : {});
  const broken = [...(parsed.success ? [] : breachesOf(parsed.error, values)), ...page.breaches];
  breaches.push(...broken.map(asParameter));
  if (breaches.length > 0) throw queryFailed(breaches);
  return { values, query: parsed.data as z.output<Query>, page: page.request! };
}

/** A breach in the words for a query: its parts are parameters, not fields. */
function asParameter({ path, detail }: Breach): Breach {
  return { path, detail: detail.replace('known field', 'known parameter'), inQuery: true };
}

/** `ValidationFailed` for query parameters. */
export function queryFailed(all: readonly Breach[]): DomainError {
  const breaches = all.slice(0, LIMITS.breaches);
  const message = breaches.map(({ path, detail }) => `?${path.join('.')} ${detail}`).join('; ');
  return new DomainError('ValidationFailed', message, { breaches });
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
