import { decodeProtectedHeader } from 'jose';
import { beforeEach, expect, it } from 'vitest';
import { rotateSigningKey } from '../../src/auth/keys.ts';
import { describeOnDatabases, statementsOf } from '../harness.ts';
import { EXPIRED, INVALID, movableClock, newClient, node, outcome, tokenOf } from './support.ts';

const HOUR = 3600;

describeOnDatabases('signing keys', (database) => {
  beforeEach(async () => {
    await database().query('delete from signing_key');
  });

  const keyIds = async (auth: ReturnType<typeof node>) => (await auth.jwks()).keys.map((key) => key.kid);
  const countKeys = async () => (await database().query('select id from signing_key')).length;

  it('are made once when several nodes need one at once', async () => {
    const clock = movableClock();
    const nodes = Array.from({ length: 8 }, () => node(database(), clock.now));
    const ids = await Promise.all(nodes.map(keyIds));
    expect(await countKeys()).toBe(1);
    expect(new Set(ids.flat()).size).toBe(1);
  });

  it('are published without their private part', async () => {
    const { keys } = await node(database(), movableClock().now).jwks();
    expect(Object.keys(keys[0]!).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
  });

  it('are stored as JSON objects', async () => {
    await node(database(), movableClock().now).jwks();
    const rows = await database().query(
      'select jsonb_typeof(public_jwk) as a, jsonb_typeof(private_jwk) as b from signing_key',
    );
    expect(rows).toEqual([{ a: 'object', b: 'object' }]);
  });

  it('make codes that every node takes for the same text alone, also after a rotation', async () => {
    const db = database();
    const clock = movableClock();
    const [a, b] = [node(db, clock.now), node(db, clock.now)];
    const code = await a.codes.codeOf('text');
    expect(code).toMatch(/^[\w-]{43}$/);
    const isTaken = (text: string, given: string) => b.codes.isCodeOf(text, given);
    expect(await isTaken('text', code)).toBe(true);
    expect(await isTaken('other', code)).toBe(false);
    for (const wrong of ['', code.slice(1), `${code.slice(0, -1)}?`, 'A'.repeat(43)])
      expect(await isTaken('text', wrong)).toBe(false);
    await rotateSigningKey(db, clock.now());
    clock.advance(360);
    const newCode = await a.codes.codeOf('text');
    expect(newCode).not.toBe(code);
    for (const good of [code, newCode]) expect(await isTaken('text', good)).toBe(true);
    clock.advance(2 * HOUR);
    expect(await isTaken('text', code)).toBe(false);
    expect(await isTaken('text', newCode)).toBe(true);
  });

  it('rotate without an outage on two nodes', async () => {
    const db = database();
    const clock = movableClock();
    const client = await newClient(db);
    const [a, b] = [node(db, clock.now), node(db, clock.now)];
    const oldToken = await tokenOf(a, client);
    expect(await outcome(b, oldToken)).toBe('accepted');

    clock.advance(10);
    const { keyId, signsFrom } = await rotateSigningKey(db, clock.now());
    expect(signsFrom.getTime() - clock.now().getTime()).toBe(300_000);
    clock.advance(60);
    // It is published on both nodes, and does not sign yet.
    for (const auth of [a, b]) {
      expect(await keyIds(auth)).toHaveLength(2);
      expect(decodeProtectedHeader(await tokenOf(auth, client)).kid).not.toBe(keyId);
    }
    clock.advance(239);
    expect(decodeProtectedHeader(await tokenOf(a, client)).kid).not.toBe(keyId);
    clock.advance(1);
    const newToken = await tokenOf(a, client);
    expect(decodeProtectedHeader(newToken).kid).toBe(keyId);
    expect(await outcome(b, newToken)).toBe('accepted');
    expect(await outcome(b, oldToken)).toBe('accepted');
  });

  it('verify until the last token that they signed has expired, and are then deleted', async () => {
    const db = database();
    const clock = movableClock();
    const client = await newClient(db);
    const [a, b] = [node(db, clock.now), node(db, clock.now)];
    const [first] = await keyIds(a);
    clock.advance(10);
    const { keyId: second } = await rotateSigningKey(db, clock.now());
    clock.advance(299);
    const lastToken = await tokenOf(a, client);
    expect(decodeProtectedHeader(lastToken).kid).toBe(first);
    clock.advance(HOUR - 1);
    expect(await keyIds(b)).toEqual([first, second]);
    expect(await outcome(b, lastToken)).toBe('accepted');
    clock.advance(1);
    expect(await outcome(b, lastToken)).toBe(EXPIRED);
    clock.advance(120);
    expect(await keyIds(b)).toEqual([second]);
    const { keyId: third } = await rotateSigningKey(db, clock.now());
    const rows = await db.query<{ id: string }>('select id from signing_key order by created_at');
    expect(rows.map(({ id }) => id)).toEqual([second, third]);
  });

  it('keep their order where the clock of the rotating node is behind', async () => {
    const db = database();
    const clock = movableClock();
    const [first] = await keyIds(node(db, clock.now));
    const behind = movableClock(new Date(clock.now().getTime() - 1000));
    const ids = [first];
    for (let i = 0; i < 3; i++) ids.push((await rotateSigningKey(db, behind.now())).keyId);
    const auth = node(db, clock.now);
    expect(await keyIds(auth)).toEqual(ids);
    expect(decodeProtectedHeader(await tokenOf(auth, await newClient(db))).kid).toBe(first);
  });

  it('that are gone end their tokens within a minute, also where the clock is set back meanwhile', async () => {
    const db = database();
    const clock = movableClock();
    const auth = node(db, clock.now, { elapsed: clock.elapsed });
    const token = await tokenOf(auth, await newClient(db));
    clock.advance(10);
    expect(await outcome(auth, token)).toBe('accepted');
    await db.query('delete from signing_key');
    clock.set(-2 * HOUR);
    clock.advance(59);
    expect(await outcome(auth, token)).toBe('accepted');
    clock.advance(1);
    expect(await outcome(auth, token)).toBe(INVALID);
  });

  it('sign at once where there was none to rotate', async () => {
    const db = database();
    const clock = movableClock();
    const { keyId, signsFrom } = await rotateSigningKey(db, clock.now());
    expect(signsFrom).toEqual(clock.now());
    expect(await keyIds(node(db, clock.now))).toEqual([keyId]);
    const token = await tokenOf(node(db, clock.now), await newClient(db));
    expect(decodeProtectedHeader(token).kid).toBe(keyId);
  });

  it('are read again for a token with a new key id, but not for each one', async () => {
    const db = database();
    const clock = movableClock();
    const client = await newClient(db);
    const b = node(db, clock.now);
    await b.jwks();
    clock.advance(2);
    // The operator takes the only key away, and another node makes a new one at once.
    await db.query('delete from signing_key');
    const token = await tokenOf(node(db, clock.now), client);
    expect(await outcome(b, token)).toBe('accepted');

    const [, payload, signature] = token.split('.');
    const garbage = (kid: unknown) =>
      [
        Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid })).toString('base64url'),
        payload,
        signature,
      ].join('.');
    const { result, statements } = await statementsOf(() =>
      Promise.all(Array.from({ length: 100 }, (_, i) => outcome(b, garbage(`garbage-${i}`)))),
    );
    expect(new Set(result)).toEqual(new Set([INVALID]));
    expect(statements).toEqual([]);
    clock.advance(1);
    const later = await statementsOf(() =>
      Promise.all(Array.from({ length: 100 }, (_, i) => outcome(b, garbage(`other-${i}`)))),
    );
    expect(later.statements).toHaveLength(1);
    for (const kid of [undefined, null, 7, {}]) expect(await outcome(b, garbage(kid))).toBe(INVALID);
  });
});
