import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { CURRENCIES } from '../../src/domain/currencies.ts';
import { DomainError, notFound, PROBLEMS, validationFailed } from '../../src/domain/errors.ts';
import { GoalTargetInput } from '../../src/domain/goals.ts';
import {
  CollectionDescription,
  CollectionImage,
  CreateCollectionInput,
  CreateTransactionInput,
  CreateWebhookInput,
  IdempotencyKey,
  MoneyInput,
  MoveTransactionsInput,
  Name,
  Quantity,
  transactionRules,
  UpdateCollectionChanges,
  UpdateCollectionInput,
  UpdatePreferencesInput,
  YearInput,
} from '../../src/domain/inputs.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { breachesOf, parsedOneByOne, parseInput } from '../../src/domain/parse-input.ts';

const TODAY = '2026-04-13';

// The rules of a day are kept: each test makes its own.
beforeEach(() => {
  transactionRules('2000-01-01');
});

function breaches(rule: z.ZodType, value: unknown, at: string[] = []): string[] {
  try {
    parseInput(rule, value, at);
  } catch (error) {
    expect((error as DomainError).problem).toBe('ValidationFailed');
    return (error as DomainError).details.breaches!.map(({ path, detail }) => `${path.join('/')}: ${detail}`);
  }
  return [];
}
const details = (rule: z.ZodType, value: unknown) => breaches(rule, value).map((text) => text.slice(2));

const CONTROLS = 'must not contain control characters';
const SURROGATE = 'must be well-formed Unicode (it has a lone surrogate)';

describe('a name', () => {
  const rule = 'must have 1 to 100 characters besides leading and trailing spaces';

  it('is trimmed, and counts characters', () => {
    expect(parseInput(Name, '  Binder \u3000')).toBe('Binder');
    expect(parseInput(Name, '🃏'.repeat(100))).toBe('🃏'.repeat(100));
    expect(parseInput(Name, 'x')).toBe('x');
  });

  it.each([
    ['', rule],
    ['   ', rule],
    ['x'.repeat(101), rule],
    ['a\0b', CONTROLS],
    ['a\nb', CONTROLS],
    ['a\x1fb', CONTROLS],
    ['a\x7fb', CONTROLS],
    ['a\x9fb', CONTROLS],
    ['\ud800', SURROGATE],
    [7, 'must be a string'],
  ])('is not %j', (value, detail) => {
    expect(details(Name, value)).toContain(detail);
  });

  it('may have the letters next to the control characters', () => {
    expect(parseInput(Name, 'a b~\u00a0é')).toBe('a b~\u00a0é');
  });
});

describe('a description', () => {
  it('may be empty, long, and of several lines', () => {
    for (const text of ['', 'x'.repeat(2000), 'a\r\n\tb']) {
      expect(parseInput(CollectionDescription, text)).toBe(text);
    }
  });

  it.each([
    ['x'.repeat(2001), 'must have at most 2000 characters'],
    ['\0', CONTROLS],
    ['\udc00', SURROGATE],
  ])('is not %#', (value, detail) => {
    expect(details(CollectionDescription, value)).toEqual([detail]);
  });
});

describe('whole numbers', () => {
  it.each([
    [CollectionImage, 0, 2 ** 31 - 1, 'must be a whole number from 0 to 2147483647'],
    [Quantity, 1, 1_000_000, 'must be a whole number from 1 to 1000000'],
    [YearInput, 1970, 9999, 'must be a year from 1970 to 9999'],
  ])('%# reach from the least to the most', (rule, least, most, detail) => {
    for (const value of [least, most]) expect(parseInput(rule, value)).toBe(value);
    for (const value of [least - 1, most + 1, least + 0.5, '1', null, Number.NaN]) {
      expect(new Set(details(rule, value))).toEqual(new Set([detail]));
    }
  });
});

describe('money', () => {
  const rule = 'value: must be a number from 0 to 1000000000 with at most 4 decimals';
  const amount = (value: unknown) => ({ currency: 'USD', value });

  it.each([0, 0.0001, 1e-4, 10, 999_999_999.9999, 1e9])('may be %s', (value) => {
    expect(parseInput(MoneyInput, amount(value))).toEqual(amount(value));
  });

  it('has no negative zero', () => {
    expect(Object.is((parseInput(MoneyInput, amount(-0)) as { value: number }).value, 0)).toBe(true);
  });

  it.each([
    -0.0001,
    0.00001,
    1e-5,
    1.23456,
    1e-7,
    1_000_000_000.0001,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '1',
    null,
  ])('is not %s', (value) => {
    expect(new Set(breaches(MoneyInput, amount(value)))).toEqual(new Set([rule]));
  });

  it('has a known currency and no other field', () => {
    expect(breaches(MoneyInput, { currency: 'usd', value: 1 })).toEqual([
      'currency: must be a currency code with a known exchange rate, such as USD (Did you mean USD?)',
    ]);
    // A currency that is real, without a rate, and near AUD.
    expect(breaches(MoneyInput, { currency: 'AED', value: 1 })).toEqual([
      'currency: must be a currency code with a known exchange rate, such as USD',
    ]);
    expect(breaches(MoneyInput, { currency: 'USD', value: 1, cents: 5 })).toEqual([
      'cents: is not a known field',
    ]);
  });
});

