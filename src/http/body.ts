import { DomainError } from '../domain/errors.ts';

/**
 * The bytes of a request's body; null where there are more than `maxBytes`, of which no more are read then.
 * Throws `MalformedRequest` where the client leaves, or is too slow, in the middle: that is no failure of ours.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const stated = request.headers.get('Content-Length');
  if (Number(stated ?? 0) > maxBytes) return null;
  // No more than this arrives, and it need not be read as a stream, which costs more than all else of a small request.
  if (stated !== null) return wholeBody(request, maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length;
      if (length > maxBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    throw cutOff();
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

async function wholeBody(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const body = await request.arrayBuffer().catch(() => {
    throw cutOff();
  });
  return body.byteLength > maxBytes ? null : new Uint8Array(body);
}

/** Nobody is there to read it; it only is no failure in the log and the metrics. */
export function cutOff(): DomainError {
  return new DomainError('MalformedRequest', 'The body was cut off before its end.');
}
