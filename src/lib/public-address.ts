import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Networks } from './networks.ts';

/**
 * Where requests may go whose addresses others name: to public ones, by https, or wherever the operator's networks are. A name is
 * resolved once, and the request goes to what was checked, so that no second answer of its DNS leads elsewhere.
 */

/** What is wrong with an address, for whoever named it. It says nothing of what is at it. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

export interface Address {
  address: string;
  family: 4 | 6;
}

/** The addresses of a host at which a request for the URL may be sent; one at least. Throws `AddressError`. */
export type AddressesOf = (url: URL) => Promise<Address[]>;

/** The IP addresses of a name; none where it has none. */
export type Resolve = (name: string) => Promise<string[]>;

/** @param networks those that the operator names may be asked by http, too */
export function createAddressCheck(networks: Networks, resolve: Resolve = resolveByDns): AddressesOf {
  return async (url) => {
    assertMayBeGood(url, networks);
    const host = hostOf(url);
    const found = isIP(host) === 0 ? await resolve(host) : [host];
    if (found.length === 0) throw new AddressError('its name cannot be resolved');
    return goodOf(url, found, networks).map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  };
}

/** Throws `AddressError` where no request may be sent, as far as that is known without the addresses of a name. */
export function assertMayBeGood(url: URL, networks: Networks): void {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && networks.isAnyNamed))
    throw new AddressError(NOT_HTTPS);
  const host = hostOf(url);
  if (isIP(host) !== 0) goodOf(url, [host], networks);
  // RFC 6761, section 6.3: these are loopback, whatever a DNS says.
  else if (/(^|\.)localhost\.?$/i.test(host)) goodOf(url, ['127.0.0.1'], networks);
}

function goodOf(url: URL, found: string[], networks: Networks): string[] {
  const good = found.filter(url.protocol === 'https:' ? networks.allows : networks.names);
  if (good.length > 0) return good;
  throw new AddressError(found.some(networks.allows) ? NOT_HTTPS : NOT_PUBLIC);
}

/** Brackets are of the URL. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

const NOT_HTTPS =
  'its address must begin with https://, unless it is in a network that the operator names (OUTBOUND_NETWORKS)';
const NOT_PUBLIC =
  'its address is not a public one, and in no network that the operator names (OUTBOUND_NETWORKS)';

const DNS_MILLIS = 2000;

/**
 * Not by the system's look-up: that takes one of four threads for as long as a name's servers keep silent, and all that is
 * encrypted or read from files here would wait for them.
 */
async function resolveByDns(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_MILLIS, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
