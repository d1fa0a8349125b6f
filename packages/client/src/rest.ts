import { CardledgerError, noAnswer, parsed, refusal } from './errors.ts';
import { newKey } from './key.ts';
import type { paths } from './openapi.ts';
import { ask, type Service } from './requests.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Operation<M extends Method, P extends keyof paths> = Extract<
  paths[P][Lowercase<M> & keyof paths[P]],
  object
>;

/** The paths that take a method, without the token's, which the client asks for itself. */
export type PathOf<M extends Method> = Exclude<
  { [P in keyof paths]: [Operation<M, P>] extends [never] ? never : P }[keyof paths],
  '/oauth2/token'
>;

type In<O, Part extends string> = O extends { parameters: { [P in Part]?: infer Value } }
  ? NonNullable<Value>
  : never;

/** An option that is left out where the operation has no such part, and may be where nothing of it is required. */
type Part<Name extends string, Value> = [Value] extends [never]
  ? { [N in Name]?: undefined }
  : Record<string, never> extends Value
    ? { [N in Name]?: Value }
    : { [N in Name]: Value };

type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never;

export type RestOptions<M extends Method, P extends keyof paths> = Part<'path', In<Operation<M, P>, 'path'>> &
  Part<'query', In<Operation<M, P>, 'query'>> &
  Part<'body', BodyOf<Operation<M, P>>> & {
    /** Of a `POST`: one of your own, where a request has to be the same after a restart of your program. */
    idempotencyKey?: string;
    /** Of a change: only if the resource still has this `etag`. It is not sent again then when the connection is lost. */
    ifMatch?: string;
    signal?: AbortSignal;
  };

/** The options may be left out where none is required. */
export type RestArguments<M extends Method, P extends keyof paths> =
  Record<string, never> extends RestOptions<M, P>
    ? [options?: RestOptions<M, P>]
    : [options: RestOptions<M, P>];

/** What an operation answers with: nothing for a `DELETE`. */
export type RestData<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { responses: { 200: { content: { 'application/json': infer Data } } } }
    ? Data
    : undefined;

export type ItemOf<P extends keyof paths> =
  RestData<'GET', P> extends { results: (infer Item)[] } ? Item : never;

/** The paths of lists. */
export type ListPath = { [P in PathOf<'GET'>]: [ItemOf<P>] extends [never] ? never : P }[PathOf<'GET'>];

/** What the function that sends takes, whatever the operation. */
interface AnyOptions {
  path?: Record<string, string> | undefined;
  query?: Record<string, string | number | undefined> | undefined;
  body?: unknown;
  idempotencyKey?: string;
  ifMatch?: string;
  signal?: AbortSignal;
}

export interface RestAnswer<Data> {
  data: Data;
  /** For `ifMatch` of a later change. */
  etag: string | null;
}

/** Sends one request; throws what is refused. */
export async function rest(
  service: Service,
  method: Method,
  template: string,
  { path = {}, query = {}, body, idempotencyKey, ifMatch, signal }: AnyOptions,
): Promise<RestAnswer<unknown>> {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const idempotencyKeys = method === 'POST' ? [idempotencyKey ?? newKey()] : undefined;
  if (idempotencyKeys) headers['Idempotency-Key'] = idempotencyKeys[0]!;
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch;
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  // A change that was made has another ETag: sent again it would be refused as if another had made it.
  const sending = { isRepeatable: ifMatch === undefined, idempotencyKeys, signal };
  const {
    status,
    text,
    mayBeDone,
    isUnknown,
    headers: answered,
  } = await ask(service, address(template, path, query), init, sending);
  const isDeleted = status === 204 || (method === 'DELETE' && status === 404 && mayBeDone);
  if (isDeleted) return { data: undefined, etag: null };
  if (status !== 200) throw refusal(status, text, isUnknown ? idempotencyKeys : undefined);
  const data = parsed(text);
  if (!data) throw noAnswer(status);
  return { data, etag: answered.get('ETag') };
}

/** Each item of a list, page by page, as they are asked for. */
export async function* restItems(
  service: Service,
  template: string,
  options: AnyOptions,
): AsyncGenerator<unknown, void, undefined> {
  for (let cursor = Number(options.query?.cursor ?? 0), isFirst = true; ; isFirst = false) {
    const page = await rest(service, 'GET', template, {
      ...options,
      query: { ...options.query, cursor },
    }).catch((error: unknown) => {
      if (!isFirst && isBeyondTheEnd(error)) return null;
      throw error;
    });
    if (!page) return;
    const { results, nextCursor } = page.data as { results: unknown[]; nextCursor?: number };
    yield* results;
    if (nextCursor === undefined) return;
    cursor = nextCursor;
  }
}

/** The list has become shorter since the page before. Of a collection that is gone it is said in other words. */
function isBeyondTheEnd(error: unknown): boolean {
  return (
    error instanceof CardledgerError && error.code === 'NotFound' && error.message.startsWith('The cursor ')
  );
}

function address(template: string, path: object, query: object): string {
  const filled = Object.entries(path).reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(String(value))),
    template,
  );
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length > 0 ? `${filled}?${parameters}` : filled;
}
