/** The value of `Link` (RFC 8288) for a page of a list: the same request with other cursors. */
export function pageLinks(
  path: string,
  query: Record<string, string>,
  { position, size }: { position: number; size: number },
  nextCursor: number | undefined,
): string {
  const link = (rel: string, changes: Record<string, string>) =>
    `<${path}?${new URLSearchParams({ ...query, ...changes })}>; rel="${rel}"`;
  const links = [link('first', { cursor: '0' })];
  if (position > 0) {
    const previous = Math.max(0, position - size);
    links.push(link('prev', { cursor: String(previous), pageSize: String(position - previous) }));
  }
  if (nextCursor !== undefined) links.push(link('next', { cursor: String(nextCursor) }));
  return links.join(', ');
}
