import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
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
    onResultProcess({ request, result, setResult, setResultProcessor, serverContext: { requestId } }) {
      const publish = (one: ExecutionResult) => publicResult(one, requestId, log);
      if (isAsyncIterable(result)) {
        setResult(mapAsyncIterator(result, publish));
        return;
      }
      // Never several: there are no batches.
      setResult(publish(result as ExecutionResult));
      const type = jsonTypeFor(request.headers.get('Accept')) ?? 'application/json';
      setResultProcessor((single) => {
        const { text, ...init } = answerOf(single as ExecutionResult, type);
        return new Response(text, init);
      }, type);
    },
  };
}
