import { expect, it } from 'vitest';
import { cardSets, type SetProduct } from '../../src/domain/card-sets.ts';

const product = (setCode: string, changes: Partial<SetProduct> = {}): SetProduct => ({
  setCode,
  setName: `Set ${setCode}`,
  releaseDate: '2020-03-27',
  sealedProductType: null,
  variants: [{ edition: null }],
  ...changes,
});

it('counts cards, variants and what is sealed, and knows the first day and the editions', () => {
  const [first, second, ...rest] = cardSets([
    product('WTR', { variants: [{ edition: 'Unlimited' }, { edition: '1st' }] }),
    product('ARC', { releaseDate: null }),
    product('WTR', { releaseDate: '2019-10-11', variants: [{ edition: '1st' }] }),
    product('WTR', { sealedProductType: 'Pack', releaseDate: null }),
  ]);
  expect(rest).toEqual([]);
  expect(first).toMatchObject({ code: 'ARC', releaseDate: null, editions: [], kind: 'Other' });
  expect(second).toEqual({
    id: 'set_WTR',
    code: 'WTR',
    name: 'Set WTR',
    releaseDate: '2019-10-11',
    kind: 'Booster',
    editions: ['1st', 'Unlimited'],
    cardCount: 2,
    sealedCount: 1,
    variantCount: 3,
  });
});

it.each([
  ['Katsu Blitz Deck', 'Deck'],
  ['Armory Deck Origins: Jarl', 'Deck'],
  ['1st Strike: Aurora', 'Deck'],
  ['Classic Battles: Rhinar vs Dorinthea', 'Deck'],
  ['Promos', 'Promo'],
  ['Tournament Pack', 'Promo'],
  ['Smash Palace', 'Other'],
  ['Decked Out', 'Other'],
])('takes %s for %s', (setName, kind) => {
  expect(cardSets([product('XXX', { setName })])[0]!.kind).toBe(kind);
});
