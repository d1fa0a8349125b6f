import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { parseNetworks } from '../../src/lib/networks.ts';
import { createAddressCheck } from '../../src/lib/public-address.ts';

/** What the names of the tests have. */
const NAMES: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'inside.example': ['10.1.2.3'],
  'both.example': ['169.254.169.254', '93.184.216.34'],
  'mapped.example': ['::ffff:127.0.0.1'],
};

const check = (networks = '') => {
  const asked: string[] = [];
  const addressesOf = createAddressCheck(parseNetworks(networks), async (name) => {
    asked.push(name);
    return NAMES[name] ?? [];
  });
  return { asked, of: (url: string) => addressesOf(new URL(url)) };
};

const found = (addresses: { address: string }[]) => addresses.map(({ address }) => address);

describe('the check of addresses that others name', () => {
  it('gives what a name has', async () => {
    expect(await check().of('https://public.example/a')).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 },
    ]);
  });

  it('asks nobody of an address that is written out', async () => {
    const { asked, of } = check();
    expect(found(await of('https://93.184.216.34:8443/'))).toEqual(['93.184.216.34']);
    expect(found(await of('https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/'))).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it('leaves out what is inside where a name has both', async () => {
    expect(found(await check().of('https://both.example/'))).toEqual(['93.184.216.34']);
  });

  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254'],
    ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.168.0.1', '198.18.0.1'],
    ...['198.19.255.255', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    // The same by other spellings.
    ...['2130706433', '0x7f.1', '127.1', '017700000001'],
    ...['[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
    ...['[fc00::1]', '[fd12:3456::1]', '[fe80::1]', '[fec0::1]', '[ff02::1]', '[2002:7f00:1::]', '[2001::1]'],
    ...['[2001:db8::1]', '[3fff::1]', '[4000::1]'],
    ...['inside.example', 'mapped.example', 'localhost', 'LOCALHOST.', 'shop.localhost'],
  ])('refuses %s', async (host) => {
    await expect(check().of(`https://${host}/`)).rejects.toThrow('its address is not a public one');
  });

  it.each([
    ...[
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.1',
    ],
    ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0'],
    ...[
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '[2001:200::1]',
      '[2003::1]',
      '[2606:4700::1]',
      '[3ffe::1]',
    ],
  ])('takes %s, which is beside what it refuses', async (host) => {
    expect(await check().of(`https://${host}/`)).toHaveLength(1);
  });

  it('takes what the operator names, by http too, and http nowhere else', async () => {
    const named = check('10.0.0.0/8, ::1/128');
    for (const url of [
      'https://inside.example/',
      'http://inside.example/',
      'http://[::1]:80/',
      'http://10.9.9.9/',
    ])
      expect(await named.of(url)).toHaveLength(1);
    await expect(named.of('https://192.168.0.1/')).rejects.toThrow('not a public one');
    await expect(named.of('http://127.0.0.1/')).rejects.toThrow('not a public one');
    await expect(named.of('http://public.example/')).rejects.toThrow('its address must begin with https://');
    await expect(check().of('http://public.example/')).rejects.toThrow(
      'its address must begin with https://',
    );
  });

  it('refuses other schemes, and names that have nothing', async () => {
    for (const url of ['ftp://public.example/', 'file:///etc/passwd', 'data:text/plain,x'])
      await expect(check().of(url)).rejects.toThrow('its address must begin with https://');
    await expect(check().of('https://nothing.example/')).rejects.toThrow('its name cannot be resolved');
  });

  it('is not set up by a setting that is wrong', () => {
    expect(loadConfig({ OUTBOUND_NETWORKS: '10.0.0.0/8, fd00::/8' }).outboundNetworks).toBe(
      '10.0.0.0/8, fd00::/8',
    );
    const message = 'OUTBOUND_NETWORKS must be networks such as 10.1.0.0/16 with commas between them';
    for (const wrong of ['10.0.0.1', 'localhost', '10.0.0.0/8,x'])
      expect(() => loadConfig({ OUTBOUND_NETWORKS: wrong })).toThrow(message);
  });

  it.each(['10.0.0.0/33', '10.0.0.0', '::/129', '10.0.0.0/8/8', 'inside.example/8', '10.0.0.0/ 8'])(
    'says that %s is no network',
    (network) => {
      expect(() => check(`10.0.0.0/8,${network}`)).toThrow(`"${network}" is no network such as 10.1.0.0/16`);
    },
  );
});