describe('a transaction', () => {
  const rules = () => transactionRules(TODAY);
  const good = {
    variantId: 'var_1',
    occurredDate: TODAY,
    action: 'Sale',
    quantity: 1,
    unitAmount: { currency: 'USD', value: 1 },
  };

  it('tells of every breach at once, where it is', () => {
    const bad = { occurredDate: '2026-02-30', action: 'sale', quantity: 0, unitAmount: {}, extra: 1 };
    expect(breaches(rules().create, bad, ['input'])).toEqual([
      'input/variantId: is required',
      'input/occurredDate: must be a calendar date: there is no 2026-02-30',
      'input/action: must be one of Purchase, Sale (Did you mean Sale?)',
      'input/quantity: must be a whole number from 1 to 1000000',
      'input/unitAmount/currency: is required',
      'input/unitAmount/value: is required',
      'input/extra: is not a known field',
    ]);
    expect(breaches(rules().create, { ...good, variantId: 7 })).toEqual(['variantId: must be an id']);
  });

  it('occurred from 1970 to tomorrow', () => {
    const on = (occurredDate: unknown) => breaches(rules().create, { ...good, occurredDate });
    for (const date of ['1970-01-01', TODAY, '2026-04-14']) expect(on(date)).toEqual([]);
    for (const date of ['1969-12-31', '2026-04-15']) {
      expect(on(date)).toEqual(['occurredDate: must be from 1970-01-01 to 2026-04-14']);
    }
    expect(on(20260413)).toEqual(['occurredDate: must be a string']);
  });

  it('has the limits of the day that it is asked for', () => {
    expect(breaches(transactionRules('2026-04-14').create, { ...good, occurredDate: '2026-04-15' })).toEqual(
      [],
    );
    expect(breaches(transactionRules(TODAY).create, { ...good, occurredDate: '2026-04-15' })).toHaveLength(1);
    // They are made once a day, not for each request.
    expect(transactionRules(TODAY)).toBe(transactionRules(TODAY));
  });

  it('comes with up to 999 others', () => {
    const many = (count: number) => breaches(rules().createMany, Array(count).fill(good));
    expect([many(1), many(1000)]).toEqual([[], []]);
    for (const count of [0, 1001]) expect(many(count)).toEqual([': must have 1 to 1000 transactions']);
  });

  it('is judged one by one among others, until as many breaches are known as are listed', () => {
    const { create } = rules();
    const judge = (values: unknown[]) => {
      const parts = parsedOneByOne(create, values, ['transactions']);
      let judged = 0;
      try {
        for (; !parts.next().done; ) judged++;
      } catch (error) {
        return { judged: judged + 1, error: error as DomainError };
      }
      return { judged, error: null };
    };
    expect(judge(Array(1000).fill(good))).toEqual({ judged: 1000, error: null });
    // Each lacks five fields.
    const { judged, error } = judge(Array(1000).fill({}));
    expect(judged).toBe(Math.ceil((LIMITS.breaches + 1) / 5));
    expect(error!.details.breaches).toHaveLength(LIMITS.breaches);
    expect(error!.details.breaches![7]).toEqual({
      path: ['transactions', 1, 'action'],
      detail: 'is required',
    });
    expect(error!.message).toMatch(/; and others beyond these 1000$/);
  });

  it('is changed in the fields that are given and not null', () => {
    const nothing = { occurredDate: null, action: null, quantity: null, unitAmount: null };
    for (const change of [{}, nothing, { quantity: 2 }]) expect(breaches(rules().update, change)).toEqual([]);
    expect(breaches(rules().update, { occurredDate: '2026-04-15', variantId: 'var_2' })).toEqual([
      'occurredDate: must be from 1970-01-01 to 2026-04-14',
      'variantId: is not a known field',
    ]);
  });
});

