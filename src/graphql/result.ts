import { type ExecutionResult, type FormattedExecutionResult, GraphQLError } from 'graphql';
import { textHeaders } from '../http/text.ts';
import type { AccountWork } from '../services/context.ts';
import type { Cost } from './cost/limits.ts';
import type { JsonType } from './media-types.ts';
import type { HttpExtension } from './public-result.ts';

/** `data` that is JSON already, in the place of its objects. */
export class JsonData {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** The result with `extensions.cost`, where the cost is known, and with what is left of the account's budget of work. */
export function withCost<T extends ExecutionResult>(
  result: T,
  cost: Cost | undefined,
  work?: AccountWork,
): T {
  if (!cost) return result;
  // As it is now: what reads on may add to it.
  const left = work?.left();
  const told = left ? { ...cost, work: left } : { ...cost };
  return { ...result, extensions: { ...result.extensions, cost: told } };
}

/** An error that was thrown before anything was executed, as a result. */
export function failedBefore(error: unknown): ExecutionResult {
  if (error instanceof GraphQLError) return { errors: [error] };
  const originalError = error instanceof Error ? error : new Error(String(error));
  return { errors: [new GraphQLError(originalError.message, { originalError })] };
}

/** A result as JSON, without what only the status of an answer is made of. */
export function resultText({ errors, data, extensions }: FormattedExecutionResult): string {
  let text = '';
  // Not joined of a list, which would copy what may have 8 MiB once more.
  const add = (name: string, json: string) => {
    text += `${text === '' ? '{' : ','}"${name}":${json}`;
  };
  if (errors) {
    const shown = errors.map((error) => {
      const { http, ...extensions } = error.extensions ?? {};
      return { ...error, extensions };
    });
    add('errors', JSON.stringify(shown));
  }
  if (data !== undefined) add('data', data instanceof JsonData ? data.json : JSON.stringify(data));
  if (extensions) add('extensions', JSON.stringify(extensions));
  return text === '' ? '{}' : `${text}}`;
}

/** A result as an answer of this type: its status (GraphQL over HTTP, section 6.4), and the headers that errors bring along. */
export function answerOf(result: FormattedExecutionResult, type: JsonType) {
  let status = 0;
  const ofErrors: Record<string, string> = {};
  for (const { extensions } of result.errors ?? []) {
    const http = extensions?.http as HttpExtension | undefined;
    Object.assign(ofErrors, http?.headers);
    // By the specification, with this type the status is of HTTP alone.
    if (http?.spec && type === 'application/json') continue;
    status = Math.max(status, http?.status ?? 0);
  }
  const text = resultText(result);
  const headers = { ...ofErrors, ...textHeaders(text, `${type}; charset=utf-8`) };
  return { text, status: status || 200, headers };
}
