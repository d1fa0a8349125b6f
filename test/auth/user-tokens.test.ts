import { createHmac, KeyObject, sign } from 'node:crypto';
import { exportSPKI } from 'jose';
import { describe, expect, it } from 'vitest';
import { namedIssuer } from '../../src/auth/user-tokens.ts';
import { NOW } from '../support/clock.ts';
import { AUDIENCE, type Claims, type Header, newPair, startStandIn } from '../support/identity-provider.ts';
import {
  clock,
  INVALID,
  idp,
  json,
  outcome,
  outcomeOf,
  PLATFORM,
  providerRow,
  providers,
  UNSIGNED,
  useIdentityProvider,
  verified,
} from './user-tokens-support.ts';

useIdentityProvider();

const OTHER = '00000000-0000-4000-8000-000000000002';
const SECONDS = NOW.getTime() / 1000;
const DAY = 24 * 3600;
const EXPIRED = 'The access token has expired. Get a new one by signing in again.';
const EARLY = 'The access token is not good yet.';
const KIND = 'This is no access token, but another one of its issuer, such as an ID token.';
const UNKNOWN =
  'The access token is neither one of /oauth2/token nor one of an issuer and an audience that a platform names.';

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
      providers.splice(0, 1, providerRow());
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
    providers.push(second);
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