describe('what is said of the cards of a transaction', () => {
  const rules = transactionRules(TODAY);
  const entry = {
    variantId: 'var_1',
    occurredDate: TODAY,
    action: 'Purchase',
    quantity: 1,
    unitAmount: { currency: 'USD', value: 1 },
  };
  const of = (changes: object) => breaches(rules.create, { ...entry, ...changes });
  const grade = (changes: object) => ({ grade: { company: 'PSA', grade: '9.5', ...changes } });
  const short = (most: number) => `must have 1 to ${most} characters besides leading and trailing spaces`;

  it('is trimmed, and a company is in capitals', () => {
    const said = {
      cardCondition: 'NearMint',
      language: 'JA',
      grade: { company: ' psa ', grade: ' 9.5 ', certificate: ' 1 ' },
      notes: ' a\r\n\r\tb ',
      tags: [' for trade', 'x'],
    };
    expect(parseInput(rules.create, { ...entry, ...said })).toEqual({
      ...entry,
      ...said,
      grade: { company: 'PSA', grade: '9.5', certificate: '1' },
      notes: 'a\n\n\tb',
      tags: ['for trade', 'x'],
    });
    expect(parseInput(rules.create, { ...entry, notes: ' ', tags: [] })).toEqual({
      ...entry,
      notes: '',
      tags: [],
    });
  });

  it.each([
    [{ notes: '🃏'.repeat(500) }],
    [{ tags: Array.from({ length: 10 }, (_, i) => `${i}`) }],
    [{ tags: ['🃏'.repeat(30), 'a', 'A'] }],
    [grade({ company: 'x'.repeat(20), grade: 'y'.repeat(20), certificate: 'z'.repeat(50) })],
  ])('may be %j', (changes) => {
    expect(of(changes)).toEqual([]);
  });

  it.each([
    [{ notes: 'x'.repeat(501) }, 'notes: must have at most 500 characters'],
    [{ notes: 'a\0' }, `notes: ${CONTROLS}`],
    [{ tags: Array.from({ length: 11 }, (_, i) => `${i}`) }, 'tags: must have at most 10 tags'],
    [{ tags: ['x'.repeat(31)] }, `tags/0: ${short(30)}`],
    [{ tags: ['a', ' '] }, `tags/1: ${short(30)}`],
    [{ tags: ['a', 'b', ' a'] }, 'tags: must not have a tag twice'],
    [{ tags: ['a,b'] }, 'tags/0: must have no commas and semicolons'],
    [{ tags: ['a;b'] }, 'tags/0: must have no commas and semicolons'],
    [{ tags: ['a\nb'] }, `tags/0: ${CONTROLS}`],
    [grade({ company: 'x'.repeat(21) }), `grade/company: ${short(20)}`],
    [grade({ company: ' ' }), `grade/company: ${short(20)}`],
    [grade({ grade: 'x'.repeat(21) }), `grade/grade: ${short(20)}`],
    [grade({ grade: undefined }), 'grade/grade: is required'],
    [grade({ certificate: 'x'.repeat(51) }), `grade/certificate: ${short(50)}`],
    [grade({ by: 'me' }), 'grade/by: is not a known field'],
    [
      { cardCondition: 'Mint' },
      'cardCondition: must be one of NearMint, LightlyPlayed, ModeratelyPlayed, HeavilyPlayed, Damaged',
    ],
    [{ language: 'en' }, 'language: must be one of EN, DE, FR, ES, IT, JA (Did you mean EN?)'],
  ])('may not be %j', (changes, breach) => {
    expect(of(changes)).toContain(breach);
  });

  it('is taken away by name, unless it is given', () => {
    const clear = ['CardCondition', 'Grade', 'Language'];
    expect(parseInput(rules.update, { clear })).toEqual({ clear });
    expect(parseInput(rules.update, { clear: null, notes: null })).toEqual({ clear: null, notes: null });
    expect(breaches(rules.update, { clear, cardCondition: 'Damaged', ...grade({}), language: 'EN' })).toEqual(
      [
        'clear/0: must not name cardCondition, which is given',
        'clear/1: must not name grade, which is given',
        'clear/2: must not name language, which is given',
      ],
    );
    expect(breaches(rules.update, { clear: ['Notes'] })).toEqual([
      'clear/0: must be one of CardCondition, Grade, Language',
    ]);
  });
});

