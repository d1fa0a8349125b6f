import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Context } from 'hono';
import { encodedTag, encodingFor } from './compression.ts';

/** A file of a page, kept compressed. */
export interface Asset {
  gzip: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
}

export function assetOf(name: string, gzip: Asset['gzip']): Asset {
  return {
    gzip,
    type: `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
    etag: `"${createHash('sha256').update(gzip).digest('base64url').slice(0, 22)}"`,
  };
}

/** Answers with the file, which browsers keep and ask for anew. */
export async function sendAsset(c: Context, { gzip, type, etag }: Asset): Promise<Response> {
  const packed = encodingFor(c.req.header('Accept-Encoding'), ['gzip']) !== null;
  const tag = packed ? encodedTag(etag, 'gzip') : etag;
  const headers = { ETag: tag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
  if (c.req.header('If-None-Match')?.replace(/^W\//, '') === tag) return c.body(null, 304, headers);
  return c.body(packed ? gzip : await promisify(gunzip)(gzip), 200, {
    ...headers,
    'Content-Type': type,
    ...(packed && { 'Content-Encoding': 'gzip' }),
  });
}

/** Makes what is costly when it is first asked for; a failure is not kept. */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
