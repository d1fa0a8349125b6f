import { LIMITS } from './limits.ts';

/**
 * The one catalogue of errors (docs/decisions.md#errors). REST problems, the GraphQL error types, the OpenAPI responses and the
 * pages under /problems/ are all made from it.
 */
export const PROBLEMS = {
  ValidationFailed: {
    status: 400,
    title: 'A value breaks a rule',
    explanation:
      'One or more values of the request break a rule. `errors` lists every breach, up to 1,000; correct them and send the request again.',
  },
  MalformedRequest: {
    status: 400,
    title: 'The request cannot be read',
    explanation:
      'The body is not JSON (400), is not of the content type that the route takes (415), is larger than 1 MiB, or a file than 16 MiB (413), or came too slowly (408); or its `Expect` is not known (417).',
  },
  InvalidQuery: {
    status: 400,
    title: 'The search query cannot be read',
    explanation:
      'The search query is empty, too long or malformed. `detail` says at which column, and what was expected there.',
  },
  Unauthorized: {
    status: 401,
    title: 'A valid token is needed',
    explanation:
      'The access token is missing, malformed, expired or revoked. Get one from /oauth2/token and send it as `Authorization: Bearer <token>`.',
  },
  Forbidden: {
    status: 403,
    title: 'Not allowed',
    explanation: 'The token is good, but it may not do this.',
  },
  NotFound: {
    status: 404,
    title: 'Not found',
    explanation:
      'There is nothing at this address for your account, or the cursor is past the last item. `detail` says which.',
  },
  MethodNotAllowed: {
    status: 405,
    title: 'Method not allowed',
    explanation: 'The path exists, but not with this method. The `Allow` header lists those that it takes.',
  },
  CollectionInUse: {
    status: 409,
    title: 'The collection is in use',
    explanation:
      'A goal collection, its target, or one with a price alert, cannot be deleted. Choose another goal or target, or delete the alert first.',
  },
  LimitExceeded: {
    status: 409,
    title: 'A limit of the account is reached',
    explanation:
      'The account already has as many of these as it may have. `limit` and `current` give the figures.',
  },
  PreconditionFailed: {
    status: 412,
    title: 'The resource has changed',
    explanation:
      'The `If-Match` header names an older version. Read the resource again and repeat the change on the new one.',
  },
  IdempotencyMismatch: {
    status: 422,
    title: 'The idempotency key was used for another request',
    explanation:
      'An idempotency key belongs to one request for 24 hours. Use a new key for a new request. Where `detail` says that the answer is not kept any more, it was this request, and was done: read what it has made.',
  },
  TooMuchWork: {
    status: 422,
    title: 'More work than one request may ask for',
    explanation:
      'To answer, the database would have to work for longer than it does for one request. A change may have been made already: look before you send it again, or send it with an idempotency key. Ask for less at once: smaller pages, fewer of the fields that read whole collections, or several requests.',
  },
  RateLimited: {
    status: 429,
    title: 'Too many requests',
    explanation:
      'A limit of requests, of work for the account or of bodies under way is reached; `detail` says which. Wait for the number of seconds in the `Retry-After` header, then go on.',
  },
  Internal: {
    status: 500,
    title: 'Internal error',
    explanation: 'Something failed on our side. `requestId` finds it in the log.',
  },
  Unavailable: {
    status: 503,
    title: 'The service is not available',
    explanation:
      'The service cannot do this at the moment: its database cannot be reached or is busy, it has no room for more bodies or subscriptions, or it is stopping. `detail` says which. Try again after the seconds in the `Retry-After` header.',
  },
} as const satisfies Record<string, { status: number; title: string; explanation: string }>;

export type Problem = keyof typeof PROBLEMS;

/** One breach of a rule: where (the path of the value within the input) and what is wrong. */
export interface Breach {
  path: readonly (string | number)[];
  detail: string;
  /** Set where the path names a query parameter of REST. */
  inQuery?: true;
}

export interface ProblemDetails {
  /** Every breach at once, up to `LIMITS.breaches`, with `ValidationFailed`. */
  breaches?: readonly Breach[];
  /** With `LimitExceeded` and, as requests a minute, `RateLimited`. */
  limit?: number;
  /** With `LimitExceeded`. */
  current?: number;
  /** With `RateLimited` and `Unavailable`. */
  retryAfterSeconds?: number;
  /** The methods that the path takes, with `MethodNotAllowed`. */
  allow?: readonly string[];
  /** Where the transport has a more exact status for the same problem (413, 415). */
  status?: number;
  cause?: unknown;
}

/** An expected failure. Anything else that is thrown is a defect and reaches clients as `Internal`. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly problem: Problem;
  readonly details: ProblemDetails;

  constructor(problem: Problem, message: string, details: ProblemDetails = {}) {
    super(message, { cause: details.cause });
    this.problem = problem;
    this.details = details;
  }
}

/** Nobody hears it; it only is no failure in the log and the metrics. */
export class ClientLeft extends DomainError {
  constructor() {
    super('MalformedRequest', 'The client left before the answer.');
  }
}

/** Something that was asked for by id and is not there for this account; existence elsewhere must not leak. */
export function notFound(what: string): DomainError {
  return new DomainError('NotFound', `The ${what} does not exist.`);
}

/** Of several that an input names: which, and where. */
export function notFoundAt(what: string, value: string, path: Breach['path']): DomainError {
  const shown = JSON.stringify(value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value);
  return new DomainError('NotFound', `${path.join('.')}: The ${what} ${shown} does not exist.`);
}

const SHOWN = 60;

/** Lists the first of the breaches; where there are more its message says so. */
export function validationFailed(all: readonly Breach[]): DomainError {
  const breaches = all.slice(0, LIMITS.breaches);
  const said = breaches.map(({ path, detail }) => `${path.join('.') || 'input'}: ${detail}`);
  if (all.length > breaches.length) said.push(`and others beyond these ${breaches.length}`);
  return new DomainError('ValidationFailed', said.join('; '), { breaches });
}
