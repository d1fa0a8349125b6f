import { isSafeNumber } from 'lossless-json';
import { DomainError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { measureJson } from '../lib/json-text.ts';
import { isCompressed, type ReadBody } from './body.ts';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;
const UTF8_NAME = /^utf-?8$/i;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A number that a double may not hold has at least 16 digits, or an exponent far below zero. Digits behind a letter or `_`, as in ids, are none. */
export const LONG_NUMBER = /(?<![\w.])\d[\d.]{15}|\d[eE]-\d{3}/;

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** The JSON of a request's body, of either transport. Throws `MalformedRequest` (400, 413, 415). */
export async function readJson({ headers }: Request, readBody: ReadBody): Promise<unknown> {
  assertJson(headers);
  const bytes = await readBody(LIMITS.bodyBytes);
  if (bytes === null) throw malformed(`The body must have at most ${LIMITS.bodyBytes} bytes.`, 413);
  return parseJson(textOf(bytes), 'body');
}

function assertJson(headers: Headers): void {
  const type = headers.get('Content-Type') ?? '';
  if (!JSON_TYPE.test(type)) {
    throw malformed('The body must be JSON, with "Content-Type: application/json".', 415);
  }
  const charset = CHARSET.exec(type)?.[1];
  if (charset !== undefined && !UTF8_NAME.test(charset)) {
    throw malformed('The body must be in UTF-8; the Content-Type names another charset.', 415);
  }
  assertNotCompressed(headers);
}

/** Throws `MalformedRequest` (415). */
export function assertNotCompressed(headers: Headers): void {
  if (isCompressed(headers))
    throw malformed('The body must not be compressed; the Content-Encoding says that it is.', 415);
}

/** Without a byte order mark, which is no part of the JSON (RFC 8259, section 8.1). */
function textOf(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw malformed('The body is not JSON: it is not UTF-8.');
  }
}

/** The value of a JSON text, exactly. Throws `MalformedRequest`, which names the text as `what`. */
export function parseJson(text: string, what: string): unknown {
  const written = readableKeys(text, what);
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch (error) {
    throw malformed(`The ${what} is not JSON: ${plain(error as SyntaxError)}`);
  }
  if (written > keysKept(value))
    throw malformed(`An object of the ${what} has a key twice; each may stand once.`);
  return value;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A number that a double cannot hold becomes infinite, which every rule refuses: nothing is rounded in silence
 * (docs/decisions.md#amounts).
 */
function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!LONG_NUMBER.test(text)) return parsed;
  const isExact = (token: string) => token.startsWith('"') || isSafeNumber(token);
  return JSON.parse(text.replace(STRING_OR_NUMBER, (token) => (isExact(token) ? token : '1e999')));
}

/** What is wrong, without the text around it: a body may hold what should not be repeated. */
function plain({ message }: SyntaxError): string {
  const place = /position (\d+)/.exec(message)?.[1];
  if (place) return `it cannot be read from position ${place} on.`;
  return /unexpected end/i.test(message) ? 'it ends too early.' : 'it has an unexpected character.';
}

/** How many keys were read; of two that are the same, only the last is. Without recursion, as nesting may be deep. */
function keysKept(value: unknown): number {
  let count = 0;
  const open = [value];
  const look = (part: unknown) => {
    if (typeof part === 'object' && part !== null) open.push(part);
  };
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one !== 'object' || one === null) continue;
    if (Array.isArray(one)) {
      for (const part of one) look(part);
      continue;
    }
    for (const key in one) {
      count++;
      look((one as Record<string, unknown>)[key]);
    }
  }
  return count;
}

/** How many keys its objects have. Refuses what to read would hold up all others, such as half a million lists. */
function readableKeys(text: string, what: string): number {
  const measure = measureJson(text, { values: LIMITS.bodyValues, depth: LIMITS.bodyDepth });
  if ('keys' in measure) return measure.keys;
  throw malformed(
    measure.beyond === 'depth'
      ? `The ${what} has more than ${LIMITS.bodyDepth} lists and objects in one another.`
      : `The ${what} has more than ${LIMITS.bodyValues} values; send several requests.`,
  );
}

export function malformed(message: string, status = 400): DomainError {
  return new DomainError('MalformedRequest', message, { status });
}
