import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
import { type LogError, publicResult } from '../public-result.ts';

/**
 * Makes every entry of `errors` carry `extensions.code` and `extensions.requestId`, and masks what is not meant for
 * clients. Takes the place of Yoga's `maskedErrors`, which has to be off: it could not know the request's id.
 */
export function useErrorCodes(log: LogError): Plugin<object, { requestId: string }> {
  return {
    onResultProcess({ result, setResult, serverContext: { requestId } }) {
      const publish = (one: ExecutionResult) => publicResult(one, requestId, log);
      // Never several: there are no batches.
      setResult(
        isAsyncIterable(result) ? mapAsyncIterator(result, publish) : publish(result as ExecutionResult),
      );
    },
  };
}