describe('an import', () => {
  const importFile = () => transactionRules(TODAY).importFile;

  it('is a file, and what the file does not say', () => {
    const unsaid = { choices: [], cost: 'AsFiled', skipErrors: false };
    expect(parseInput(importFile(), { csv: '' })).toEqual({ csv: '', dryRun: false, ...unsaid });
    const all = {
      csv: 'a',
      format: 'Collectr',
      dryRun: true,
      occurredDate: TODAY,
      unitAmount: { currency: 'USD', value: 1 },
      currency: 'EUR',
    };
    expect(parseInput(importFile(), all)).toEqual({ ...all, ...unsaid });
  });

  it('tells of every breach', () => {
    const bad = { format: 'Excel', dryRun: 'no', occurredDate: '2026-04-15', currency: 'XXX', extra: 1 };
    expect(breaches(importFile(), bad)).toEqual([
      'csv: is required',
      'format: must be one of Cardledger, Fabrary, Collectr, Tcgplayer, DragonShield, Manabox, Archidekt, List, Columns',
      'occurredDate: must be from 1970-01-01 to 2026-04-14',
      'currency: must be a currency code with a known exchange rate, such as USD',
      'dryRun: must be a boolean',
      'extra: is not a known field',
    ]);
  });
});

describe('what is published of the rules', () => {
  it('allows the names that the rule allows, and no others', () => {
    const { pattern } = Name.meta() as { pattern: string };
    const published = new RegExp(pattern, 'u');
    for (const length of [0, 1, 2, 99, 100, 101, 102, 104]) {
      const isAllowed = length >= 1 && length <= 100;
      expect([length, published.test(`  ${'🃏'.repeat(length)} `)]).toEqual([length, isAllowed]);
    }
    const text = fc.string({ unit: fc.constantFrom(' ', 'x', '🃏', '\u3000'), maxLength: 110, size: 'max' });
    fc.assert(
      fc.property(text, (name) => {
        expect(published.test(name)).toBe(breaches(Name, name).length === 0);
      }),
    );
  });

  it('is their limits, in JSON Schema', () => {
    expect(z.toJSONSchema(UpdateCollectionInput, { io: 'input' })).toMatchObject({
      additionalProperties: false,
      required: ['name', 'valued', 'description', 'pinned', 'image'],
      properties: {
        name: {
          maxLength: 1_048_576,
          example: 'My binder',
          description: '1 to 100 characters after trimming; no control characters',
        },
        description: {
          maxLength: 2000,
          description: 'At most 2000 characters; of control characters only line ends and tabs',
        },
        image: { type: 'integer', format: 'int32', minimum: 0, maximum: 2 ** 31 - 1 },
      },
    });
    expect(z.toJSONSchema(CreateTransactionInput, { io: 'input' })).toMatchObject({
      properties: {
        variantId: { maxLength: 104, description: 'Identifier of the variant' },
        occurredDate: {
          format: 'date',
          maxLength: 10,
          example: '2026-01-31',
          description: 'From 1970-01-01 to tomorrow, in UTC',
        },
        quantity: { type: 'integer', format: 'int32', minimum: 1, maximum: 1_000_000 },
        unitAmount: { $ref: '#/$defs/MoneyInput' },
      },
    });
  });
});

describe('other inputs', () => {
  const collection = { name: 'x', valued: true, description: '', pinned: false, image: 0 };

  it('of collections are all five fields, or some of them', () => {
    expect(breaches(CreateCollectionInput, { name: 'x' })).toEqual([]);
    expect(breaches(CreateCollectionInput, { name: 'x', valued: true })).toEqual([]);
    expect(breaches(CreateCollectionInput, { name: 'x', pinned: true })).toEqual([
      'pinned: is not a known field',
    ]);
    expect(breaches(UpdateCollectionInput, collection)).toEqual([]);
    expect(breaches(UpdateCollectionInput, { ...collection, pinned: undefined })).toEqual([
      'pinned: is required',
    ]);
    expect(breaches(UpdateCollectionInput, { ...collection, valued: 'true' })).toEqual([
      'valued: must be a boolean',
    ]);
    expect(breaches(UpdateCollectionChanges, {})).toEqual([]);
  });

  it('of preferences name what there is', () => {
    expect(breaches(UpdatePreferencesInput, { preferredCurrency: 'EUR' })).toEqual([]);
    const [currency, source] = breaches(UpdatePreferencesInput, {
      preferredCurrency: 'XXX',
      preferredPriceSource: 'Nobody',
    });
    expect(currency).toMatch(/^preferredCurrency: must be one of AUD, BRL, .*, ZAR$/);
    expect(source).toBe('preferredPriceSource: must be VendorMarket');
  });

  it.each([
    ['a', true],
    ['~!x', true],
    ['x'.repeat(255), true],
    ['x'.repeat(256), false],
    ['', false],
    ['a b', false],
    ['é', false],
    ['a\n', false],
  ])('of idempotency keys: %j is one: %s', (key, isKey) => {
    expect(breaches(IdempotencyKey, key)).toEqual(
      isKey ? [] : [': must be 1 to 255 visible ASCII characters'],
    );
  });

  it('that are no object at all are refused as a whole', () => {
    for (const value of [null, 7, 'x', []]) expect(breaches(CreateCollectionInput, value)).toHaveLength(1);
    expect(details(CreateCollectionInput, null)).toEqual(['must be an object']);
    expect(details(CreateCollectionInput, undefined)).toEqual(['must be an object']);
    const { error } = CreateCollectionInput.safeParse({ name: 7 });
    expect(breachesOf(error!, { name: 7 })).toEqual([{ path: ['name'], detail: 'must be a string' }]);
  });
});

