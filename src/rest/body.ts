import type { Context } from 'hono';
import { isSafeNumber, parse } from 'lossless-json';
import { DomainError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';

/** A number with as many digits as this may be one that a double cannot hold. */
const MANY_DIGITS = /\d[\d.]{15}/;

/** The JSON body. Throws `MalformedRequest` (400, 413, 415). */
export async function readJson(c: Context): Promise<unknown> {
  const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new DomainError(
      'MalformedRequest',
      'The body must be JSON, with "Content-Type: application/json".',
      { status: 415 },
    );
  }
  const bytes = await readBytes(c);
  try {
    return parseExactly(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError('MalformedRequest', `The body is not JSON: ${plain(error)}`);
  }
}

async function readBytes(c: Context): Promise<Uint8Array> {
  const tooLarge = new DomainError(
    'MalformedRequest',
    `The body must have at most ${LIMITS.bodyBytes} bytes.`,
    { status: 413 },
  );
  if (Number(c.req.header('Content-Length') ?? 0) > LIMITS.bodyBytes) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    length += chunk.length;
    if (length > LIMITS.bodyBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** A number that loses digits as a double becomes NaN, which every rule refuses: nothing is rounded in silence. */
function parseExactly(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  return parse(text, null, { parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : Number.NaN) });
}

/** Where it stopped, without the text around it: a body may hold what should not be repeated. */
function plain(error: unknown): string {
  const place = /position (\d+)/.exec(String(error))?.[1];
  return place ? `it cannot be read from position ${place} on.` : 'it ends too early, or is not UTF-8.';
}
