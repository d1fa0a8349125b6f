import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { jsonTypeFor } from '../media-types.ts';
import { answerOf } from '../result.ts';

/**
 * Writes results as JSON by what the quick way writes them by, in place of all that Yoga would write: it overlooks weights.
 * In JSON is also what is refused where no type is taken that there is.
 */
export function useJsonAnswers(): Plugin {
  return {
    onResultProcess({ request, result, setResultProcessor }) {
      if (isAsyncIterable(result)) return;
      const type = jsonTypeFor(request.headers.get('Accept')) ?? 'application/json';
      setResultProcessor((single) => {
        const { text, ...init } = answerOf(single as ExecutionResult, type);
        return new Response(text, init);
      }, type);
    },
  };
}
