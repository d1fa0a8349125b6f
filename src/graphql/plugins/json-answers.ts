import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { jsonTypeFor } from '../media-types.ts';
import { answerOf } from '../result.ts';

/**
 * Writes results as JSON where that is asked for, by what the quick way writes them by; and where nothing is asked for that
 * there is, what is refused.
 */
export function useJsonAnswers(): Plugin {
  return {
    onResultProcess({ request, result, resultProcessor, setResultProcessor }) {
      if (isAsyncIterable(result)) return;
      const asked = jsonTypeFor(request.headers.get('Accept'));
      if (!asked && resultProcessor) return;
      const type = asked ?? 'application/json';
      setResultProcessor((single) => {
        const { text, ...init } = answerOf(single as ExecutionResult, type);
        return new Response(text, init);
      }, type);
    },
  };
}
