import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip as packed } from 'node:zlib';
import type { Context } from 'hono';
import { encodedTag, encodingFor } from './compression.ts';
import { knownTag } from './if-none-match.ts';

/** A file of a page, kept compressed. */
export interface Asset {
  gzip: Uint8Array<ArrayBuffer>;
  /** What is in it, unpacked once: that takes forty times as long as to send it packed. */
  plain: () => Promise<Uint8Array<ArrayBuffer>>;
  type: string;
  etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml; charset=utf-8',
};

export function assetOf(name: string, gzip: Asset['gzip']): Asset {
  return {
    gzip,
    plain: lazily(() => promisify(gunzip)(gzip) as Promise<Asset['gzip']>),
    type: TYPES[extname(name)]!,
    etag: `"${createHash('sha256').update(gzip).digest('base64url').slice(0, 22)}"`,
  };
}

async function packedAsset(name: string, content: Uint8Array | string): Promise<Asset> {
  return assetOf(name, await promisify(packed)(content, { level: 9 }));
}

/** Reads each file, and packs it, when it is first asked for. */
export function assetsOf(files: Readonly<Record<string, string>>): (name: string) => Promise<Asset> | null {
  const assets = new Map(
    Object.entries(files).map(([name, path]) => [
      name,
      lazily(async () => packedAsset(name, await readFile(path))),
    ]),
  );
  return (name) => assets.get(name)?.() ?? null;
}

/** Answers with the file, which browsers keep and ask for anew. */
export async function sendAsset(c: Context, { gzip, plain, type, etag }: Asset): Promise<Response> {
  const isPacked = encodingFor(c.req.header('Accept-Encoding'), ['gzip']) !== null;
  const tag = isPacked ? encodedTag(etag, 'gzip') : etag;
  const headers = { ETag: tag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
  if (knownTag(c.req.header('If-None-Match'), [tag])) return c.body(null, 304, headers);
  return c.body(isPacked ? gzip : await plain(), 200, {
    ...headers,
    'Content-Type': type,
    ...(isPacked && { 'Content-Encoding': 'gzip' }),
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
