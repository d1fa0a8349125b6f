import { describe, expect, it } from 'vitest';
import { addressGroup, parseTrustedProxies, peerAddress } from '../../src/auth/peer-address.ts';

const NOBODY = parseTrustedProxies('');
const PROXIES = parseTrustedProxies('10.0.0.1, 192.168.0.0/16,2001:db8:1::/48');

describe('peerAddress', () => {
  it('is the socket address where no proxy is trusted, whatever the header says', () => {
    expect(peerAddress('203.0.113.5', '198.51.100.1', NOBODY)).toBe('203.0.113.5');
    expect(peerAddress('127.0.0.1', '198.51.100.1', NOBODY)).toBe('127.0.0.1');
  });

  it('is the socket address where that is no trusted proxy', () => {
    expect(peerAddress('10.0.0.2', '198.51.100.1', PROXIES)).toBe('10.0.0.2');
  });

  it('is the right-most entry that is not a trusted proxy', () => {
    expect(peerAddress('10.0.0.1', '198.51.100.1', PROXIES)).toBe('198.51.100.1');
    expect(peerAddress('10.0.0.1', '1.1.1.1, 198.51.100.1, 192.168.3.4', PROXIES)).toBe('198.51.100.1');
    expect(peerAddress('2001:db8:1::9', '198.51.100.1', PROXIES)).toBe('198.51.100.1');
    expect(peerAddress('::ffff:10.0.0.1', '198.51.100.1', PROXIES)).toBe('198.51.100.1');
  });

  it('stays at the last trusted hop where an entry is missing or no address', () => {
    expect(peerAddress('10.0.0.1', undefined, PROXIES)).toBe('10.0.0.1');
    expect(peerAddress('10.0.0.1', '198.51.100.1, x', PROXIES)).toBe('10.0.0.1');
    expect(peerAddress('10.0.0.1', '198.51.100.1, unknown, 192.168.0.7', PROXIES)).toBe('192.168.0.7');
    expect(peerAddress('10.0.0.1', '192.168.0.8, 192.168.0.7', PROXIES)).toBe('192.168.0.8');
  });

  it('has one spelling for each address', () => {
    expect(peerAddress('::ffff:203.0.113.5', undefined, NOBODY)).toBe('203.0.113.5');
    expect(peerAddress('::FFFF:cb00:7105', undefined, NOBODY)).toBe('203.0.113.5');
    expect(peerAddress('2001:DB8:0:0::5', undefined, NOBODY)).toBe('2001:db8::5');
    expect(peerAddress('fe80::1%eth0', undefined, NOBODY)).toBe('fe80::1');
    expect(peerAddress('10.0.0.1', '198.51.100.1:4711', PROXIES)).toBe('198.51.100.1');
    expect(peerAddress('10.0.0.1', '[2001:db8::7]:4711', PROXIES)).toBe('2001:db8::7');
    expect(peerAddress(undefined, '198.51.100.1', PROXIES)).toBe('unknown');
  });
});

describe('addressGroup', () => {
  it.each([
    ['203.0.113.5', '203.0.113.5'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s counts as %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});

describe('parseTrustedProxies', () => {
  it.each(['proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '2001:db8::/129', '10.0.0.0/-1', '10.0.0'])(
    'refuses %s and says which entry is wrong',
    (entry) => {
      expect(() => parseTrustedProxies(`127.0.0.1,${entry}`)).toThrow(`TRUST_PROXY has "${entry}"`);
    },
  );

  it('keeps to the range', () => {
    expect(PROXIES('192.168.255.255')).toBe(true);
    expect(PROXIES('192.169.0.0')).toBe(false);
    expect(PROXIES('2001:db8:2::1')).toBe(false);
    expect(PROXIES('unknown')).toBe(false);
  });
});
