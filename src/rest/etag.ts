import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { DomainError } from '../domain/errors.ts';

/** No resource is ever at this revision. */
const NO_REVISION = -1;

/**
 * The revision that `If-Match` asks for: null where there is no such header or it is `*`. Our ETags are the revision in
 * quotes; any other one matches nothing.
 */
export function ifMatchRevision(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null;
  const revisions = header.split(',').map((tag) => /^\s*"(0|[1-9]\d{0,14})"\s*$/.exec(tag)?.[1]);
  if (revisions.length > 1) {
    throw new DomainError('PreconditionFailed', 'If-Match must hold one ETag.');
  }
  return revisions[0] === undefined ? NO_REVISION : Number(revisions[0]);
}

/** Sets the ETag; 304 where `If-None-Match` of a GET has it. */
export function notModified(
  c: Context,
  text: string,
  reply: { revision?: number; etagOfBody?: boolean },
): Response | null {
  const tag = tagOf(text, reply);
  if (tag === null) return null;
  c.header('ETag', tag);
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return null;
  const wanted = c.req
    .header('If-None-Match')
    ?.split(',')
    .map((candidate) => candidate.trim().replace(/^W\//, ''));
  return wanted?.some((candidate) => candidate === tag || candidate === '*') ? c.body(null, 304) : null;
}

function tagOf(
  text: string,
  { revision, etagOfBody }: { revision?: number; etagOfBody?: boolean },
): string | null {
  if (revision !== undefined) return `"${revision}"`;
  return etagOfBody ? `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` : null;
}
