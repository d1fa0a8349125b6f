import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';
import { sent } from './answer.ts';

/** Answers of fewer bytes are sent as they are: there is little to win. */
const MIN_BYTES = 1024;

/**
 * What is compressed at a time, beside one answer of any size. Node has four threads for it: with as many large answers they
 * take the processors from the loop and the database, for the sake of whoever asks for most.
 */
export const MAX_BYTES_AT_ONCE = 1024 * 1024;

const COMPRESSIBLE = /^(text\/|application\/(\S+\+)?json\b)/;

/** Of the qualities of Brotli the one that is as fast as gzip, and smaller. */
const BROTLI_QUALITY = 4;

export type Encoding = 'br' | 'gzip';

const COMPRESS: Record<Encoding, (bytes: ArrayBuffer) => Promise<Uint8Array<ArrayBuffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

let bytesUnderWay = 0;

/**
 * The answer compressed as the request likes it, off the main thread: answers of a known `Content-Length`. What has none is
 * a stream, such as server-sent events, and is never held up. One that would have to wait for others is sent as it is.
 */
export function compressed(request: Request, answer: Response): Response | Promise<Response> {
  const { headers, status } = answer;
  // The answer that a 304 stands for may be a compressed one.
  if (status === 304 && !headers.has('Vary')) headers.set('Vary', 'Accept-Encoding');
  const length = Number(headers.get('Content-Length') ?? 0);
  if (length < MIN_BYTES || headers.has('Content-Encoding')) return answer;
  if (!COMPRESSIBLE.test(headers.get('Content-Type') ?? '')) return answer;
  headers.append('Vary', 'Accept-Encoding');
  const encoding = encodingFor(request.headers.get('Accept-Encoding'));
  if (!encoding || (bytesUnderWay > 0 && bytesUnderWay + length > MAX_BYTES_AT_ONCE)) return answer;
  bytesUnderWay += length;
  return packed(sent(answer), encoding).finally(() => {
    bytesUnderWay -= length;
  });
}

/** A compressed answer is another representation, so its strong ETag is another one too. */
async function packed(answer: Response, encoding: Encoding): Promise<Response> {
  const bytes = await COMPRESS[encoding](await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  headers.set('Content-Encoding', encoding);
  headers.set('Content-Length', String(bytes.length));
  const etag = headers.get('ETag');
  if (etag?.startsWith('"')) headers.set('ETag', encodedTag(etag, encoding));
  return new Response(bytes, { status: answer.status, headers });
}

/** The ETag of the representation in that encoding. */
export function encodedTag(etag: string, encoding: Encoding): string {
  return `${etag.slice(0, -1)}-${encoding}"`;
}

/** Of what is `offered`, first the best, what an `Accept-Encoding` likes most; null for nothing. */
export function encodingFor(
  acceptEncoding: string | null | undefined,
  offered: readonly Encoding[] = ['br', 'gzip'],
): Encoding | null {
  const weights = new Map(parseAccept(acceptEncoding ?? '').map(({ type, q }) => [type.toLowerCase(), q]));
  let best: Encoding | null = null;
  let most = 0;
  for (const encoding of offered) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? 0;
    if (weight > most) [best, most] = [encoding, weight];
  }
  return best;
}
