import { type Document, textOf, withKeys } from './document.ts';
import { adviceOn, CardledgerError, type ErrorCode, noAnswer, parsed, refusal } from './errors.ts';
import { type Answer, ask, type Service } from './requests.ts';

/** An answer of GraphQL as it came. */
export interface Result<Data> {
  data?: Data | null;
  errors?: {
    message: string;
    path?: (string | number)[];
    extensions?: { code?: string; requestId?: string };
  }[];
  extensions?: Record<string, unknown>;
}

/** A page of a list, by its `nodes` or its `edges`. */
export interface Page<Item> {
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
  nodes?: readonly Item[];
  edges?: readonly { node: Item }[];
}

/** The data of mutations that were done: what they answer with where they are refused is thrown. */
export type Done<Data> = { [Field in keyof Data]: Exclude<Data[Field], { message: string }> };

export interface CallOptions {
  signal?: AbortSignal;
}

/** Variables may be left out where none is required. */
export type Arguments<Variables> =
  Record<string, never> extends Variables
    ? [variables?: Variables, options?: CallOptions]
    : [variables: Variables, options?: CallOptions];

export async function execute<Data, Variables>(
  service: Service,
  document: Document<Data, Variables>,
  given: Variables | undefined,
  { signal }: CallOptions = {},
): Promise<{ result: Result<Data>; status: number; unknownKeys: readonly string[] | undefined }> {
  const query = textOf(document);
  const { variables, ...sending } = withKeys(query, (given ?? {}) as Record<string, unknown>);
  const answer = await ask(
    service,
    '/graphql',
    {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/graphql-response+json, application/json',
      },
      body: JSON.stringify({ query, variables }),
    },
    { ...sending, signal },
    isUnavailable,
  );
  const unknownKeys = answer.isUnknown ? sending.idempotencyKeys : undefined;
  return { result: resultOf<Data>(answer, unknownKeys), status: answer.status, unknownKeys };
}

/** Gives the data; throws where anything of it could not be answered. */
export async function query<Data, Variables>(
  service: Service,
  document: Document<Data, Variables>,
  variables: Variables | undefined,
  options?: CallOptions,
): Promise<Data> {
  const { result, status, unknownKeys } = await execute(service, document, variables, options);
  const error = failureOf(result, status, unknownKeys);
  if (error) throw error;
  return result.data as Data;
}

/** As `query`; throws also what a mutation answers with where it is refused. */
export async function mutate<Data, Variables>(
  service: Service,
  document: Document<Data, Variables>,
  variables: Variables | undefined,
  options?: CallOptions,
): Promise<Done<Data>> {
  const data = await query(service, document, variables, options);
  for (const outcome of Object.values(data as Record<string, unknown>)) {
    const error = refusedMutation(outcome, data);
    if (error) throw error;
  }
  return data as Done<Data>;
}

/** Each item of a list, page by page, as they are asked for. The document takes `$after`. */
export async function* items<Data, Variables, Item>(
  service: Service,
  document: Document<Data, Variables>,
  variables: Omit<Variables, 'after'>,
  pageOf: (data: Data) => Page<Item> | null | undefined,
  options?: CallOptions,
): AsyncGenerator<Item, void, undefined> {
  for (let after: string | null | undefined; ; ) {
    const data = await query(service, document, { ...variables, after } as Variables, options);
    const page = pageOf(data);
    if (!page) return;
    yield* page.nodes ?? page.edges?.map(({ node }) => node) ?? [];
    const { hasNextPage, endCursor } = page.pageInfo;
    if (!hasNextPage) return;
    if (!endCursor || endCursor === after) {
      throw new TypeError(
        'The document has to take $after, hand it to the list, and ask for pageInfo { hasNextPage endCursor }.',
      );
    }
    after = endCursor;
  }
}

/** What of a result is a failure; undefined where nothing is. */
export function failureOf(
  result: Result<unknown>,
  status?: number,
  idempotencyKeys?: readonly string[],
): CardledgerError | undefined {
  const [first] = result.errors ?? [];
  if (!first) return undefined;
  const { code = 'Internal', requestId } = first.extensions ?? {};
  const message = first.message + adviceOn(idempotencyKeys);
  const fields = { status, requestId, data: result.data, idempotencyKeys };
  return new CardledgerError(code as ErrorCode, message, fields);
}

function resultOf<Data>({ status, text }: Answer, unknownKeys?: readonly string[]): Result<Data> {
  const result = parsed<Result<Data>>(text);
  if (result && ('data' in result || Array.isArray(result.errors))) return result;
  throw status < 400 ? noAnswer(status) : refusal(status, text, unknownKeys);
}

/** Also in a field that the rest of the answer stands beside. */
function isUnavailable({ status, text }: Answer): boolean {
  if (status >= 502) return true;
  if (!text.includes('"Unavailable"')) return false;
  return !!parsed<Result<unknown>>(text)?.errors?.some(
    ({ extensions }) => extensions?.code === 'Unavailable',
  );
}

interface Outcome {
  __typename?: string;
  message?: string;
  errors?: { path: string[]; detail: string }[];
  limit?: number;
  current?: number;
}

function refusedMutation(outcome: unknown, data: unknown): CardledgerError | undefined {
  const { __typename: type, message, ...details } = (outcome ?? {}) as Outcome;
  const isDone = type ? type.endsWith('Payload') : message === undefined;
  if (isDone) return undefined;
  const { errors, limit, current } = details;
  return new CardledgerError(
    (type ?? 'UnknownFailure') as ErrorCode,
    message ?? `The mutation was refused: ${type}.`,
    {
      errors,
      limit,
      current,
      data,
    },
  );
}
