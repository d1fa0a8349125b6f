import {
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  Kind,
} from 'graphql';
import { DomainError, PROBLEMS } from '../domain/errors.ts';
import { MESSAGE_CHARACTERS } from './execute/run.ts';

/** Is given what `Internal` hides and what made the service `Unavailable`, with the id that the client sees. */
export type LogError = (error: unknown, requestId: string) => void;

/** What an error says of the answer's status, for as long as nothing was executed. */
export interface HttpExtension {
  status?: number;
  /** Yoga: the status holds for application/graphql-response+json, and application/json gets 200. */
  spec?: boolean;
  headers?: Record<string, string>;
}

/** What Yoga and the executor call these, and our names (docs/decisions.md#errors). */
const CODES: Readonly<Record<string, string>> = {
  BAD_REQUEST: 'MalformedRequest',
  REQUEST_ENTITY_TOO_LARGE: 'MalformedRequest',
  OPERATION_RESOLUTION_FAILURE: 'BAD_USER_INPUT',
  INTERNAL_SERVER_ERROR: 'Internal',
  // A query's argument or cursor that breaks a rule; mutations return theirs as data.
  ValidationFailed: 'BAD_USER_INPUT',
};

/** Of an error that nobody expected. */
export const INTERNAL_MESSAGE = 'Internal error';

const INPUT_KINDS: ReadonlySet<Kind> = new Set([
  Kind.VARIABLE_DEFINITION,
  Kind.VARIABLE,
  Kind.ARGUMENT,
  Kind.NULL,
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
]);

/** The result as clients may see it. */
export function publicResult(
  { errors, ...result }: ExecutionResult,
  requestId: string,
  log: LogError,
): FormattedExecutionResult {
  if (!errors) return result;
  const causes = new Set<unknown>();
  // Once there are data the status is 200, whatever failed below.
  const executed = 'data' in result;
  const shown = errors.map((error) => publicError(error, requestId, executed, causes));
  for (const cause of causes) log(cause, requestId);
  return { ...result, errors: shown };
}

function publicError(
  error: GraphQLError,
  requestId: string,
  executed: boolean,
  causes: Set<unknown>,
): GraphQLFormattedError {
  const chain = chainOf(error);
  const cause = chain.at(-1);
  const code = codeOf(chain);
  const isInternal = code === 'Internal';
  if (isInternal || code === 'Unavailable') causes.add(cause);
  const { originalError, unexpected, http, ...extensions } = error.extensions;
  const { message, locations, path } = error;
  // No error of GraphQL: that would look for its place in the document again, which takes 0.1 ms in a long one, and there may be thousands.
  return {
    message: isInternal ? INTERNAL_MESSAGE : message.slice(0, MESSAGE_CHARACTERS),
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: {
      ...(isInternal ? {} : extensions),
      code,
      requestId,
      ...(executed ? retryHeaders(cause) : { http: httpOf(code, chain, http as HttpExtension | undefined) }),
    },
  };
}

/** The error and, where it only wraps another one, what that wraps, down to the first cause. */
function chainOf(error: GraphQLError): unknown[] {
  const chain: unknown[] = [];
  let next: unknown = error;
  while (next) {
    chain.push(next);
    next = next instanceof GraphQLError ? next.originalError : undefined;
  }
  return chain;
}

function codeOf(chain: unknown[]): string {
  const extensions = chain.filter((error) => error instanceof GraphQLError).map((error) => error.extensions);
  if (extensions.some(({ http }) => (http as HttpExtension)?.status === PROBLEMS.MethodNotAllowed.status)) {
    return 'MethodNotAllowed';
  }
  const code = extensions.find((extension) => typeof extension.code === 'string')?.code as string | undefined;
  if (code) return CODES[code] ?? code;
  if (chain.some(isInputError)) return 'BAD_USER_INPUT';
  const cause = chain.at(-1);
  return cause instanceof DomainError ? (CODES[cause.problem] ?? cause.problem) : 'Internal';
}

/**
 * Bad variables and arguments are reported at a variable or a value, or (too many of them) with status 400 and no code;
 * bad ids and page sizes by Pothos.
 */
function isInputError(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) return false;
  if (error.name === 'PothosValidationError') return true;
  const kind = error.nodes?.[0]?.kind;
  if (kind !== undefined && INPUT_KINDS.has(kind)) return true;
  const { code, http } = error.extensions;
  return code === undefined && (http as HttpExtension)?.status === 400;
}

function httpOf(code: string, chain: unknown[], http: HttpExtension | undefined): HttpExtension {
  const cause = chain.at(-1);
  if (cause instanceof DomainError) return httpOfProblem(cause);
  if (code === 'Internal') return { status: PROBLEMS.Internal.status };
  // It never was a GraphQL request, so application/json gets the status as well.
  if (code === 'MalformedRequest') return { ...http, spec: false };
  // The executor does not say this of variables, though the specification does.
  if (chain.some(isInputError)) return { spec: true, ...http };
  return { ...http };
}

function httpOfProblem(error: DomainError): HttpExtension {
  return {
    status: error.details.status ?? PROBLEMS[error.problem].status,
    ...retryHeaders(error).http,
  };
}

/** With which answer so ever it comes, an error that goes away says when. */
function retryHeaders(cause: unknown): { http?: HttpExtension } {
  const seconds = cause instanceof DomainError ? cause.details.retryAfterSeconds : undefined;
  return seconds === undefined ? {} : { http: { headers: { 'Retry-After': String(seconds) } } };
}
