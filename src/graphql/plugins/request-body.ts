import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LIMITS } from '../../domain/limits.ts';
import { readBytes } from '../../http/body.ts';
import { parseExactly } from '../exact-numbers.ts';

/** Takes the body of a `POST` from where it was read already, or reads it, up to what it may have. */
export function useRequestBody(): Plugin<Record<string, unknown>, { body?: string | undefined }> {
  return {
    onRequestParse({ request, requestParser, setRequestParser, serverContext }) {
      if (request.method !== 'POST' || !requestParser) return;
      // Yoga's parser takes nothing of the request but its JSON.
      setRequestParser(() =>
        requestParser({
          json: async () => parseExactly(serverContext.body ?? (await textOf(request))),
        } as Request),
      );
    },
  };
}

async function textOf(request: Request): Promise<string> {
  const bytes = await readBytes(request, LIMITS.bodyBytes);
  if (bytes) return new TextDecoder().decode(bytes);
  throw new GraphQLError(`The body must have at most ${LIMITS.bodyBytes} bytes.`, {
    extensions: { code: 'MalformedRequest', http: { status: 413 } },
  });
}
