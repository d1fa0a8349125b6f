/**
 * Which of these tags, one for each representation of what is asked for, a client names that has one, by the weak comparison
 * of an `If-None-Match`; the first where it names any with `*` (RFC 9110, section 13.1.2). Null for none.
 */
export function knownTag(ifNoneMatch: string | undefined, tags: readonly string[]): string | null {
  if (ifNoneMatch === undefined) return null;
  const named = ifNoneMatch.split(',').map((candidate) => candidate.trim().replace(/^W\//, ''));
  return named.includes('*') ? tags[0]! : (tags.find((tag) => named.includes(tag)) ?? null);
}
