import { createHmac, KeyObject, sign } from 'node:crypto';
import { exportSPKI } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProviderKeys } from '../../src/auth/provider-keys.ts';
import { namedIssuer, verifyUserToken } from '../../src/auth/user-tokens.ts';
import type { IdentityProviderRow } from '../../src/db/queries/identity-providers.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { parseNetworks } from '../../src/lib/networks.ts';
import { createAddressCheck } from '../../src/lib/public-address.ts';
import { NOW } from '../support/clock.ts';
import {
  AUDIENCE,
  type Claims,
  type Header,
  newPair,
  type SigningPair,
  type StandIn,
  startStandIn,
} from '../support/identity-provider.ts';
import { movableClock } from './support.ts';

const PLATFORM = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';
const SECONDS = NOW.getTime() / 1000;
const DAY = 24 * 3600;

const INVALID = 'The access token is not valid. Get a new one by signing in again.';
const UNSIGNED = 'The access token is not signed with a key of its issuer.';
const EXPIRED = 'The access token has expired. Get a new one by signing in again.';
const EARLY = 'The access token is not good yet.';
const KIND = 'This is no access token, but another one of its issuer, such as an ID token.';
const UNKNOWN =
  'The access token is neither one of /oauth2/token nor one of an issuer and an audience that a platform names.';

let idp: StandIn;
let clock = movableClock();
let providers: IdentityProviderRow[];
let keys: ReturnType<typeof createProviderKeys>;

beforeEach(async () => {
  clock = movableClock();
  idp = await startStandIn();
  providers = [providerRow()];
  keys = createProviderKeys(createAddressCheck(parseNetworks('127.0.0.0/8')), clock.elapsed);
});

afterEach(() => idp.close());

const providerRow = (changes: Partial<IdentityProviderRow> = {}): IdentityProviderRow => ({
  platformId: PLATFORM,
  issuer: idp.issuer,
  audience: AUDIENCE,
  createsAccounts: true,
  defaultScope: 'cardledger:default',
  readScope: 'cardledger:read',
  revision: 1,
  ...changes,
});

const verified = (token: string) => verifyUserToken({ now: clock.now, providerKeys: keys }, token, providers);

/** What is said of a token; `accepted` where nothing is. */
async function outcome(token: string): Promise<string> {
  try {
    await verified(token);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.message;
  }
}

const outcomeOf = async (claims: Claims = {}, header: Header = {}, signer?: SigningPair) =>
  outcome(await idp.token(claims, header, signer));

const json = (response: { end(text: string): unknown }, value: unknown) =>
  response.end(JSON.stringify(value));

