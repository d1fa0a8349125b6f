import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { asksByPreferences, CatalogueTexts } from '../../src/graphql/catalogue-texts.ts';
import type { Preferences } from '../../src/services/accounts/preferences.ts';

const catalogue = (revision: number) => ({ revision });
const preferring = (preferredCurrency: string) =>
  ({ preferredCurrency, preferredPriceSource: 'VendorMarket' }) as Preferences;

describe('texts that are kept of the catalogue', () => {
  it('are apart for each owner and each kind of prices, and forgotten with the catalogue', () => {
    const texts = new CatalogueTexts();
    const [first, second, owner, other] = [catalogue(1), catalogue(2), {}, {}];
    const [dollars, euros] = [preferring('USD'), preferring('EUR')];
    texts.keep(texts.of(first, owner, dollars), 'key', 'text');
    expect(texts.of(first, owner, dollars).get('key')).toBe('text');
    expect(texts.of(first, owner, preferring('USD')).get('key')).toBe('text');
    expect(texts.of(first, owner, euros).get('key')).toBeUndefined();
    expect(texts.of(first, owner, null).get('key')).toBeUndefined();
    expect(texts.of(first, other, dollars).get('key')).toBeUndefined();
    expect(texts.of(second, owner, dollars).get('key')).toBeUndefined();
    expect(texts.of(first, owner, dollars).get('key')).toBeUndefined();
  });

  it('are forgotten when they would take more than they may', () => {
    const texts = new CatalogueTexts(1000);
    const [one, owner] = [catalogue(1), {}];
    for (const key of ['a', 'b']) texts.keep(texts.of(one, owner, null), key, 'x'.repeat(300));
    expect([...texts.of(one, owner, null).keys()]).toEqual(['a', 'b']);
    texts.keep(texts.of(one, owner, null), 'c', 'x');
    expect([...texts.of(one, owner, null).keys()]).toEqual([]);
  });

  it('hold no owner that nothing else holds any more', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const texts = new CatalogueTexts();
    const one = catalogue(1);
    const owners = [0, 1, 2].map(() => {
      const owner = {};
      texts.keep(texts.of(one, owner, null), 'key', 'text');
      return new WeakRef(owner);
    });
    await turn();
    collectGarbage();
    // But the last, which mostly is asked for next.
    expect(owners.map((owner) => owner.deref() !== undefined)).toEqual([false, false, true]);
    expect(texts.of(one, owners[2]!.deref()!, null).get('key')).toBe('text');
  });
});

describe('what is asked for by the preferences', () => {
  const schema = buildSchema('type Query { price(currency: String, source: String): Int, name: String }');
  schema.getQueryType()!.getFields().price!.extensions = { byPreferences: true };

  it.each([
    ['{ name }', false],
    ['{ price }', true],
    ['{ price(currency: "EUR") }', true],
    ['{ price(currency: "EUR", source: "a") }', false],
    ['{ name price(currency: "EUR", source: null) }', true],
    ['query ($source: String) { price(currency: "EUR", source: $source) }', true],
  ])('%s: %s', (query, expected) => {
    expect(asksByPreferences(schema, parse(query))).toBe(expected);
  });
});
