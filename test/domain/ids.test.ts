import { describe, expect, it } from 'vitest';
import {
  accountUuid,
  isClientId,
  newClientId,
  newClientSecret,
  secretDigest,
  secretMatches,
  withoutSecrets,
} from '../../src/domain/credentials.ts';
import {
  eventId,
  ID_PREFIXES,
  isIdOf,
  type NodeType,
  newId,
  parseEventId,
  parseProductEvId,
  parseSummaryId,
  productEvId,
  summaryId,
  typeOfId,
} from '../../src/domain/ids.ts';
import { naturalKey } from '../../src/domain/natural-order.ts';

const CROCKFORD = /^[0-9a-hjkmnp-tv-z]+$/;

describe('an id', () => {
  it('names its type by its prefix', () => {
    for (const [type, prefix] of Object.entries(ID_PREFIXES)) {
      expect(typeOfId(`${prefix}_x`)).toBe(type);
      expect(isIdOf(type as NodeType, `${prefix}_x`)).toBe(true);
    }
    expect(isIdOf('Collection', 'txn_x')).toBe(false);
  });

  it.each([
    'col',
    'col_',
    '_x',
    'COL_x',
    'xyz_x',
    'col_é',
    'col_a b',
    ' col_a',
    'col_a\n',
    'xcol_a',
    `col_${'a'.repeat(101)}`,
    '',
  ])('is not "%s"', (id) => {
    expect(typeOfId(id)).toBeNull();
  });

  it('may have 100 characters behind its prefix, of letters, digits, _ and -', () => {
    expect(typeOfId(`col_${'a'.repeat(100)}`)).toBe('Collection');
    expect(typeOfId('pev_Wtr1stEdition_Box')).toBe('ProductEv');
    expect(typeOfId('acc_0-9')).toBe('Account');
  });
});

describe('a new id', () => {
  const millis = Date.UTC(2040, 0, 1);

  it('sorts by the time it was made, also within a millisecond and when the clock goes back', () => {
    const ids = [
      ...Array.from({ length: 200 }, () => newId('Transaction', millis)),
      newId('Transaction', millis - 5000),
      newId('Transaction', millis + 1),
      newId('Transaction', millis + 2),
    ];
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is a prefix and 26 characters of which the first ten are the time', () => {
    const later = millis + 60_000;
    const id = newId('Collection', later);
    expect(id).toMatch(/^col_/);
    const rest = id.slice(4);
    expect(rest).toHaveLength(26);
    expect(rest).toMatch(CROCKFORD);
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
    const time = [...rest.slice(0, 10)].reduce((sum, digit) => sum * 32 + alphabet.indexOf(digit), 0);
    expect(time).toBe(later);
  });

  it('cannot be guessed from the one before', () => {
    const next = () => BigInt(`0x${Buffer.from(newId('Collection', millis).slice(14)).toString('hex')}`);
    const steps = new Set(Array.from({ length: 20 }, () => next() - next()));
    expect(steps.size).toBe(20);
  });
});

describe('ids made of others', () => {
  it('name a summary by its collection and variant', () => {
    const id = summaryId('col_01abc', 'var_9xyz');
    expect(id).toBe('sum_01abc_9xyz');
    expect(parseSummaryId(id)).toEqual({ collectionId: 'col_01abc', variantId: 'var_9xyz' });
    for (const wrong of [
      'sum_a',
      'sum_a_',
      'sum__b',
      'sum_A_b',
      'sum_a_b_c',
      'col_a_b',
      'xsum_a_b',
      'sum_a_b ',
    ]) {
      expect(parseSummaryId(wrong)).toBeNull();
    }
  });

  it('name an expected value by its set and product', () => {
    const id = productEvId('Wtr1stEdition', 'Box');
    expect(id).toBe('pev_Wtr1stEdition_Box');
    expect(parseProductEvId(id)).toEqual({ setType: 'Wtr1stEdition', productType: 'Box' });
    for (const wrong of [
      'pev_Wtr',
      'pev_Wtr_',
      'pev__Box',
      'pev_Wtr_Box1',
      'pev_W-r_Box',
      'xpev_Wtr_Box',
      'pev_Wtr_Box ',
    ]) {
      expect(parseProductEvId(wrong)).toBeNull();
    }
  });
});

