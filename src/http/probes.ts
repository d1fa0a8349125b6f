/** Who watches the service is not to wait behind others, at the same address or on connections that came before. */
const PROBE = /^(?:[a-zA-Z][\w+.-]*:\/\/[^/?#]*)?\/(?:healthz|readyz)(?:\?|$)/;

/** @param target as the first line of a request has it, which may name the host, or its path */
export function isProbe(target: string): boolean {
  return PROBE.test(target);
}
