/** When a route was deprecated and, where that is known, when it goes: days, `YYYY-MM-DD`. */
export interface Deprecation {
  since: string;
  sunset?: string;
  /** The address of a page that says what to use instead. */
  link: string;
}

/** The headers of RFC 9745 and RFC 8594 on every answer of the route. */
export function deprecationHeaders({ since, sunset, link }: Deprecation): [name: string, value: string][] {
  return [
    ['Deprecation', `@${Date.parse(since) / 1000}`],
    ...(sunset === undefined ? [] : [['Sunset', new Date(sunset).toUTCString()] as [string, string]]),
    ['Link', `<${link}>; rel="deprecation"; type="text/html"`],
  ];
}