describe('an expected failure', () => {
  it('says what and where', () => {
    const error = validationFailed([
      { path: ['unitAmount', 'value'], detail: 'is wrong' },
      { path: [], detail: 'is too short' },
    ]);
    expect(error.message).toBe('unitAmount.value: is wrong; input: is too short');
    expect(notFound('collection').message).toBe('The collection does not exist.');
    expect(notFound('collection').problem).toBe('NotFound');
  });

  it('keeps its cause for the log', () => {
    const cause = new Error('inside');
    const error = new DomainError('Unavailable', 'Try again.', { retryAfterSeconds: 2, cause });
    expect([error.name, error.cause, error.details.retryAfterSeconds]).toEqual(['DomainError', cause, 2]);
  });

  it('has the status that is published', () => {
    expect(Object.fromEntries(Object.entries(PROBLEMS).map(([name, { status }]) => [name, status]))).toEqual({
      ValidationFailed: 400,
      MalformedRequest: 400,
      InvalidQuery: 400,
      Unauthorized: 401,
      Forbidden: 403,
      NotFound: 404,
      MethodNotAllowed: 405,
      CollectionInUse: 409,
      LimitExceeded: 409,
      PreconditionFailed: 412,
      IdempotencyMismatch: 422,
      TooMuchWork: 422,
      RateLimited: 429,
      Internal: 500,
      Unavailable: 503,
    });
    for (const { title, explanation } of Object.values(PROBLEMS)) {
      expect(title).toMatch(/\S/);
      expect(explanation).toMatch(/\.$/);
    }
  });
});

describe('what is wrong with an input', () => {
  const { createMany, importPreviewed, update } = transactionRules(TODAY);
  const choices = (count: number, choice: object) => Array.from({ length: count }, () => choice);
  const refusal = (rule: z.ZodType, value: unknown): DomainError => {
    const all = vi.spyOn(Intl, 'supportedValuesOf');
    onTestFinished(() => all.mockRestore());
    try {
      parseInput(rule, value);
    } catch (error) {
      expect(all).not.toHaveBeenCalled();
      return error as DomainError;
    }
    throw new Error('It was taken.');
  };

  it('is listed up to a limit', () => {
    for (const [count, listed] of [
      [LIMITS.breaches, LIMITS.breaches],
      [LIMITS.breaches + 1, LIMITS.breaches],
      [LIMITS.importChoices, LIMITS.breaches],
    ] as const) {
      const { details, message } = refusal(importPreviewed, { choices: choices(count, {}) });
      expect(details.breaches).toHaveLength(listed);
      expect(message.endsWith('; and others beyond these 1000')).toBe(count > listed);
    }
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 0]));
    expect(refusal(importPreviewed, unknown).details.breaches).toHaveLength(LIMITS.breaches);
  });

  it('has a guess at what was meant for the first few', () => {
    const currencies = z.array(z.enum(CURRENCIES));
    const { breaches } = refusal(currencies, Array(500).fill('EURO')).details;
    expect(breaches).toHaveLength(500);
    expect(breaches!.filter(({ detail }) => detail.endsWith('(Did you mean EUR?)'))).toHaveLength(20);
    expect(breaches![19]!.detail).toContain('Did you mean');
  });

  it('is told of a list that is too long, and not of what is in it', () => {
    const long = Array(19_980).fill('x');
    const from = { fromCollectionId: 'a', toCollectionId: 'b' };
    for (const [rule, value] of [
      [CreateWebhookInput, { url: 'https://a.example', events: long }],
      [MoveTransactionsInput, { ...from, transactionIds: Array(19_980).fill(1) }],
      [GoalTargetInput, { items: long }],
      [createMany, long],
      [update, { tags: long }],
      [update, { clear: long }],
      [importPreviewed, { choices: long }],
    ] as const)
      expect(refusal(rule, value).details.breaches).toHaveLength(1);
  });
});
