import { createRoute, z } from '@hono/zod-openapi';
import { ACCOUNT_HEADER } from '../auth/caller.ts';
import type { Scope } from '../auth/tokens.ts';
import { PROBLEMS, type Problem } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import type { ProblemBody } from '../http/problem.ts';
import { FILE_TYPES, type UploadKind } from '../http/upload.ts';
import { groupBy } from '../lib/lists.ts';
import { packageVersion } from '../version.ts';
import type { Deprecation } from './deprecation.ts';
import { EXAMPLES, FORBIDDEN_HEADER, type OperationExample, PROBLEM_EXAMPLES } from './examples.ts';
import { EXAMPLE_IDS } from './models/parts.ts';
import { ProblemSchema } from './models/problems.ts';
import { enumSchemas, withNamedEnums } from './named-enums.ts';
import { isConditional, isList, type RestApp, type RouteDescription } from './route-description.ts';

/** The routes' part of the OpenAPI document, made from their descriptions. */

const EVERYWHERE: readonly Problem[] = [
  'ValidationFailed',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'TooMuchWork',
  'RateLimited',
  'Internal',
  'Unavailable',
];

type Schema = { type: 'string' | 'integer' | 'number'; [keyword: string]: unknown };

/** Cards whose market value is unknown, which the contract's amounts count as 0 (docs/decisions.md#unknown-prices). */
export const UNPRICED_CARDS = 'Unpriced-Cards';
/** Cards whose cost is unknown, which the contract's amounts count as 0 (docs/decisions.md#unknown-costs). */
export const UNKNOWN_COST_CARDS = 'Unknown-Cost-Cards';
const HELD_VALUES = [UNPRICED_CARDS, UNKNOWN_COST_CARDS];

/** Every header of the answers, by what the document calls it. */
const HEADERS: Record<
  string,
  { description: string; required?: true; schema: Schema; example?: string | number }
> = {
  'X-Request-Id': {
    required: true,
    description: 'The id of the request, as the client gave it or else a new one; the log has it too',
    schema: { type: 'string', maxLength: 128, pattern: '^[\\x21-\\x7e]+$' },
    example: '3f0b7c1e-6f0e-4c55-9d0e-2d9c3e1f5a77',
  },
  'RateLimit-Limit': {
    description:
      'Requests that the client may send in a minute, on answers to a caller who is known; at the token endpoint ' +
      'those of the client or of its address, whichever has fewer left',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 1_000_000 },
    example: 3000,
  },
  'RateLimit-Remaining': {
    description: 'Requests that are left of this minute',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 1_000_000 },
    example: 2999,
  },
  'RateLimit-Reset': {
    description: 'Seconds until the next minute starts',
    // The clocks of two nodes may differ by a minute.
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 120 },
    example: 60,
  },
  'Retry-After': {
    required: true,
    description: 'Seconds to wait before the next attempt',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 3600 },
    example: 2,
  },
  ETag: {
    required: true,
    description: 'The version of the resource; that of a compressed answer names the encoding',
    schema: { type: 'string', maxLength: 64, pattern: '^"[0-9A-Za-z_-]+"$' },
    example: '"3"',
  },
  Link: {
    description: 'RFC 8288: the `first`, `prev` and `next` page of the list, where there is one',
    schema: { type: 'string', maxLength: 32_768 },
    example: '</collection?cursor=0>; rel="first"',
  },
  Location: {
    required: true,
    description: 'The path of what was created',
    schema: { type: 'string', format: 'uri-reference', maxLength: 300 },
    example: `/collection/${EXAMPLE_IDS.collectionId}`,
  },
  'Idempotency-Replayed': {
    description: 'Present where this is the first answer again',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  [UNPRICED_CARDS]: {
    description:
      'Present where the answer has market values of cards without a known price: how many cards it counts as 0',
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    example: 3,
  },
  [UNKNOWN_COST_CARDS]: {
    description:
      'Present where the answer has amounts of cards that were bought at a cost that is not known, and counts as 0: how many',
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    example: 2,
  },
  'WWW-Authenticate': {
    required: true,
    description: 'RFC 6750: the reason, unless no token was sent',
    schema: { type: 'string', maxLength: 1000 },
    example: 'Bearer realm="cardledger"',
  },
  'Cache-Control': {
    required: true,
    description: 'Whether the answer may be kept, and by whom',
    schema: { type: 'string', enum: ['private, no-cache', 'no-store'] },
  },
  Vary: { description: 'The request headers that it depends on', schema: { type: 'string', maxLength: 100 } },
  'Content-Disposition': {
    required: true,
    description: 'As what a browser is to save the file',
    schema: { type: 'string', maxLength: 200 },
    example: 'attachment; filename="cardledger-account.tar.gz"',
  },
  'Content-Encoding': {
    description: 'Set on answers of 1 KiB and more to clients that take it',
    schema: { type: 'string', enum: ['br', 'gzip'] },
  },
  'Access-Control-Allow-Origin': {
    description: 'For pages of the origins in CORS_ORIGINS',
    schema: { type: 'string', maxLength: 1000 },
  },
  'Access-Control-Expose-Headers': {
    description: 'The headers that such pages may read',
    schema: { type: 'string', maxLength: 1000 },
  },
  'X-Content-Type-Options': {
    required: true,
    description: 'Browsers are not to guess the type',
    schema: { type: 'string', enum: ['nosniff'] },
  },
  'Referrer-Policy': {
    required: true,
    description: 'Browsers are not to tell where they come from',
    schema: { type: 'string', enum: ['no-referrer'] },
  },
  'Content-Security-Policy': {
    required: true,
    description: 'A browser that shows the answer runs and frames nothing',
    schema: { type: 'string', maxLength: 1000 },
  },
  'Strict-Transport-Security': {
    description: 'Where PUBLIC_URL is https',
    schema: { type: 'string', maxLength: 100 },
  },
  Pragma: { description: 'For old caches', schema: { type: 'string', enum: ['no-cache'] } },
  Deprecation: {
    description: 'RFC 9745: since when the route is deprecated',
    schema: { type: 'string', maxLength: 32, pattern: '^@\\d+$' },
  },
  Sunset: { description: 'RFC 8594: when the route goes', schema: { type: 'string', maxLength: 32 } },
};

