import { type ASTNode, type GraphQLError, locatedError } from 'graphql';

/** A field may be selected two thousand times, and fail in thousands of objects. */
const MAX_LOCATIONS = 10;

/**
 * GraphQL's `locatedError`, with the first ten of the given places at which the field is selected. It captures a stack, in whose place it puts that of
 * the error: an answer may have some hundred errors, and each stack took a tenth of a millisecond.
 */
export function located(
  error: unknown,
  nodes: readonly ASTNode[] | undefined,
  path?: readonly (string | number)[],
): GraphQLError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return locatedError(error, nodes?.slice(0, MAX_LOCATIONS), path);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
