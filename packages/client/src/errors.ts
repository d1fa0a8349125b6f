import type { components } from './openapi.ts';

type Problem = components['schemas']['Problem'];
type NameOf<Type> = Type extends `/problems/${infer Name}` ? Name : never;

/** The problems of the service, by the names of its catalogue: the same in REST and GraphQL. */
export type ProblemName = NameOf<Problem['type']>;

/** What only GraphQL refuses, in `extensions.code`. */
export type GraphQLCode =
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'BAD_USER_INPUT'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_HASH_MISMATCH'
  | 'ANSWER_TOO_LARGE'
  | 'EVENTS_MISSED'
  | 'DOCUMENT_TOO_LARGE'
  | 'TOO_MANY_TOKENS'
  | 'DEPTH_LIMIT'
  | 'ALIAS_LIMIT'
  | 'COST_LIMIT';

/** What only the token endpoint refuses. */
export type OAuthCode = components['schemas']['OAuthError']['error'];

/**
 * `Network`: the connection failed, or what came is no answer of the service. `Token`: your function threw, with its
 * error as `cause`. `UnknownFailure`: a mutation was refused,
 * and its document asks for `message` without `__typename`.
 */
export type ErrorCode = ProblemName | GraphQLCode | OAuthCode | 'Network' | 'Token' | 'UnknownFailure';

/** One value that breaks a rule: where it stands in the input, or the name of the parameter, and what is wrong. */
export interface Breach {
  path: string[];
  detail: string;
}

interface Details {
  ValidationFailed: { errors: Breach[] };
  LimitExceeded: { limit: number; current: number };
}

interface Fields {
  status?: number | undefined;
  requestId?: string | undefined;
  errors?: Breach[] | undefined;
  limit?: number | undefined;
  current?: number | undefined;
  data?: unknown;
  idempotencyKeys?: readonly string[] | undefined;
  cause?: unknown;
}

/** Every failure of a call, but for an `AbortSignal` of yours, of which the reason is thrown. */
export class CardledgerError extends Error {
  override readonly name = 'CardledgerError';
  readonly code: ErrorCode;
  /** Of HTTP; undefined where there is no answer, or where the failure was among the data. */
  readonly status: number | undefined;
  /** Finds the request in the log of the service. */
  readonly requestId: string | undefined;
  /** With `ValidationFailed`: every breach. A document of GraphQL has to ask for `errors { path detail }`. */
  readonly errors: Breach[] | undefined;
  /** With `LimitExceeded`. */
  readonly limit: number | undefined;
  readonly current: number | undefined;
  /** Of GraphQL: what was answered besides. */
  readonly data: unknown;
  /**
   * Of a write that may have been done: those it was sent with, of a mutation one for each input in their order. Sent again
   * with them within 24 hours, it gives the first answer, or is done now.
   */
  readonly idempotencyKeys: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, { cause, ...fields }: Fields = {}) {
    super(message, { cause });
    this.code = code;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.errors = fields.errors;
    this.limit = fields.limit;
    this.current = fields.current;
    this.data = fields.data;
    this.idempotencyKeys = fields.idempotencyKeys;
  }

  /** Whether it is this problem; then the compiler knows its fields. */
  is<Code extends ErrorCode>(
    code: Code,
  ): this is this & { code: Code } & (Code extends keyof Details ? Details[Code] : unknown) {
    return this.code === code;
  }
}

type Keys = Fields['idempotencyKeys'];

/** What to do about a write that may have been done, by its keys; nothing where there are none. */
export function adviceOn(idempotencyKeys: Keys): string {
  return idempotencyKeys
    ? ' It may have been done: send it again with its idempotencyKeys, and it is done once.'
    : '';
}

/**
 * What an answer of REST or of the token endpoint refuses.
 * @param idempotencyKeys of a write that may have been done all the same
 */
export function refusal(status: number, text: string, idempotencyKeys?: Keys): CardledgerError {
  const body = parsed<Partial<Problem> & { error?: OAuthCode; error_description?: string }>(text);
  if (body?.error) return new CardledgerError(body.error, body.error_description ?? body.error, { status });
  if (!body?.type || !body.detail) return noAnswer(status, idempotencyKeys);
  const message = body.detail + adviceOn(idempotencyKeys);
  return new CardledgerError(body.type.split('/').pop() as ProblemName, message, {
    status,
    idempotencyKeys,
    requestId: body.requestId,
    errors: body.errors?.map(({ pointer, detail }) => ({ path: pathOf(pointer), detail })),
    limit: body.limit,
    current: body.current,
  });
}

/** Such as the page of a proxy. */
export function noAnswer(status: number, idempotencyKeys?: Keys): CardledgerError {
  const message = `What answered with HTTP ${status} is not cardledger.${adviceOn(idempotencyKeys)}`;
  return new CardledgerError('Network', message, { status, idempotencyKeys });
}

/** Undefined where it is no object of JSON. */
export function parsed<T extends object>(text: string): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

/** Of a JSON pointer, or of `?name`. */
function pathOf(pointer: string): string[] {
  const parts = pointer.startsWith('?') ? [pointer.slice(1)] : pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
