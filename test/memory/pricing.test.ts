import { describe, expect, it } from 'vitest';
import { CURRENCIES, type Currency } from '../../src/domain/currencies.ts';
import { Prices, Pricing, Rates } from '../../src/memory/pricing.ts';

const SOURCE = 'VendorMarket';
const VARIANTS = 50;

/** Each variant has a price but the last; each currency but the last a rate. */
function newPricing(): Pricing {
  const prices = new Prices();
  for (let place = 0; place < VARIANTS - 1; place++) prices.add(place, SOURCE, 'USD', `${place}.25`);
  const rates = new Rates();
  for (const [i, currency] of CURRENCIES.slice(0, -1).entries())
    rates.add('USD', currency, currency === 'USD' ? '1' : `${1 + i / 10}`);
  return new Pricing(VARIANTS, prices, rates);
}

describe('prices in more currencies than are kept', () => {
  const asked = (pricing: Pricing, place: number, currency: Currency) => ({
    exact: pricing.exact(place, currency, SOURCE),
    rounded: pricing.rounded(place, currency, SOURCE),
  });

  it('are the same in whatever order they are asked for', () => {
    const pricing = newPricing();
    const rounds = [CURRENCIES, CURRENCIES.toReversed(), CURRENCIES];
    for (const currencies of rounds) {
      for (let place = 0; place < VARIANTS; place++) {
        for (const currency of currencies) {
          // One that has been asked for nothing else.
          expect(asked(pricing, place, currency)).toEqual(asked(newPricing(), place, currency));
        }
      }
    }
  });

  it('are kept again where many are asked for', () => {
    const pricing = newPricing();
    const [last, ...others] = CURRENCIES.slice(0, 5) as [Currency, ...Currency[]];
    for (const currency of others) pricing.rounded(0, currency, SOURCE);
    const isKept = (currency: Currency) => {
      const [first, second] = [1, 1].map((place) => pricing.rounded(place, currency, SOURCE));
      return first === second;
    };
    expect(isKept(last)).toBe(false);
    for (let i = 0; i < 500; i++) pricing.rounded(i % VARIANTS, last, SOURCE);
    expect(isKept(last)).toBe(true);
    // It has taken the place of the first of the others.
    expect(others.map(isKept)).toEqual([false, true, true, true]);
  });
});
