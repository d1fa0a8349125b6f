import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { encodedTag, encodingFor } from '../http/compression.ts';
import { knownTag } from '../http/if-none-match.ts';

/** Our ETags of revisions; those of compressed answers name the encoding. */
const REVISION_TAG = /^\s*"(0|[1-9]\d{0,14})(?:-br|-gzip)?"\s*$/;

/**
 * The revisions that an `If-Match` takes: null where there is no such header or it is `*`, with which any version will do. It
 * is a list (RFC 9110, section 13.1.1), of which a weak ETag, or one that is none of ours, matches nothing.
 */
export function ifMatchRevisions(header: string | undefined): number[] | null {
  if (header === undefined || header.trim() === '*') return null;
  // A comma within a tag leaves parts that are no tags of ours.
  const tags = header.split(',').map((tag) => REVISION_TAG.exec(tag)?.[1]);
  return tags.filter((revision) => revision !== undefined).map(Number);
}

/**
 * The ETag of an answer, null where it has none, and whether `If-None-Match` of a GET has it or is `*`: then the answer is
 * 304, and the tag that of the representation that the client has, which may be a compressed one.
 */
export function etagOf(
  c: Context,
  text: string,
  reply: { revision?: number; etagOfBody?: boolean },
): { etag: string | null; isKnown: boolean } {
  const etag = tagOf(text, reply);
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  const named = isRead ? c.req.header('If-None-Match') : undefined;
  const known = etag !== null && named !== undefined ? knownTag(named, tagsOf(c, etag)) : null;
  return { etag: known ?? etag, isKnown: known !== null };
}

/** Of a version: its own, and that of the compressed answer that the client would get. */
function tagsOf(c: Context, tag: string): string[] {
  const encoding = encodingFor(c.req.header('Accept-Encoding'));
  return encoding === null ? [tag] : [tag, encodedTag(tag, encoding)];
}

function tagOf(
  text: string,
  { revision, etagOfBody }: { revision?: number; etagOfBody?: boolean },
): string | null {
  if (revision !== undefined) return `"${revision}"`;
  return etagOfBody ? `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` : null;
}