/** On every answer, or on any where they say so. */
const COMMON = [
  ...[
    'X-Request-Id',
    'Cache-Control',
    'Access-Control-Allow-Origin',
    'Access-Control-Expose-Headers',
    'Vary',
  ],
  ...['X-Content-Type-Options', 'Referrer-Policy', 'Content-Security-Policy', 'Strict-Transport-Security'],
];
export const RATE_LIMIT = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const refTo = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers of an answer: those that all have, and these. */
export function headersWith(...names: string[]): Record<string, { $ref: string }> {
  return Object.fromEntries([...COMMON, ...names].map((name) => [name, refTo(name)]));
}

export function openApiRoute(route: RouteDescription<z.ZodObject>) {
  const example = EXAMPLES[route.operationId] ?? {};
  const headers = {
    'X-Request-Id': REQUEST_ID,
    ...(!route.scope && { [ACCOUNT_HEADER]: ACCOUNT }),
    ...(route.method === 'post' && { 'Idempotency-Key': IDEMPOTENCY_KEY }),
    ...(isConditional(route) && { 'If-Match': ifMatch(example.ifMatch) }),
    ...(route.hasEtag && { 'If-None-Match': IF_NONE_MATCH }),
  };
  return createRoute({
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    description: route.description + (route.deprecation ? ` ${goes(route.deprecation)}` : ''),
    ...(route.deprecation && { deprecated: true }),
    tags: [route.tag],
    security: [{ oauth2: [route.scope ?? 'default'] }],
    request: {
      ...(route.params && { params: route.params }),
      ...(route.query && { query: route.query }),
      headers: z.object(headers),
      ...(route.body && {
        body: {
          required: true,
          content: { 'application/json': { schema: route.body, example: example.body } },
        },
      }),
      ...(route.file && { body: { required: true, content: fileContent(route.file, example.body) } }),
    },
    responses: {
      ...successOf(route, example),
      ...(route.hasEtag && {
        304: {
          description: 'Not modified: the ETag is still one of those in `If-None-Match`',
          headers: headersOf(route, 'ETag', ...(route.hasHeldValues ? HELD_VALUES : [])),
        },
      }),
      ...problemsOf(route, example),
    },
  });
}