describe('the id of an event', () => {
  it('names its stream and its place in it', () => {
    const id = eventId('col_01abc', 12);
    expect(id).toBe('evt_col_01abc_12');
    expect(parseEventId(id)).toEqual({ stream: 'col_01abc', sequence: 12 });
    expect(parseEventId('evt_alerts_999999999999999')).toEqual({
      stream: 'alerts',
      sequence: 999_999_999_999_999,
    });
  });

  it.each([
    'evt_alerts',
    'evt_alerts_',
    'evt__1',
    'evt_Alerts_1',
    'evt_alerts_1x',
    'evt_alerts_-1',
    'evt_alerts_1000000000000000',
    'xevt_alerts_1',
    'evt_alerts_1 ',
  ])('is not "%s"', (id) => {
    expect(parseEventId(id)).toBeNull();
  });
});

describe('credentials', () => {
  it('are an id of 130 random bits and a secret of 256', () => {
    const ids = Array.from({ length: 50 }, newClientId);
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) {
      expect(isClientId(id)).toBe(true);
      expect(id.slice(4)).toMatch(CROCKFORD);
    }
    expect(new Set(ids.flatMap((id) => [...id.slice(4)])).size).toBe(32);
    const secret = newClientSecret();
    expect(secret).toMatch(/^cls_[\w-]{43}$/);
    expect(newClientSecret()).not.toBe(secret);
  });

  it.each([
    'cli_',
    `cli_${'a'.repeat(25)}`,
    `cli_${'a'.repeat(27)}`,
    `cli_${'A'.repeat(26)}`,
    `x${newClientId()}`,
  ])('do not have the id "%s"', (id) => {
    expect(isClientId(id)).toBe(false);
  });

  it('match by the digest of the secret alone', () => {
    expect(secretDigest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    const secret = newClientSecret();
    expect(secretMatches(secret, secretDigest(secret))).toBe(true);
    expect(secretMatches(`${secret}x`, secretDigest(secret))).toBe(false);
    expect(secretMatches(secret, null)).toBe(false);
    expect(secretMatches('', null)).toBe(false);
  });

  it('belong to an account, whose uuid may have its prefix', () => {
    const uuid = '0f9c1c7e-8d3a-4a51-9a0b-2f6f3f0c9f11';
    expect(accountUuid(uuid)).toBe(uuid);
    expect(accountUuid(`acc_${uuid}`)).toBe(uuid);
    for (const wrong of [
      `col_${uuid}`,
      `${uuid}0`,
      `x${uuid}`,
      uuid.toUpperCase(),
      uuid.slice(1),
      '',
      'acc_',
    ]) {
      expect(accountUuid(wrong)).toBeNull();
    }
  });
});

describe('the natural order of card numbers', () => {
  it('has 2 before 10, either case alike, and none last', () => {
    const numbers = ['WTR10', 'wtr2', null, 'WTR1-B12', 'WTR1-B3', 'ARC100', 'WTR', 'WTR2A'];
    const sorted = [...numbers].sort((a, b) => (naturalKey(a) < naturalKey(b) ? -1 : 1));
    expect(sorted).toEqual(['ARC100', 'WTR', 'WTR1-B3', 'WTR1-B12', 'wtr2', 'WTR2A', 'WTR10', null]);
  });

  it('takes leading zeros as nothing', () => {
    expect(naturalKey('WTR001')).toBe(naturalKey('wtr1'));
  });

  it('is stored, and so keeps its spelling', () => {
    expect(naturalKey('wtr12b3')).toBe('WTR00000012B00000003');
    expect(naturalKey(null)).toBe('~');
  });
});

describe('a text without secrets', () => {
  it.each([
    [`/collection/${newClientSecret()}/x`, '/collection/[secret]/x'],
    ['a eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwIn0.c2ln-_x, b', 'a [token], b'],
    ['eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJo', '[token]'],
    ['"authorization":"Basic Y2xpOmNscw==","x"', '"authorization":"Basic […]","x"'],
    ['/x/bearer%20abc.def', '/x/bearer […]'],
    ['postgres://me:pass:word@db/x and http://db/x', 'postgres://me:[…]@db/x and http://db/x'],
  ])('%s', (text, rest) => {
    expect(withoutSecrets(text)).toBe(rest);
  });

  it.each(['/collection/col_01kn3w4v5h2c8q6r9t0m1n2p3q', 'http://[::1]:4000/x@y', 'cls_', 'eyJ', 'Bearer'])(
    'is the same where there is none: %s',
    (text) => {
      expect(withoutSecrets(text)).toBe(text);
    },
  );
});
