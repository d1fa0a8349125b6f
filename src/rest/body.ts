import type { Context } from 'hono';
import { isSafeNumber } from 'lossless-json';
import { DomainError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { readBytes } from '../http/body.ts';

/** What a number must have that a double may not hold: many digits, or a negative exponent. */
const MAY_LOSE_DIGITS = /\d[\d.]{15}|\de-/i;

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const STRING_AND_COLON = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/** The JSON object of the body. Throws `MalformedRequest` (400, 413, 415), and `ValidationFailed` for other JSON. */
export async function readJson(c: Context): Promise<object> {
  const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new DomainError(
      'MalformedRequest',
      'The body must be JSON, with "Content-Type: application/json".',
      { status: 415 },
    );
  }
  const bytes = await readBytes(c.req.raw, LIMITS.bodyBytes);
  if (bytes === null) {
    throw new DomainError('MalformedRequest', `The body must have at most ${LIMITS.bodyBytes} bytes.`, {
      status: 413,
    });
  }
  const value = parse(bytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new DomainError('ValidationFailed', 'The body must be a JSON object.', {
    breaches: [{ path: [], detail: 'must be an object' }],
  });
}

function parse(bytes: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = UTF8.decode(bytes);
    value = parseExactly(text);
  } catch (error) {
    throw new DomainError('MalformedRequest', `The body is not JSON: ${plain(error)}`);
  }
  const kept = keysKept(value);
  if (colons(text) > kept && keysWritten(text) > kept) {
    throw new DomainError('MalformedRequest', 'An object of the body has a key twice; each may stand once.');
  }
  return value;
}

/** At least as many as there are keys. */
function colons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) count++;
  return count;
}

/** How many keys the objects of a JSON text have: the strings with a colon behind them. */
function keysWritten(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(STRING_AND_COLON)) if (colon) count++;
  return count;
}

/** How many keys were read; of two that are the same, only the last is. Without recursion, as nesting may be deep. */
function keysKept(value: unknown): number {
  let count = 0;
  const open = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one !== 'object' || one === null) continue;
    const inner = Object.values(one);
    if (!Array.isArray(one)) count += inner.length;
    for (const part of inner) if (typeof part === 'object') open.push(part);
  }
  return count;
}

/** A number that a double cannot hold becomes infinite, which every rule refuses: nothing is rounded in silence. */
function parseExactly(text: string): unknown {
  const parsed = JSON.parse(text);
  if (!MAY_LOSE_DIGITS.test(text)) return parsed;
  const isExact = (token: string) => token.startsWith('"') || isSafeNumber(token);
  return JSON.parse(text.replace(STRING_OR_NUMBER, (token) => (isExact(token) ? token : '1e999')));
}

/** What is wrong, without the text around it: a body may hold what should not be repeated. */
function plain(error: unknown): string {
  if (!(error instanceof SyntaxError)) return 'it is not UTF-8.';
  const place = /position (\d+)/.exec(error.message)?.[1];
  if (place) return `it cannot be read from position ${place} on.`;
  return /unexpected end/i.test(error.message) ? 'it ends too early.' : 'it has an unexpected character.';
}