/** A file as a body of its own, or as the only part of a form. */
function fileContent(kind: UploadKind, example: unknown) {
  const schema = z.string().max(LIMITS.importFileBytes).meta({ description: 'The file' });
  const form = z.strictObject({ file: schema.meta({ format: 'binary' }) });
  return Object.fromEntries(
    FILE_TYPES[kind].map((type) =>
      type === 'multipart/form-data'
        ? [type, { schema: form, example: { file: example } }]
        : [type, { schema, example }],
    ),
  );
}

function goes({ since, sunset, link }: Deprecation): string {
  return `Deprecated since ${since}${sunset ? `, and gone from ${sunset} on` : ''}: see ${link}.`;
}

const REQUEST_ID = z.string().max(LIMITS.headerBytes).optional().meta({
  description: 'An id of your own for the request: 1 to 128 visible ASCII characters, or it is replaced',
});

const ACCOUNT = z.string().max(LIMITS.headerBytes).optional().meta({
  description:
    'With a token of the scope `platform`: the account below, `acc_…`, that it acts for, as that account would; its own where it is left out',
});

const IDEMPOTENCY_KEY = z.string().min(1).max(LIMITS.idempotencyKeyCharacters).optional().meta({
  pattern: '^[\\x21-\\x7e]+$',
  example: 'order-4711',
  description:
    'Makes the request safe to repeat: the same key and request give the first answer again for 24 hours.',
});

const ifMatch = (example = '"1"') =>
  z.string().max(LIMITS.headerBytes).optional().meta({
    example,
    description:
      'The ETags of versions that may be changed, or `*` for any; `PreconditionFailed` where the resource has another one.',
  });

const IF_NONE_MATCH = z.string().max(LIMITS.headerBytes).optional().meta({
  example: '"1"',
  description:
    'The ETags that are known, or `*`; 304 without a body where one is still that of the resource.',
});

/** The headers of an answer of the route: those of its kind, and these. */
function headersOf({ deprecation }: RouteDescription<z.ZodObject>, ...names: string[]) {
  const more = deprecation ? ['Deprecation', 'Sunset', ...(names.includes('Link') ? [] : ['Link'])] : [];
  return headersWith(...RATE_LIMIT, ...names, ...more);
}

function successOf(route: RouteDescription<z.ZodObject>, example: OperationExample) {
  if (route.response === null) return { 204: { description: 'Done', headers: headersOf(route) } };
  if (route.downloads) {
    const content = { [route.downloads]: { schema: route.response, example: example.response } };
    return { 200: { description: 'Success', headers: headersOf(route, 'Content-Disposition'), content } };
  }
  const isStored = route.body && !route.isTransient;
  const names = [
    'Content-Encoding',
    ...(isList(route.query) ? ['Link'] : []),
    ...(route.hasEtag || isStored ? ['ETag'] : []),
    ...(route.method === 'post' ? ['Idempotency-Replayed'] : []),
    ...(route.method === 'post' && isStored ? ['Location'] : []),
    ...(route.hasHeldValues ? HELD_VALUES : []),
  ];
  const content = { 'application/json': { schema: route.response, example: example.response } };
  return { 200: { description: 'Success', headers: headersOf(route, ...names), content } };
}

/** The problems of the route by status; several may share one. */
function problemsOf(route: RouteDescription<z.ZodObject>, example: OperationExample) {
  const names = new Set<Problem>([...EVERYWHERE, ...route.problems]);
  const hasBody = route.body || route.file;
  if (hasBody) names.add('MalformedRequest');
  const byStatus = groupBy<number, Problem>(names, (name) => PROBLEMS[name].status);
  if (hasBody) for (const status of [408, 413, 415]) byStatus.set(status, ['MalformedRequest']);
  const responses = [...byStatus].map(([status, problems]) => [
    status,
    {
      description: problems.map((name) => `${name}: ${PROBLEMS[name].title}`).join('; '),
      headers: headersOf(route, ...headersOfStatus(status)),
      content: problemContent(problems, status, route.path, withForbidden(route, example)),
    },
  ]);
  return Object.fromEntries(responses);
}

/** Where nothing else may be missing, or is not allowed, it is the account that the request names. */
function withForbidden({ problems, scope }: RouteDescription<z.ZodObject>, example: OperationExample) {
  const own: OperationExample['problems'] = {
    ...(!problems.includes('NotFound') && { NotFound: { detail: 'The account does not exist.' } }),
    ...(!scope && { Forbidden: { detail: FORBIDDEN_HEADER } }),
  };
  return { ...example, problems: { ...own, ...example.problems } };
}

