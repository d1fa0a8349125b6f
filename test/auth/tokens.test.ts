import { createHmac, createSecretKey, randomUUID } from 'node:crypto';
import {
  decodeJwt,
  decodeProtectedHeader,
  exportPKCS8,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { beforeEach, expect, it } from 'vitest';
import { challengeOf } from '../../src/auth/caller.ts';
import { createSigningKeys } from '../../src/auth/keys.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { describeOnDatabases, NOW, statementsOf } from '../harness.ts';
import { EXPIRED, INVALID, ISSUER, movableClock, newClient, node, outcome, tokenOf } from './support.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const flip = (character: string | undefined) => (character === 'A' ? 'B' : 'A');

describeOnDatabases('access tokens', (database) => {
  let clock = movableClock();
  beforeEach(() => {
    clock = movableClock();
  });
  const seconds = NOW.getTime() / 1000;

  /** A token of the right shape, with changes, signed by the service's own key. */
  async function signed(claims: JWTPayload = {}, header: Record<string, unknown> = {}): Promise<string> {
    const client = await newClient(database());
    const { id, privateKey } = await createSigningKeys(database(), clock.now, clock.elapsed).signer();
    const payload = {
      iss: ISSUER,
      aud: ISSUER,
      sub: `acc_${client.accountId}`,
      client_id: client.clientId,
      iat: seconds,
      exp: seconds + 3600,
      jti: randomUUID(),
      scope: 'default',
      ...claims,
    };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: id, ...header })
      .sign(privateKey);
  }

  it('follow the profile of RFC 9068', async () => {
    const client = await newClient(database());
    const token = await tokenOf(node(database(), clock.now), client);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(decodeJwt(token)).toEqual({
      iss: ISSUER,
      aud: ISSUER,
      sub: `acc_${client.accountId}`,
      client_id: client.clientId,
      iat: seconds,
      exp: seconds + 3600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      scope: 'default',
    });
  });

  it('say who calls, on a node that did not issue them', async () => {
    const client = await newClient(database());
    const token = await tokenOf(node(database(), clock.now), client);
    const other = node(database(), clock.now);
    const caller = { accountId: client.accountId, clientId: client.clientId };
    expect(await other.caller(`Bearer ${token}`)).toEqual(caller);
    expect(await other.caller(`bearer  ${token}`)).toEqual(caller);
  });

  it('are good to the second before they expire, also where the node knows them', async () => {
    const auth = node(database(), clock.now);
    const token = await tokenOf(auth, await newClient(database()));
    clock.advance(3599);
    expect(await outcome(auth, token)).toBe('accepted');
    clock.advance(1);
    expect(await outcome(auth, token)).toBe(EXPIRED);
    expect(await outcome(node(database(), clock.now), token)).toBe(EXPIRED);
  });

  it('are accepted in the shape that the refusals below change', async () => {
    expect(await outcome(node(database(), clock.now), await signed())).toBe('accepted');
  });

  it('are refused with another issuer', async () => {
    const refused = await outcome(node(database(), clock.now), await signed({ iss: 'https://evil.example' }));
    expect(refused).toContain(
      'neither one of /oauth2/token nor one of an issuer and an audience that a platform names',
    );
  });

  it.each<[string, JWTPayload, Record<string, unknown>]>([
    ['no issuer', { iss: undefined }, {}],
    ['another audience', { aud: 'https://evil.example' }, {}],
    ['no audience', { aud: undefined }, {}],
    ['no subject', { sub: undefined }, {}],
    ['a subject that is no account', { sub: 'acc_1' }, {}],
    ['no client', { client_id: undefined }, {}],
    ['a client that is no text', { client_id: 7 }, {}],
    ['no expiry', { exp: undefined }, {}],
    ['no id', { jti: undefined }, {}],
    ['another scope', { scope: 'admin' }, {}],
    ['no scope', { scope: undefined }, {}],
    ['another type', {}, { typ: 'JWT' }],
    ['no type', {}, { typ: undefined }],
    ['no key id', {}, { kid: undefined }],
    ['an unknown key id', {}, { kid: 'nope' }],
  ])('are refused with %s', async (_, claims, header) => {
    expect(await outcome(node(database(), clock.now), await signed(claims, header))).toBe(INVALID);
  });

  it('are refused when any part has been changed', async () => {
    const auth = node(database(), clock.now);
    const token = await signed();
    expect(await outcome(auth, token)).toBe('accepted');
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const other = encode({ ...decodeJwt(token), sub: `acc_${randomUUID()}` });
    const changed = [
      [header, other, signature],
      [header, payload, flip(signature[0]) + signature.slice(1)],
      [header, payload, ''],
      [header, payload],
      [encode({ ...decodeProtectedHeader(token), extra: 1 }), payload, signature],
      [header, payload, signature, signature],
    ];
    for (const parts of changed) expect(await outcome(auth, parts.join('.'))).toBe(INVALID);
  });

  it('are refused unsigned, and signed with the public key as a secret', async () => {
    const auth = node(database(), clock.now);
    const token = await signed();
    const payload = token.split('.')[1]!;
    const { kid } = decodeProtectedHeader(token);
    const [jwk] = (await auth.jwks()).keys;
    for (const alg of ['none', 'None', 'NONE']) {
      expect(await outcome(auth, `${encode({ alg, typ: 'at+jwt', kid })}.${payload}.`)).toBe(INVALID);
    }
    for (const secret of [JSON.stringify(jwk), Buffer.from(jwk!.x!, 'base64url'), jwk!.kid!]) {
      const input = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${payload}`;
      const mac = createHmac('sha256', createSecretKey(Buffer.from(secret)))
        .update(input)
        .digest('base64url');
      expect(await outcome(auth, `${input}.${mac}`)).toBe(INVALID);
    }
  });

  it('are refused when another key has signed them, also one that they bring along', async () => {
    const auth = node(database(), clock.now);
    const { kid } = decodeProtectedHeader(await signed());
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    expect(await exportPKCS8(privateKey)).toContain('PRIVATE KEY');
    const jwk = await crypto.subtle.exportKey('jwk', publicKey);
    for (const extra of [{}, { jwk }, { jku: 'https://evil.example/jwks.json' }]) {
      const forged = await new SignJWT(decodeJwt(await signed()))
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...extra } as never)
        .sign(privateKey);
      expect(await outcome(auth, forged)).toBe(INVALID);
    }
  });

  it('are refused where they are no token at all', async () => {
    const auth = node(database(), clock.now);
    const longest = 'x'.repeat(4096);
    for (const token of ['', '.', '..', 'a.b.c', 'a b', 'ü', '"', longest]) {
      expect(await outcome(auth, token)).toBe(INVALID);
    }
    expect(await outcome(auth, `${longest}x`)).toContain('has more than 4096 characters');
  });

  it('need no statement and no signature once the node knows them', async () => {
    const auth = node(database(), clock.now);
    const token = await tokenOf(auth, await newClient(database()));
    const first = await statementsOf(() =>
      Promise.all(Array.from({ length: 50 }, () => outcome(auth, token))),
    );
    expect(first.statements).toHaveLength(2);
    const later = await statementsOf(() => outcome(auth, token));
    expect(later.statements).toEqual([]);
  });

  it('come with the challenge of RFC 6750', async () => {
    const auth = node(database(), clock.now);
    const challenge = async (authorization: string | null | undefined) => {
      const error = await (async () => auth.caller(authorization))().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DomainError);
      expect((error as DomainError).problem).toBe('Unauthorized');
      return challengeOf(error as DomainError);
    };
    for (const none of [null, undefined, '', 'Basic YTpi', 'Token x']) {
      expect(await challenge(none)).toBe('Bearer realm="cardledger"');
    }
    for (const bad of ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer x', 'bearer "']) {
      expect(await challenge(bad)).toBe(
        `Bearer realm="cardledger", error="invalid_token", error_description="${INVALID}"`,
      );
    }
    const thrownElsewhere = new DomainError('Unauthorized', 'Quotes " and \\ and\nlines are not allowed.');
    expect(challengeOf(thrownElsewhere)).toContain(
      'error_description="Quotes   and   and lines are not allowed."',
    );
  });
});
