import { beforeAll, describe, expect, it } from 'vitest';
import type { CatalogueProduct, CatalogueVariant } from '../../src/domain/catalogue.ts';
import { type Catalogue, readCatalogueFile } from '../../src/importers/catalogue-file.ts';
import { projectPath } from '../../src/paths.ts';

let catalogue: Catalogue;
let products: CatalogueProduct[];
let cards: CatalogueProduct[];
let sealed: CatalogueProduct[];

beforeAll(async () => {
  catalogue = await readCatalogueFile(projectPath('data/catalogue.json.gz'));
  products = catalogue.products;
  cards = products.filter((product) => product.sealed === null);
  sealed = products.filter((product) => product.sealed !== null);
});

const variantsOf = (list: CatalogueProduct[]): CatalogueVariant[] =>
  list.flatMap((product) => product.variants);
const withCode = (fcId: string): CatalogueProduct =>
  products.find((product) => product.variants.some((variant) => variant.fcId === fcId))!;
const namesOf = (product: CatalogueProduct): string[] =>
  product.variants.map((variant) => variant.variantName);

describe('the shipped catalogue', () => {
  it('has the cards, the vendor products and the sealed products', () => {
    expect(cards).toHaveLength(8_974);
    expect(variantsOf(cards)).toHaveLength(15_292);
    expect(cards.filter((product) => product.vendorProductId !== null)).toHaveLength(7_811);
    expect(sealed).toHaveLength(75);
  });

  it('gives every product and variant an id and a code of its own', () => {
    const ids = [
      ...products.map((product) => product.productId),
      ...variantsOf(products).map((variant) => variant.variantId),
    ];
    const codes = variantsOf(products).map((variant) => variant.fcId);
    const vendorIds = cards.flatMap((product) => product.vendorProductId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(codes).size).toBe(codes.length);
    expect(new Set(vendorIds).size).toBe(vendorIds.length);
    for (const id of ids) expect(id).toMatch(/^(prd|var)_[0-9a-hjkmnp-tv-z]{16}$/);
  });

  it('has each variant name once in a product', () => {
    for (const product of products) expect(new Set(namesOf(product)).size).toBe(product.variants.length);
  });

  it('takes the set from the number, and a date where one is known', () => {
    for (const product of cards)
      expect(product.number).toBe(`${product.setCode}${product.number!.slice(-3)}`);
    const undated = new Set(cards.filter((product) => product.releaseDate === null).map((p) => p.setName));
    expect([...undated].sort()).toEqual([
      'Bravo Hero Deck',
      'Dorinthea Hero Deck',
      'GEM',
      'Katsu Hero Deck',
      'Promos',
      'Rhinar Hero Deck',
      'Tournament Pack',
    ]);
  });

  it('names editions only in the sets that were printed in two', () => {
    const setsWithEditions = new Set(
      cards.filter((product) => product.variants.some(({ edition }) => edition)).map((p) => p.setCode),
    );
    expect([...setsWithEditions].sort()).toEqual(['ARC', 'CRU', 'ELE', 'MON', 'WTR']);
    const everfest = withCode('EVR155-First');
    expect(everfest.variants[0]).toMatchObject({ variantName: '1st Edition Normal', edition: null });
  });

  it('keeps the ids it was first given', () => {
    // Collections refer to these ids: a change here would orphan every holding.
    const tunic = withCode('CRU178-First');
    expect(tunic.productId).toBe('prd_4xnpbekgv05j3t2x');
    expect(tunic.variants.map((variant) => variant.variantId)).toEqual([
      'var_3b9cm42d78sw3w36',
      'var_5a2s7vxw2xkh4cyv',
    ]);
    expect(withCode('Wtr1stEdition-Box').productId).toBe('prd_8rf7r6ckwbm9g1sc');
    expect(withCode('OMN100').productId).toBe('prd_m54j0gmdmf6ed2x3');
  });
});

