import type { Plugin } from 'graphql-yoga';
import type { ReadBody } from '../../http/body.ts';
import { isObject, malformed, parseJson, readJson } from '../../http/json-body.ts';
import type { DocumentParams } from '../documents.ts';

interface OfRequest {
  /** What is read already. */
  body?: unknown;
  readBody: ReadBody;
}

/**
 * Reads what a request asks for. Of the body of a `POST` it takes nothing but JSON, so what a page of another site could send
 * without a CORS preflight (a form, multipart, text/plain, no content type) is refused. A `GET` needs no header of its own,
 * because Yoga executes no mutation by `GET` (405).
 */
export function useParameters(): Plugin<Record<string, unknown>, OfRequest> {
  return {
    onRequestParse({ request, setRequestParser, serverContext: { body, readBody } }) {
      if (request.method === 'POST')
        setRequestParser(async () =>
          asParameters(body === undefined ? await readJson(request, readBody) : body),
        );
      else if (request.method === 'GET') setRequestParser(() => parametersOfUrl(request.url));
    },
  };
}

function asParameters(body: unknown): DocumentParams {
  if (isObject(body)) return body;
  throw malformed('The body must be a JSON object.');
}

function parametersOfUrl(url: string): DocumentParams {
  const given = new URL(url).searchParams;
  const onlyOf = (name: string) => {
    if (given.getAll(name).length > 1) throw malformed(`The parameter "${name}" stands more than once.`);
    return given.get(name);
  };
  const textOf = (name: string) => onlyOf(name) || undefined;
  const jsonOf = (name: string) => {
    const text = textOf(name);
    return text === undefined ? text : (parseJson(text, `parameter "${name}"`) as Record<string, unknown>);
  };
  return {
    query: textOf('query'),
    operationName: textOf('operationName'),
    documentId: onlyOf('documentId'),
    variables: jsonOf('variables'),
    extensions: jsonOf('extensions'),
  };
}