describe('an access token of a platform’s identity provider', () => {
  it('says whose it is, and until when', async () => {
    expect(await verified(await idp.token())).toEqual({
      provider: providers[0],
      subject: 'ada',
      scope: 'default',
      issuedAtMillis: NOW.getTime(),
      expiresAtMillis: NOW.getTime() + 3660_000,
    });
  });

  it.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('is good when it is signed with %s', async (alg) => {
    const pair = await newPair(alg);
    idp.keys = [pair.publicJwk];
    expect(await outcomeOf({}, {}, pair)).toBe('accepted');
  });

  it('is good where its issuer ends with a slash, or has a path', async () => {
    const { issuer } = idp;
    for (const path of ['/', '/realms/cards']) {
      idp.issuer = `${issuer}${path}`;
      idp.instead = ({ url }, response) => {
        const at = path === '/' ? '' : path;
        const documents: Record<string, unknown> = {
          [`${at}/.well-known/openid-configuration`]: { issuer: idp.issuer, jwks_uri: `${issuer}/keys` },
          '/keys': { keys: idp.keys },
        };
        json(response, documents[url!]);
        return true;
      };
      providers = [providerRow()];
      expect(await outcomeOf()).toBe('accepted');
    }
  });

  it.each<[string, string, Claims]>([
    ['of another audience', UNKNOWN, { aud: 'https://other.example' }],
    ['of no audience', UNKNOWN, { aud: undefined }],
    ['of an audience that is no text', UNKNOWN, { aud: { [AUDIENCE]: 1 } }],
    ['without an end', INVALID, { exp: undefined }],
    ['whose end is no number', INVALID, { exp: 'tomorrow' }],
    ['without a subject', INVALID, { sub: undefined }],
    ['without the time of its issue', INVALID, { iat: undefined }],
    ['bound to a key of its client', 'bound to a key of its client (cnf)', { cnf: { jkt: 'x' } }],
    ['without a scope', 'has neither the scope cardledger:default nor cardledger:read', { scope: undefined }],
    ['of other scopes', 'has neither the scope', { scope: 'openid cardledger:defaults' }],
    ['whose scope is no text', 'has neither the scope', { scope: { 'cardledger:read': true } }],
  ])('is refused: one %s', async (_, reason, claims) => {
    expect(await outcomeOf(claims)).toContain(reason);
  });

  it.each<[string, 'default' | 'read', Claims]>([
    ['the value for all', 'default', { scope: 'cardledger:default' }],
    ['that for reading', 'read', { scope: 'openid cardledger:read' }],
    ['both', 'default', { scope: 'cardledger:read cardledger:default' }],
    ['a list', 'read', { scope: ['cardledger:read'] }],
    ['the claim scp, a list', 'default', { scope: undefined, scp: ['cardledger:default'] }],
    ['the claim scp, a text', 'read', { scope: undefined, scp: 'cardledger:read' }],
  ])('has its scope by %s', async (_, scope, claims) => {
    expect((await verified(await idp.token(claims))).scope).toBe(scope);
  });

  it('has the audience alone or among others', async () => {
    for (const aud of [AUDIENCE, [AUDIENCE], ['https://userinfo.example', AUDIENCE]])
      expect(await outcomeOf({ aud })).toBe('accepted');
  });

  it('goes to the platform that names its audience, and to none where two are meant', async () => {
    const second = providerRow({ platformId: OTHER, audience: 'https://other.example' });
    providers = [...providers, second];
    expect((await verified(await idp.token())).provider.platformId).toBe(PLATFORM);
    expect((await verified(await idp.token({ aud: second.audience }))).provider.platformId).toBe(OTHER);
    expect(await outcomeOf({ aud: [AUDIENCE, second.audience] })).toContain('the audiences of two platforms');
  });

  it.each<[string, string, Claims]>([
    ['59 s after its end', 'accepted', { exp: SECONDS - 59 }],
    ['60 s after its end', EXPIRED, { exp: SECONDS - 60 }],
    ['60 s before it is good', 'accepted', { nbf: SECONDS + 60 }],
    ['61 s before it is good', EARLY, { nbf: SECONDS + 61 }],
    ['a day and the difference of clocks before its end', 'accepted', { exp: SECONDS + DAY + 60 }],
    ['a second earlier', 'good for more than a day', { exp: SECONDS + DAY + 61 }],
    ['a day after its issue', 'accepted', { iat: SECONDS - DAY, exp: SECONDS + 60 }],
    ['the same of a longer one', 'good for more than a day', { iat: SECONDS - DAY, exp: SECONDS + 61 }],
    ['of one from the future', 'good for more than a day', { iat: SECONDS + DAY, exp: SECONDS + DAY + 61 }],
  ])('allows for a minute of difference: %s', async (_, expected, claims) => {
    expect(await outcomeOf(claims)).toContain(expected);
  });

  it.each<[string, string, Header, Claims]>([
    ['by RFC 9068', 'accepted', { typ: 'application/AT+JWT' }, {}],
    ['of the plain type', 'accepted', { typ: 'JWT' }, {}],
    ['of no type', 'accepted', { typ: undefined }, {}],
    ['of Keycloak', 'accepted', { typ: 'JWT' }, { typ: 'Bearer' }],
    ['of Cognito', 'accepted', { typ: undefined }, { token_use: 'access' }],
    ['an ID token by its nonce', KIND, { typ: 'JWT' }, { nonce: 'n' }],
    ['an ID token by the digest of the access token', KIND, { typ: undefined }, { at_hash: 'x' }],
    ['an ID token by that of the code', KIND, { typ: 'JWT' }, { c_hash: 'x' }],
    ['an ID token of Keycloak', KIND, { typ: 'JWT' }, { typ: 'ID' }],
    ['an ID token of Cognito', KIND, { typ: undefined }, { token_use: 'id' }],
    ['a logout token', KIND, { typ: 'logout+jwt' }, {}],
    ['a logout token without its type', KIND, { typ: 'JWT' }, { events: {} }],
    ['a token of DPoP', KIND, { typ: 'dpop+jwt' }, {}],
  ])('is told from other tokens: %s', async (_, expected, header, claims) => {
    expect(await outcomeOf(claims, header)).toBe(expected);
  });
});

