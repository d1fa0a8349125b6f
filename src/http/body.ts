import type { Context } from 'hono';
import { DomainError } from '../domain/errors.ts';

/**
 * The bytes of a request's body; null where there are more than `maxBytes`, of which no more are read then.
 * Throws `MalformedRequest` where the client leaves, or is too slow, in the middle: that is no failure of ours.
 */
export async function readBytes(c: Context, maxBytes: number): Promise<Uint8Array | null> {
  if (Number(c.req.header('Content-Length') ?? 0) > maxBytes) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      length += chunk.length;
      if (length > maxBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    throw cutOff();
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Nobody is there to read it; it only is no failure in the log and the metrics. */
export function cutOff(): DomainError {
  return new DomainError('MalformedRequest', 'The body was cut off before its end.');
}