describe('single products', () => {
  it("Fyendal's Spring Tunic of Welcome to Rathe", () => {
    expect(withCode('WTR150-Alpha-Cold')).toMatchObject({
      vendorProductId: 225211,
      name: "Fyendal's Spring Tunic",
      number: 'WTR150',
      imageUrl: 'https://tcgplayer-cdn.tcgplayer.com/product/225211_200w.jpg',
      setCode: 'WTR',
      setName: 'Welcome to Rathe',
      releaseDate: '2019-10-11',
      cardType: 'Equipment',
      cardSubType: 'Chest',
      class: 'Generic',
      rarity: 'Legendary',
      cost: null,
      defenseValue: '1',
      pitchValue: null,
      talent: null,
      variants: [
        {
          variantName: '1st Edition Cold Foil',
          fcId: 'WTR150-Alpha-Cold',
          edition: '1st',
          finish: 'Cold Foil',
          rarity: 'Legendary',
          isExpansionSlot: false,
        },
        {
          variantName: 'Unlimited Edition Rainbow Foil',
          fcId: 'WTR150-Unlimited-Rainbow',
          edition: 'Unlimited',
          finish: 'Rainbow Foil',
        },
      ],
    });
  });

  it('Command and Conquer of Arcane Rising: four printings, one product', () => {
    const product = withCode('ARC159-First');
    expect(product).toMatchObject({ name: 'Command and Conquer', cost: '2', power: '6', pitchValue: '1' });
    expect(namesOf(product)).toEqual([
      '1st Edition Normal',
      '1st Edition Rainbow Foil',
      'Unlimited Edition Normal',
      'Unlimited Edition Rainbow Foil',
    ]);
  });

  it('a card of Omens, which the vendor does not list', () => {
    expect(withCode('OMN100')).toMatchObject({
      vendorProductId: null,
      number: 'OMN100',
      setName: 'Omens of the Third Age',
      releaseDate: '2026-06-05',
      imageUrl: expect.stringMatching(/\/OMN100\.webp$/),
      variants: [{ variantName: 'Normal', fcId: 'OMN100', edition: null }],
    });
    expect(
      cards.filter((product) => product.setCode === 'OMN').every((p) => p.vendorProductId === null),
    ).toBe(true);
  });

  it('the two faces of a card under one vendor id', () => {
    const product = withCode('UPR009');
    expect(product).toMatchObject({
      name: 'Invoke Azvolai // Azvolai',
      cardType: 'Action',
      number: 'UPR009',
    });
    expect(product.description).toMatch(/^\*\*Transform\*\*[\s\S]*\n\n---\n\nWhenever Azvolai attacks/);
    expect(namesOf(product)).toEqual(['Normal']);
  });

  it('a hero and a weapon on the back of each other: the hero is the main face', () => {
    expect(withCode('WTR039-Alpha')).toMatchObject({ name: 'Bravo // Romping Club', number: 'WTR039' });
  });

  it('a colour in the name only where cards share the name', () => {
    const names = ['WTR020-Alpha', 'WTR021-Alpha', 'WTR022-Alpha'].map((fcId) => withCode(fcId).name);
    expect(names.map((name) => name.replace(/^.* \(/, '('))).toEqual(['(Red)', '(Yellow)', '(Blue)']);
    expect(withCode('EVO234').name).toBe('Hyper Driver // Quicken');
    expect(new Set(cards.flatMap((p) => /^(.*) \((?:Red|Yellow|Blue)\)/.exec(p.name)?.[1] ?? [])).size).toBe(
      858,
    );
  });

  it('special values as text', () => {
    const values = new Set(cards.flatMap((product) => [product.cost, product.power, product.defenseValue]));
    for (const value of ['0', 'XX', 'X', '*']) expect(values).toContain(value);
  });

  it('no class where the game gives none', () => {
    expect(cards.some((product) => product.class === null)).toBe(true);
    expect(cards.every((product) => product.class !== 'NotClassed' && product.class !== '')).toBe(true);
  });
});

describe('sealed products', () => {
  it('has pack, box and case of each set type', () => {
    const box = withCode('WtrUnlimitedEdition-Box');
    expect(box).toMatchObject({
      name: 'Welcome to Rathe Booster Box [Unlimited Edition]',
      vendorProductId: null,
      number: null,
      setCode: 'WTR',
      releaseDate: '2019-10-11',
      sealed: { setType: 'WtrUnlimitedEdition', productType: 'Box' },
      rarity: null,
      variants: [{ variantName: 'Normal', edition: 'Unlimited', finish: 'Normal', rarity: null }],
    });
    expect(withCode('Out-Pack').name).toBe('Outsiders Booster Pack');
    expect(withCode('1HP-Case').name).toBe('History Pack 1 Booster Box Case');
  });

  it('belongs to sets that the cards have too', () => {
    const cardSets = new Set(cards.map((product) => product.setCode));
    for (const product of sealed) expect(cardSets).toContain(product.setCode);
    expect(new Set(sealed.map((product) => product.setCode)).size).toBe(20);
  });
});
