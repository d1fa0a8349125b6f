import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { projectPath } from '../../src/paths.ts';

/** A proxy that holds every request and response of the documented paths against schema/openapi.json. */

type Fetch = (request: Request) => Promise<Response>;

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: { type?: string };
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<
    string,
    { headers?: Record<string, { $ref: string }>; content?: Record<string, unknown> }
  >;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { headers: Record<string, { required?: boolean; schema: { type?: string } }> };
}

const DOCUMENT = JSON.parse(readFileSync(projectPath('schema/openapi.json'), 'utf8')) as Document;

/** OpenAPI leaves the first out of `headers`; the second is HTTP's own. */
const NOT_DOCUMENTED = new Set(['content-type', 'content-length']);

const UNPACK: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(DOCUMENT, 'openapi.json');

/** Nearest first: a path with more fixed parts comes before one that it also matches. */
const PATHS = Object.keys(DOCUMENT.paths)
  .sort((a, b) => a.split('{').length - b.split('{').length)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) }));

/** The same, but it fails where a request that is granted, or any response, is not as the document says. */
export function throughContract(fetch: Fetch): Fetch {
  return async (request) => {
    const { pathname } = new URL(request.url);
    const match = PATHS.find(({ pattern }) => pattern.test(pathname));
    const method = request.method.toLowerCase();
    const operation = match && DOCUMENT.paths[match.path]![method];
    const read = operation?.requestBody && request.body ? recorded(request) : { request, text: () => '' };
    const response = await fetch(read.request);
    const pointer = `openapi.json#/paths/${match?.path.replaceAll('/', '~1')}/${method}`;
    const breaches = operation
      ? await responseBreaches(operation, pointer, response)
      : await problemBreaches(response);
    if (operation && response.ok) {
      const params = match.pattern.exec(pathname)!.groups ?? {};
      breaches.push(...requestBreaches(operation, pointer, request, read.text(), params));
    }
    if (breaches.length === 0) return response;
    const answer = `${request.method} ${request.url}, answered with ${response.status}`;
    throw new Error(`${answer}, is not as schema/openapi.json says: ${breaches.join('; ')}`);
  };
}

/** The same request, and the text that was read of it: a clone would hold up who reads only a part. */
function recorded(request: Request): { request: Request; text: () => string } {
  const chunks: Uint8Array[] = [];
  const record = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      chunks.push(chunk);
      controller.enqueue(chunk);
    },
  });
  const init = { body: request.body!.pipeThrough(record), duplex: 'half' as const };
  return { request: new Request(request, init), text: () => new TextDecoder().decode(Buffer.concat(chunks)) };
}

async function responseBreaches(
  { responses }: Operation,
  pointer: string,
  response: Response,
): Promise<string[]> {
  const documented = responses[response.status];
  if (!documented) return [`the status ${response.status} is not documented`];
  const breaches = headerBreaches(documented.headers ?? {}, response.headers);
  const bytes = await unpacked(response);
  const type = response.headers.get('Content-Type');
  if (!documented.content) return bytes.length === 0 ? breaches : [...breaches, 'a body is not documented'];
  if (type === null || !(type in documented.content))
    return [...breaches, `the type ${type} is not documented`];
  if (!/json/.test(type)) return breaches;
  const schema = `${pointer}/responses/${response.status}/content/${type.replaceAll('/', '~1')}/schema`;
  return [...breaches, ...breachesOf(schema, JSON.parse(bytes.toString()), 'the answer')];
}

/** Any problem is of one shape, also that of a path or method that is not documented. */
async function problemBreaches(response: Response): Promise<string[]> {
  if (response.headers.get('Content-Type') !== 'application/problem+json') return [];
  const text = (await unpacked(response)).toString();
  // The answer to HEAD has the type, and no body.
  if (text === '') return [];
  return breachesOf('openapi.json#/components/schemas/Problem', JSON.parse(text), 'the problem');
}

async function unpacked(response: Response): Promise<Buffer> {
  const bytes = Buffer.from(await response.clone().arrayBuffer());
  const unpack = UNPACK[response.headers.get('Content-Encoding') ?? ''];
  return unpack ? unpack(bytes) : bytes;
}

function headerBreaches(documented: Record<string, unknown>, headers: Headers): string[] {
  const names = Object.keys(documented);
  const known = new Set([...NOT_DOCUMENTED, ...names.map((name) => name.toLowerCase())]);
  const unknown = [...headers.keys()].filter((name) => !known.has(name));
  const breaches = unknown.map((name) => `the header ${name} is not documented`);
  for (const name of names) {
    const { required, schema } = DOCUMENT.components.headers[name]!;
    const value = headers.get(name);
    if (value === null && required) breaches.push(`the header ${name} is missing`);
    const pointer = `openapi.json#/components/headers/${name}/schema`;
    if (value !== null) breaches.push(...breachesOf(pointer, typed(value, schema.type), name));
  }
  return breaches;
}

function requestBreaches(
  { parameters = [], requestBody }: Operation,
  pointer: string,
  request: Request,
  text: string,
  pathParameters: Record<string, string>,
): string[] {
  const query = new URL(request.url).searchParams;
  const given = {
    path: (name: string) => pathParameters[name] ?? null,
    query: (name: string) => query.get(name),
    header: (name: string) => request.headers.get(name),
  };
  const queryNames = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const unknown = [...query.keys()].filter((name) => !queryNames.includes(name));
  const breaches = unknown.map((name) => `the parameter ${name} is not documented`);
  for (const [i, { name, in: place, required, schema }] of parameters.entries()) {
    const value = given[place](name);
    if (value === null && required) breaches.push(`the parameter ${name} is missing`);
    const at = `${pointer}/parameters/${i}/schema`;
    if (value !== null) breaches.push(...breachesOf(at, typed(value, schema.type), name));
  }
  if (!requestBody) return breaches;
  const type = request.headers.get('Content-Type')!.split(';')[0]!.trim().toLowerCase();
  if (!(type in requestBody.content)) return [...breaches, `the type ${type} is not documented`];
  if (type === 'multipart/form-data') return breaches;
  const body = bodyOf(type, text);
  const schema = `${pointer}/requestBody/content/${type.replaceAll('/', '~1')}/schema`;
  return [...breaches, ...breachesOf(schema, body, 'the body')];
}

function bodyOf(type: string, text: string): unknown {
  if (type.startsWith('text/') || type === 'application/gzip') return text;
  return type.endsWith('json') ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
}

function typed(text: string, type: string | undefined): string | number {
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

function breachesOf(pointer: string, value: unknown, what: string): string[] {
  const validate = ajv.getSchema(pointer);
  if (!validate) return [`there is no schema at ${pointer}`];
  if (validate(value)) return [];
  return validate.errors!.map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
}

/** Where a value breaks the schema at a JSON pointer of the document. */
export function schemaBreaches(pointer: string, value: unknown): string[] {
  return breachesOf(`openapi.json#${pointer}`, value, 'the value');
}
