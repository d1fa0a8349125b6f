/** The value of `Link` (RFC 8288) for a page of a list: the same request with other cursors. */
export function pageLinks(
  path: string,
  query: Record<string, string>,
  { position, size }: { position: number; size: number },
  nextCursor: number | undefined,
): string {
  const params = new URLSearchParams(query);
  const link = (rel: string, cursor: number) => {
    params.set('cursor', String(cursor));
    return `<${path}?${params}>; rel="${rel}"`;
  };
  const links = [link('first', 0)];
  if (nextCursor !== undefined) links.push(link('next', nextCursor));
  if (position > 0) {
    const previous = Math.max(0, position - size);
    params.set('pageSize', String(position - previous));
    links.push(link('prev', previous));
  }
  return links.join(', ');
}
