import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { DomainError } from '../domain/errors.ts';
import { encodedTag, encodingFor } from '../http/compression.ts';

/** No resource is ever at this revision. */
const NO_REVISION = -1;

/** Our ETags of revisions; those of compressed answers name the encoding. */
const REVISION_TAG = /^\s*"(0|[1-9]\d{0,14})(?:-br|-gzip)?"\s*$/;

/**
 * The revision that `If-Match` asks for: null where there is no such header or it is `*`, with which any version will
 * do. A weak ETag, or one that is none of ours, matches nothing.
 */
export function ifMatchRevision(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null;
  const revisions = header.split(',').map((tag) => REVISION_TAG.exec(tag)?.[1]);
  if (revisions.length > 1) {
    throw new DomainError('PreconditionFailed', 'If-Match must hold one ETag.');
  }
  return revisions[0] === undefined ? NO_REVISION : Number(revisions[0]);
}

/** Sets the ETag; 304 where `If-None-Match` of a GET has it, or is `*`. */
export function notModified(
  c: Context,
  text: string,
  reply: { revision?: number; etagOfBody?: boolean },
): Response | null {
  const tag = tagOf(text, reply);
  if (tag === null) return null;
  c.header('ETag', tag);
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return null;
  const known = knownTag(c, tag);
  if (known === null) return null;
  // The tag of the representation that the client has, which may be a compressed one.
  c.header('ETag', known);
  return c.body(null, 304);
}

/** Which of the tags of this version the client has; null for none. */
function knownTag(c: Context, tag: string): string | null {
  const header = c.req.header('If-None-Match');
  if (header === undefined) return null;
  const known = header.split(',').map((candidate) => candidate.trim().replace(/^W\//, ''));
  if (known.includes(tag) || known.includes('*')) return tag;
  const encoding = encodingFor(c.req.header('Accept-Encoding'));
  const encoded = encoding && encodedTag(tag, encoding);
  return encoded && known.includes(encoded) ? encoded : null;
}

function tagOf(
  text: string,
  { revision, etagOfBody }: { revision?: number; etagOfBody?: boolean },
): string | null {
  if (revision !== undefined) return `"${revision}"`;
  return etagOfBody ? `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` : null;
}
