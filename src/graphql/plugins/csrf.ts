import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/**
 * Refuses what a page of another site could send without a CORS preflight: a `POST` that is not JSON (form, multipart,
 * text/plain, no content type) is 415. A `GET` needs no header of its own, because Yoga executes no mutation by `GET`
 * (405). Malformed JSON in the URL of a `GET` is 400.
 */
export function useCsrfGuard(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (request.method === 'POST' && !isJson(request.headers.get('content-type'))) {
        throw malformed(415, 'The content type of a POST must be application/json.');
      }
      if (request.method === 'GET' && requestParser) {
        setRequestParser(async (get) => {
          try {
            return await requestParser(get);
          } catch (error) {
            if (!(error instanceof SyntaxError)) throw error;
            throw malformed(400, 'The parameters "variables" and "extensions" of the URL must be JSON.');
          }
        });
      }
    },
  };
}

function isJson(contentType: string | null): boolean {
  return contentType === 'application/json' || contentType?.startsWith('application/json;') === true;
}

function malformed(status: number, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'MalformedRequest', http: { status } } });
}
