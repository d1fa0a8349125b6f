import type { Plugin } from 'graphql-yoga';
import { isObject, malformed, parseJson } from '../../http/json-body.ts';
import type { DocumentParams, ResolveDocument } from '../documents.ts';

interface OfRequest {
  /** The JSON of the body of a `POST`. */
  body: unknown;
  resolve: ResolveDocument;
}

/** Takes what a request asks for from its body, or from its URL, by which Yoga executes no mutation (405). */
export function useParameters(): Plugin<Record<string, unknown>, OfRequest> {
  return {
    onRequestParse({ request, setRequestParser, serverContext: { body, resolve } }) {
      if (request.method === 'POST') setRequestParser(() => resolve(asParameters(body)));
      else if (request.method === 'GET') setRequestParser(() => resolve(parametersOfUrl(request.url)));
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
