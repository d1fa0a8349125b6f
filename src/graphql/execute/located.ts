import { type GraphQLError, locatedError } from 'graphql';

/**
 * GraphQL's `locatedError`. It captures a stack, in whose place it puts that of the error: an answer may have some hundred errors, and each
 * stack took a tenth of a millisecond.
 */
export function located(...given: Parameters<typeof locatedError>): GraphQLError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return locatedError(...given);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
