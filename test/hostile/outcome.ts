import type { Answer } from './client.ts';

/** Of an answer, its status and its error, such as `200 Unavailable`. */
export function outcomeOf({ status, text }: Answer): string {
  const code =
    /"code":"(\w+)"/.exec(text) ??
    /"type":"\/problems\/(\w+)"/.exec(text) ??
    // What a mutation gives instead of its payload.
    /^{"data":{"\w+":{"__typename":"(?!\w+Payload")(\w+)"/.exec(text);
  return code ? `${status} ${code[1]}` : String(status);
}
