import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
import { type LogError, publicResult } from '../public-result.ts';

export interface ErrorCodeOptions<ServerContext> {
  requestIdOf: (context: ServerContext) => string;
  log: LogError;
}

/**
 * Makes every entry of `errors` carry `extensions.code` and `extensions.requestId`, and masks what is not meant for
 * clients. Takes the place of Yoga's `maskedErrors`, which has to be off: it could not know the request's id.
 */
export function useErrorCodes<ServerContext extends Record<string, unknown>>(
  options: ErrorCodeOptions<ServerContext>,
  // biome-ignore lint/complexity/noBannedTypes: Yoga's own default for a plugin's context
): Plugin<{}, ServerContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      const publish = (one: ExecutionResult) =>
        publicResult(one, options.requestIdOf(serverContext), options.log);
      if (isAsyncIterable(result)) setResult(mapAsyncIterator(result, publish));
      else setResult(Array.isArray(result) ? result.map(publish) : publish(result));
    },
  };
}
