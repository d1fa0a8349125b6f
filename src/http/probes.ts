/** Who watches the service is not to wait behind others, at the same address or on connections that came before. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** @param target as the first line of a request has it, or its path */
export function isProbe(target: string): boolean {
  const query = target.indexOf('?');
  return PROBES.has(query < 0 ? target : target.slice(0, query));
}