describe('a token that is made up', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('without a signature is refused', async () => {
    const [, payload, signature] = (await idp.token()).split('.');
    for (const alg of ['none', 'None', 'NONE', '']) {
      for (const end of ['', signature])
        expect(await outcome(`${encode({ alg, typ: 'at+jwt', kid: idp.pair.kid })}.${payload}.${end}`)).toBe(
          INVALID,
        );
    }
  });

  it('with the public key as a secret is refused', async () => {
    for (const alg of ['RS256', 'ES256']) {
      const pair = await newPair(alg);
      idp.keys = [pair.publicJwk];
      clock.advance(DAY);
      const [, payload] = (await idp.token({ exp: clock.now().getTime() / 1000 + 60 }, {}, pair)).split('.');
      for (const secret of [await exportSPKI(pair.publicKey), JSON.stringify(pair.publicJwk)]) {
        const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: pair.kid })}.${payload}`;
        const signature = createHmac('sha256', secret).update(signed).digest('base64url');
        expect(await outcome(`${signed}.${signature}`)).toBe(INVALID);
      }
    }
  });

  it('with a secret that its issuer publishes is refused', async () => {
    const secret = Buffer.alloc(32, 1);
    idp.keys = [
      { kty: 'oct', k: secret.toString('base64url'), kid: 'secret', alg: 'HS256' },
      idp.pair.publicJwk,
    ];
    const [, payload] = (await idp.token()).split('.');
    const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: 'secret' })}.${payload}`;
    const signature = createHmac('sha256', secret).update(signed).digest('base64url');
    expect(await outcome(`${signed}.${signature}`)).toBe(INVALID);
  });

  it('with a key of its own, however it is named or brought along, is refused', async () => {
    const own = await newPair();
    const evil = await startStandIn();
    evil.keys = [own.publicJwk];
    const { kid } = idp.pair;
    for (const header of [
      { kid },
      { kid, jwk: own.publicJwk },
      { kid, jku: `${evil.issuer}/jwks` },
      { kid, x5u: `${evil.issuer}/jwks` },
      { kid, x5c: ['AAAA'] },
      { kid: undefined, jwk: own.publicJwk },
      { kid: own.kid, jku: `${evil.issuer}/jwks` },
      { kid: `../../jwks?${own.kid}` },
    ])
      expect([header, await outcomeOf({}, header, own)]).toEqual([header, UNSIGNED]);
    expect(evil.asked).toEqual([]);
    await evil.close();
  });

  it('by another algorithm or curve than its key is for is refused', async () => {
    const rsa = await newPair('RS256');
    const p384 = await newPair('ES384');
    idp.keys = [idp.pair.publicJwk, rsa.publicJwk, { ...p384.publicJwk, alg: 'ES256' }];
    expect(await outcomeOf({}, {}, { ...p384, kid: idp.pair.kid })).toBe(UNSIGNED);
    expect(await outcomeOf({}, {}, p384)).toBe(UNSIGNED);
    const pss = await newPair('PS256');
    expect(await outcomeOf({}, {}, { ...pss, kid: rsa.kid })).toBe(UNSIGNED);
    expect(await outcomeOf({}, {}, { ...rsa, kid: idp.pair.kid })).toBe(UNSIGNED);
    const p521 = await newPair('ES512');
    idp.keys = [p521.publicJwk];
    clock.advance(0);
    expect(await outcomeOf({}, {}, p521)).toBe(INVALID);
  });

  it('with extensions that must be understood is refused, though it is signed well', async () => {
    const [, payload] = (await idp.token()).split('.') as [string, string];
    const { kid, alg, privateKey } = idp.pair;
    const key = { key: KeyObject.from(privateKey), dsaEncoding: 'ieee-p1363' as const };
    const signed = (more: object) => {
      const header = encode({ alg, kid, typ: 'at+jwt', ...more });
      const signature = sign('sha256', Buffer.from(`${header}.${payload}`), key).toString('base64url');
      return `${header}.${payload}.${signature}`;
    };
    expect(await outcome(signed({}))).toBe('accepted');
    for (const header of [
      { crit: ['exp'], exp: SECONDS },
      { crit: ['x'], x: 1 },
      { crit: [] },
      { crit: 'x' },
      { crit: ['b64'], b64: false },
    ])
      expect(await outcome(signed(header))).toBe(INVALID);
  });

  it('with changed contents, or none, is refused', async () => {
    const [header, payload, signature] = (await idp.token()).split('.') as [string, string, string];
    const other = encode({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'grace' });
    expect(await outcome(`${header}.${other}.${signature}`)).toBe(UNSIGNED);
    expect(namedIssuer(`${header}.${payload}`)).toBeNull();
    expect(namedIssuer(`${header}.e30.${signature}`)).toBeNull();
    expect(namedIssuer('x.y.z')).toBeNull();
  });
});

describe('the keys of an identity provider', () => {
  const requests = () => idp.asked.length;

  it('are asked for once by many, and then no more', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => idp.token({ sub: `user-${i}` })));
    await Promise.all(tokens.map(verified));
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
    const start = performance.now();
    const waiting = outcomeOf();
    const [token, row] = [await other.token(), providerRow({ issuer: other.issuer })];
    await verifyUserToken({ now: clock.now, providerKeys: keys }, token, [row]);
    expect(performance.now() - start).toBeLessThan(2000);
    expect(await waiting).toContain('cannot be read: it did not answer within 2.5 s.');
    // Who comes next is told at once.
    const again = performance.now();
    expect(await outcomeOf()).toContain('cannot be read');
    expect(performance.now() - again).toBeLessThan(1000);
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
    keys = createProviderKeys(createAddressCheck(parseNetworks('')), clock.elapsed);
    expect(await outcomeOf()).toContain('cannot be read: its address must begin with https://');
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
