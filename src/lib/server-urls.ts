const PARTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is;

/**
 * The address of each server of one address whose host is several with commas between them, as PostgreSQL's own clients
 * have it: `postgres://user@one,two:5433/name`. Throws a `TypeError` where one of them is none.
 */
export function serverUrls(url: string): string[] {
  const [, before, hosts, after] = PARTS.exec(url) ?? [];
  if (!hosts) throw new TypeError('Not the address of a server.');
  return hosts.split(',').map((host) => {
    if (host === '') throw new TypeError('A host is empty.');
    return new URL(`${before}${host}${after}`).href;
  });
}

/** `host:port` of the address of one PostgreSQL, without what is secret in it. */
export function serverName(serverUrl: string): string {
  const { host, port } = new URL(serverUrl);
  return port === '' ? `${host}:5432` : host;
}
