import { GraphQLError } from 'graphql';
import { ClientLeft } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import type { GraphQLContext } from './context.ts';
import type { Bounds } from './execute/run.ts';

/** What bounds each execution of an operation. */
export function boundsOf({ turns }: GraphQLContext): Bounds {
  return { maxBytes: LIMITS.answerBytes, tooLarge, turn: turns.next };
}

/** The same of what only reads, which need not come to its end where the client has left. */
export function boundsOfReading(graphql: GraphQLContext): Bounds {
  const { leaving } = graphql.context;
  const waiter = leaving && { hasGone: () => leaving.aborted, goneError };
  return { ...boundsOf(graphql), waiter };
}

function goneError(): GraphQLError {
  const originalError = new ClientLeft();
  return new GraphQLError(originalError.message, { originalError });
}

/** @param mutation the last that was executed, of those */
function tooLarge(mutation?: string): GraphQLError {
  const limit = LIMITS.answerBytes;
  const most = `The answer would have more than ${limit} bytes.`;
  const extensions = { code: 'ANSWER_TOO_LARGE', limit };
  if (mutation === undefined) {
    const message = `${most} Ask for smaller pages (first, last) or fewer fields, or split the operation.`;
    return new GraphQLError(message, { extensions });
  }
  const message =
    `${most} The mutations up to "${mutation}" were executed, those behind it were not. ` +
    'With an idempotencyKey send them again and ask for fewer fields: nothing is done twice.';
  return new GraphQLError(message, { path: [mutation], extensions });
}
