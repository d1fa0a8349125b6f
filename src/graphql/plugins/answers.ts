import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { jsonTypeFor } from '../media-types.ts';
import { type LogError, publicResult } from '../public-result.ts';
import { answerOf } from '../result.ts';

/**
 * Makes results what clients may see, in the place of Yoga's `maskedErrors`, which could not know the request's id; and writes
 * them as JSON, as the quick way does, in the place of all that Yoga would write: it overlooks weights. In JSON is also what is
 * refused where no type is taken that there is.
 */
export function useAnswers(log: LogError): Plugin<object, { requestId: string }> {
  return {
    onResultProcess({ request, result, setResultProcessor, serverContext: { requestId } }) {
      // Each event of a stream is made public when it is taken.
      if (isAsyncIterable(result)) return;
      const type = jsonTypeFor(request.headers.get('Accept')) ?? 'application/json';
      setResultProcessor((single) => {
        // Never several: there are no batches.
        const { text, ...init } = answerOf(publicResult(single as ExecutionResult, requestId, log), type);
        return new Response(text, init);
      }, type);
    },
  };
}