/** The answer with one problem, of an operation that is no route of ours. */
export function problemResponseOf(problem: Problem, path: string) {
  const { status, title } = PROBLEMS[problem];
  return {
    description: `${problem}: ${title}`,
    headers: headersWith(),
    content: problemContent([problem], status, path, {}),
  };
}

function problemContent(
  problems: readonly Problem[],
  status: number,
  path: string,
  example: OperationExample,
) {
  const examples = problems.map((name) => [
    name,
    { summary: PROBLEMS[name].title, value: problemExample(name, status, path, example) },
  ]);
  return {
    'application/problem+json': { schema: ProblemSchema, examples: Object.fromEntries(examples) },
  };
}

function headersOfStatus(status: number): string[] {
  if (status === 401) return ['WWW-Authenticate'];
  return status === 429 || status === 503 ? ['Retry-After'] : [];
}

function problemExample(
  name: Problem,
  status: number,
  path: string,
  { problems = {}, malformed }: OperationExample,
): ProblemBody {
  const ofFile = name === 'MalformedRequest' && malformed?.[status];
  const { detail, ...more } = ofFile
    ? { detail: ofFile }
    : (problems[name] ?? PROBLEM_EXAMPLES[name](status));
  return {
    type: `/problems/${name}`,
    title: PROBLEMS[name].title,
    status,
    detail,
    instance: path.replaceAll(/\{(\w+)\}/g, (_, id: keyof typeof EXAMPLE_IDS) => EXAMPLE_IDS[id]),
    requestId: '3f0b7c1e-6f0e-4c55-9d0e-2d9c3e1f5a77',
    ...more,
  };
}

const DESCRIPTION = `Collections of trading cards, the transactions recorded in them, the catalogue, and expected values.

Every operation but \`createToken\` needs an access token. Errors are problems of RFC 9457, whose \`type\` is a page that
explains them. Every path answers \`OPTIONS\` with \`Allow\`, \`HEAD\` where it takes \`GET\`, and 405 (\`MethodNotAllowed\`)
to other methods. GraphQL, at \`/graphql\`, has all of it and more.`;

const SCOPE_DESCRIPTIONS: Record<Scope, string> = {
  default: 'Everything of your account',
  read: 'The same, without any change',
  platform: 'The same, and the accounts below it',
};

const TAGS = [
  { name: 'Token', description: 'Access tokens by OAuth 2.0 client credentials' },
  { name: 'Accounts', description: 'Those below the account of a platform, one for each of its users' },
  { name: 'Webhooks', description: 'Addresses that are told of what happens' },
  { name: 'Collections', description: 'What an account keeps cards in' },
  { name: 'Transactions', description: 'Purchases and sales, and what a collection holds by them' },
  { name: 'Products', description: 'The catalogue: cards and sealed products, with prices and sales' },
  { name: 'Expected values', description: 'What the cards of a sealed product are worth on average' },
];

/** The names of the headers that the answers have. */
function headersIn({ definitions }: RestApp['openAPIRegistry']): string[] {
  const routes = definitions.filter((definition) => definition.type === 'route');
  const names = routes.flatMap(({ route }) =>
    Object.values(route.responses).flatMap((response) =>
      'headers' in response ? Object.keys(response.headers ?? {}) : [],
    ),
  );
  return [...new Set(names)];
}

/** The OpenAPI document, made from the route descriptions. */
export function openApiDocument(app: RestApp) {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'oauth2', {
    type: 'oauth2',
    description:
      'Access tokens are JWTs of the profile of RFC 9068, made and checked as RFC8725 has it: one algorithm, typed, with issuer and audience. Those that the identity provider of a platform gives its users (`setIdentityProvider`) are good as well.',
    flows: {
      clientCredentials: { tokenUrl: '/oauth2/token', scopes: SCOPE_DESCRIPTIONS },
    },
  });
  for (const name of headersIn(registry)) registry.registerComponent('headers', name, HEADERS[name]!);
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'cardledger',
      version: packageVersion(),
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [
      {
        url: '/',
        description: 'The service that gives this document, in production or local',
        'x-internal': false,
      },
    ],
    tags: TAGS,
  });
  const named = withNamedEnums(document);
  return {
    ...named,
    components: { ...named.components, schemas: { ...named.components?.schemas, ...enumSchemas() } },
  };
}
