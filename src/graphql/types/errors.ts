import { type Breach, DomainError, PROBLEMS, type ProblemDetails } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Builder } from '../builder.ts';

/** The problems that a mutation can answer with as data; all others are entries of `errors`. */
export type DataProblem =
  | 'ValidationFailed'
  | 'NotFound'
  | 'CollectionInUse'
  | 'LimitExceeded'
  | 'IdempotencyMismatch';

/** A failure as data. It is no Error, for whatever Error a resolver returns the executor throws. */
export interface Failure {
  problem: DataProblem;
  message: string;
  details: ProblemDetails;
}

export type ErrorTypes = ReturnType<typeof addErrorTypes>;

/** `interface Error` and a type for each problem that a mutation can meet (docs/decisions.md#errors). */
export function addErrorTypes(builder: Builder) {
  const ErrorInterface = builder.interfaceRef<Failure>('Error').implement({
    description: 'An expected failure.',
    fields: (t) => ({
      message: t.exposeString('message', { description: 'What is wrong, where, and what to do.' }),
    }),
  });

  const BreachType = builder.objectRef<Breach>('Breach').implement({
    description: 'One rule that a value breaks.',
    fields: (t) => ({
      path: t.stringList({
        description: 'Where the value is in the input, e.g. `["unitAmount", "value"]`.',
        resolve: ({ path }) => path.map(String),
      }),
      detail: t.exposeString('detail', { description: 'What is wrong with it.' }),
    }),
  });

  const errorType = (problem: DataProblem) =>
    builder
      .objectRef<Failure>(problem)
      .implement({ interfaces: [ErrorInterface], description: PROBLEMS[problem].explanation });

  const ValidationFailed = builder.objectRef<Failure>('ValidationFailed').implement({
    interfaces: [ErrorInterface],
    description: PROBLEMS.ValidationFailed.explanation,
    fields: (t) => ({
      errors: t.field({
        type: [BreachType],
        description: `Every breach at once, up to ${LIMITS.breaches}.`,
        extensions: { isPerItem: true },
        resolve: ({ details }) => details.breaches ?? [],
      }),
    }),
  });

  const LimitExceeded = builder.objectRef<Failure>('LimitExceeded').implement({
    interfaces: [ErrorInterface],
    description: PROBLEMS.LimitExceeded.explanation,
    fields: (t) => ({
      limit: t.int({ description: 'How many there may be.', resolve: ({ details }) => details.limit! }),
      current: t.int({ description: 'How many there are.', resolve: ({ details }) => details.current! }),
    }),
  });

  return {
    ValidationFailed,
    LimitExceeded,
    NotFound: errorType('NotFound'),
    CollectionInUse: errorType('CollectionInUse'),
    IdempotencyMismatch: errorType('IdempotencyMismatch'),
  } satisfies Record<DataProblem, unknown>;
}

/** The failure as data, where it is one of those; anything else is thrown on. */
export function asData(error: unknown, problems: readonly DataProblem[]): Failure {
  const problem = error instanceof DomainError ? problems.find((one) => one === error.problem) : undefined;
  if (!problem) throw error;
  const { message, details } = error as DomainError;
  return { problem, message, details };
}

export function isFailure(value: object): value is Failure {
  return 'problem' in value;
}
