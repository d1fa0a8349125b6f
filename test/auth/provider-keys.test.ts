import { describe, expect, it } from 'vitest';
import { verifyUserToken } from '../../src/auth/user-tokens.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { newPair, startStandIn } from '../support/identity-provider.ts';
import {
  clock,
  INVALID,
  idp,
  json,
  keys,
  keysWithin,
  outcomeOf,
  providerRow,
  UNSIGNED,
  useIdentityProvider,
  verified,
} from './user-tokens-support.ts';

useIdentityProvider();

const DAY = 24 * 3600;

describe('the keys of an identity provider', () => {
  const requests = () => idp.asked.length;

  it('are asked for once by many, and then no more', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => idp.token({ sub: `user-${i}` })));
    await Promise.all(tokens.map((token) => verified(token)));
    expect(idp.asked).toEqual(['/.well-known/openid-configuration', '/jwks']);
    clock.advance(299);
    await verified(tokens[0]!);
    expect(requests()).toBe(2);
  });

  it('are read again beside the requests after 5 minutes, and waited for after 10', async () => {
    await verified(await idp.token());
    let answer = () => {};
    idp.instead = (_, response) => {
      answer = () => json(response, {});
      return true;
    };
    clock.advance(300);
    expect(await outcomeOf()).toBe('accepted');
    await expect.poll(requests).toBe(3);
    // That failed one is not tried again for half a minute.
    answer();
    await expect.poll(() => outcomeOf()).toBe('accepted');
    idp.instead = undefined;
    const next = await newPair();
    idp.keys = [next.publicJwk];
    clock.advance(301);
    expect(await outcomeOf()).toBe(UNSIGNED);
    expect(await outcomeOf({}, {}, next)).toBe('accepted');
  });

  it('are found when they are new, at most once in half a minute, whatever ids tokens name', async () => {
    await verified(await idp.token());
    const next = await newPair();
    idp.keys = [idp.pair.publicJwk, next.publicJwk];
    expect(await outcomeOf({}, {}, next)).toBe(UNSIGNED);
    clock.advance(29);
    expect(await outcomeOf({}, {}, next)).toBe(UNSIGNED);
    expect(requests()).toBe(2);
    clock.advance(1);
    const first = Array.from({ length: 5 }, (_, i) => outcomeOf({ sub: `user-${i}` }, {}, next));
    expect(new Set(await Promise.all(first))).toEqual(new Set(['accepted']));
    expect(requests()).toBe(4);
    for (let i = 0; i < 20; i++) expect(await outcomeOf({}, { kid: `random-${i}` })).toBe(UNSIGNED);
    expect(requests()).toBe(4);
    clock.advance(30);
    const random = Array.from({ length: 20 }, (_, i) => outcomeOf({}, { kid: `again-${i}` }));
    expect(new Set(await Promise.all(random))).toEqual(new Set([UNSIGNED]));
    expect(requests()).toBe(6);
  });

  it('stay good for a day where it is down, and it is asked once in half a minute', async () => {
    await verified(await idp.token());
    idp.instead = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    for (let minutes = 0; minutes < 23 * 60; minutes += 60) {
      clock.advance(3600);
      const exp = clock.now().getTime() / 1000 + 60;
      for (let i = 0; i < 3; i++) expect(await outcomeOf({ exp })).toBe('accepted');
    }
    expect(requests()).toBe(2 + 23);
    clock.advance(3600);
    expect(await outcomeOf({ exp: clock.now().getTime() / 1000 + 60 })).toBe(
      `The keys of the identity provider ${idp.issuer} cannot be read: it answered with the status 503.`,
    );
    idp.instead = undefined;
    clock.advance(30);
    const iat = clock.now().getTime() / 1000;
    expect(await outcomeOf({ iat, exp: iat + 60 })).toBe('accepted');
  });

  it('of one that is silent keep nobody waiting for long, and no other', async () => {
    const other = await startStandIn();
    idp.instead = () => true;
    let isSilent = true;
    const waiting = outcomeOf().finally(() => {
      isSilent = false;
    });
    const [token, row] = [await other.token(), providerRow({ issuer: other.issuer })];
    await verifyUserToken({ now: clock.now, providerKeys: keys }, token, [row]);
    expect(isSilent).toBe(true);
    expect(await waiting).toContain('cannot be read: it did not answer within 2.5 s.');
    // Who comes next is told at once.
    const asked = requests();
    expect(await outcomeOf()).toContain('cannot be read');
    expect(requests()).toBe(asked);
    await other.close();
  });

  it.each<[string, (issuer: string, path: string) => unknown, string]>([
    ['of another issuer', () => ({ issuer: 'https://other.example' }), 'its document names another issuer'],
    ['without an address of keys', (issuer) => ({ issuer }), 'has no address of keys'],
    [
      'with an address inside',
      (issuer) => ({ issuer, jwks_uri: 'http://169.254.169.254/x' }),
      'is not a public one',
    ],
    [
      'with an address of a file',
      (issuer) => ({ issuer, jwks_uri: 'file:///etc/passwd' }),
      'must begin with https://',
    ],
    ['that is null', () => null, 'names another issuer'],
    ['that is no JSON', () => undefined, 'its answer is not JSON'],
    ['that is huge', () => 'x'.repeat(300_000), 'its answer is larger than 262144 bytes'],
  ])('are refused by a document %s', async (_, document, reason) => {
    idp.instead = ({ url }, response) => {
      const value = document(idp.issuer, url!);
      response.end(value === undefined ? '<html>' : JSON.stringify(value));
      return true;
    };
    expect(await outcomeOf()).toContain(reason);
  });

  it.each<[string, unknown, string]>([
    ['none', {}, 'no set of keys'],
    ['a text', { keys: 'x' }, 'no set of keys'],
    ['an empty list', { keys: [] }, 'no key that signatures can be checked with'],
    ['what is no key', { keys: [null, 1, 'x', {}, []] }, 'no key that signatures can be checked with'],
    ['a secret', { keys: [{ kty: 'oct', k: 'AAAA' }] }, 'no key that signatures can be checked with'],
    [
      'an RSA key of more than 8,192 bits',
      { keys: [{ kty: 'RSA', n: 'x'.repeat(1367), e: 'AQAB' }] },
      'no key that',
    ],
    ['an RSA key with a large exponent', { keys: [{ kty: 'RSA', n: 'x', e: 'AQABAAA' }] }, 'no key that'],
  ])('are none where it publishes %s', async (_, keySet, reason) => {
    idp.instead = ({ url }, response) => {
      if (url !== '/jwks') return false;
      json(response, keySet);
      return true;
    };
    expect(await outcomeOf()).toContain(reason);
  });

  it('may be broken, too small or private without harm', async () => {
    const { kid, publicJwk } = idp.pair;
    const small = { kty: 'RSA', kid: 'small', n: 'sXchY-KVkZSTAjLEz1d3', e: 'AQAB' };
    const broken = { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'broken' };
    idp.keys = [small, broken, { ...publicJwk, d: 'AAAA' }];
    expect(await outcomeOf({}, { kid })).toBe('accepted');
    expect(await outcomeOf({}, { kid: 'broken' })).toBe(INVALID);
    expect(await outcomeOf({}, { kid: 'small' }, { ...(await newPair('RS256')), kid: 'small' })).toBe(
      INVALID,
    );
  });

  it('are asked for nowhere inside, and by https', async () => {
    const asked = verified(await idp.token(), keysWithin(''));
    await expect(asked).rejects.toSatisfy(
      (error) =>
        error instanceof DomainError &&
        error.message.includes('cannot be read: its address must begin with https://'),
    );
    expect(requests()).toBe(0);
  });

  it('are not looked for behind a redirect', async () => {
    idp.instead = ({ url }, response) => {
      if (url === '/elsewhere') return false;
      response.writeHead(302, { location: '/elsewhere' }).end();
      return true;
    };
    expect(await outcomeOf()).toContain('it answered with the status 302');
    expect(requests()).toBe(1);
  });

  it('need no id where there is one alone', async () => {
    expect(await outcomeOf({}, { kid: undefined })).toBe('accepted');
    const next = await newPair();
    idp.keys = [idp.pair.publicJwk, next.publicJwk];
    clock.advance(DAY);
    const exp = clock.now().getTime() / 1000 + 60;
    expect(await outcomeOf({ exp }, { kid: undefined })).toBe(INVALID);
  });
});
