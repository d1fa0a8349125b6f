import { BlockList, isIP } from 'node:net';

/** Which addresses a server may be sent to by those who use it. */
export interface Networks {
  /** Whether it is a public address, or one of a network that was named. */
  allows(address: string): boolean;
  /** Whether it is of a network that was named. */
  names(address: string): boolean;
  /** Whether any network was named. */
  readonly isAnyNamed: boolean;
}

/** What is special in IPv4 (RFC 6890 and later): this host, private, shared, loopback, link-local, tests, multicast, reserved. */
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
  ...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];

/** Of the addresses that anybody may be given (2000::/3), those that stand for others: tunnels, tests, 6to4. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
const GLOBAL_IPV6 = listOf(['2000::/3']);
const SPECIAL = listOf([...SPECIAL_IPV4, ...SPECIAL_IPV6]);

/**
 * Reads a list of networks such as `10.1.0.0/16` with commas between them; empty for none. Throws where one is no network.
 */
export function parseNetworks(setting: string): Networks {
  const networks = setting.split(',').flatMap((part) => part.trim() || []);
  const named = listOf(networks);
  return {
    isAnyNamed: networks.length > 0,
    names: (address) => isIn(named, address),
    allows: (address) => isIn(named, address) || isPublic(address),
  };
}

function isPublic(address: string): boolean {
  const isGlobal = isIP(address) === 4 || isIn(GLOBAL_IPV6, address);
  return isGlobal && isIP(address) !== 0 && !isIn(SPECIAL, address);
}

/** One that stands for an address of IPv4 is in none: the list would take it for that address. */
function isIn(list: BlockList, address: string): boolean {
  const family = familyOf(address);
  return family !== null && !/^::ffff:/i.test(address) && list.check(address, family);
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits = '', ...more] = network.split('/');
    const family = familyOf(address);
    const isGood = /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 'ipv6' ? 128 : 32);
    if (family === null || !isGood || more.length > 0) {
      throw new Error(`"${network}" is no network such as 10.1.0.0/16`);
    }
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address);
  return version === 0 ? null : version === 4 ? 'ipv4' : 'ipv6';
}
