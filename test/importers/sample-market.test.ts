import { beforeAll, describe, expect, it } from 'vitest';
import type { CatalogueProduct } from '../../src/domain/catalogue.ts';
import { readCatalogueFile } from '../../src/importers/catalogue-file.ts';
import { type SampleMarketRow, sampleMarket } from '../../src/importers/sample-market.ts';
import { projectPath } from '../../src/paths.ts';

const TODAY = '2026-11-21';
let products: CatalogueProduct[];
let rows: Map<string, SampleMarketRow>;

beforeAll(async () => {
  ({ products } = await readCatalogueFile(projectPath('data/catalogue.json.gz')));
  rows = byVariant(products, TODAY);
});

function byVariant(list: CatalogueProduct[], today: string): Map<string, SampleMarketRow> {
  return new Map([...sampleMarket(list, today)].map((row) => [row.variantId, row]));
}

/** Prices in cents of the variants that `wanted` accepts. */
function prices(
  wanted: (product: CatalogueProduct, variant: CatalogueProduct['variants'][number]) => boolean,
): number[] {
  return products.flatMap((product) =>
    product.variants
      .filter((variant) => wanted(product, variant))
      .flatMap((variant) => {
        const price = rows.get(variant.variantId)!.marketPrice;
        return price === null ? [] : [Number(price.replace('.', ''))];
      }),
  );
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function expectAscending(values: number[]): void {
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  expect(new Set(values).size).toBe(values.length);
}

const sealedPrice = (fcId: string): number =>
  prices((_product, variant) => variant.fcId === fcId)[0] ?? Number.NaN;

describe('sampleMarket', () => {
  it('has one row for each variant, with 30 days of sales and an exact price', () => {
    expect(rows.size).toBe(products.flatMap((product) => product.variants).length);
    for (const { marketPrice, saleVolumes } of rows.values()) {
      if (marketPrice !== null) expect(marketPrice).toMatch(/^(0|[1-9]\d*)\.\d\d$/);
      expect(saleVolumes).toHaveLength(30);
      expect(saleVolumes.every((volume) => Number.isInteger(volume) && volume >= 0)).toBe(true);
    }
  });

  it('is the same at every call and in every order', () => {
    expect(byVariant(products, TODAY)).toEqual(rows);
    const reversed = byVariant(products.toReversed(), TODAY);
    expect([...rows.keys()].map((id) => reversed.get(id))).toEqual([...rows.values()]);
    const one = products[100]!;
    const alone = [...sampleMarket([one], TODAY)];
    expect(alone).toEqual(one.variants.map((variant) => rows.get(variant.variantId)));
  });

  it('keeps prices from day to day, and moves the sales on', () => {
    const tomorrow = byVariant(products, '2026-11-22');
    for (const [id, row] of rows) {
      expect(tomorrow.get(id)!.marketPrice).toBe(row.marketPrice);
      expect(tomorrow.get(id)!.saleVolumes.slice(0, 29)).toEqual(row.saleVolumes.slice(1));
    }
    const newest = [...tomorrow.values()].map((row) => row.saleVolumes[29]!);
    expect(newest.some((volume) => volume > 0)).toBe(true);
  });

  it('leaves about one variant in a hundred without price, and so without sales', () => {
    const unpriced = [...rows.values()].filter((row) => row.marketPrice === null);
    expect(unpriced.length / rows.size).toBeGreaterThan(0.005);
    expect(unpriced.length / rows.size).toBeLessThan(0.02);
    expect(unpriced.every((row) => row.saleVolumes.every((volume) => volume === 0))).toBe(true);
  });

  it('orders the median by rarity', () => {
    const rarities = ['Token', 'Common', 'Rare', 'Super Rare', 'Majestic', 'Legendary', 'Fabled'];
    expectAscending(
      rarities.map((rarity) => median(prices((_product, variant) => variant.rarity === rarity))),
    );
    expect(median(prices((_product, variant) => variant.rarity === 'Common'))).toBeLessThan(100);
    expect(median(prices((_product, variant) => variant.rarity === 'Marvel'))).toBeGreaterThan(5_000);
  });

  it('orders the median by finish', () => {
    const finishes = ['Normal', 'Rainbow Foil', 'Cold Foil'];
    for (const rarity of ['Common', 'Majestic', 'Legendary']) {
      expectAscending(
        finishes.map((finish) => median(prices((_p, v) => v.rarity === rarity && v.finish === finish))),
      );
    }
  });

  it('makes the first edition of an old set dear', () => {
    const edition = (wanted: string) =>
      median(prices((p, v) => p.setCode === 'WTR' && v.rarity === 'Common' && v.edition === wanted));
    expectAscending([edition('Unlimited'), edition('1st')]);
    const coldLegendary = (setCode: string) =>
      median(prices((p, v) => p.setCode === setCode && v.rarity === 'Legendary' && v.finish === 'Cold Foil'));
    expectAscending([coldLegendary('ROS'), coldLegendary('ARC'), coldLegendary('WTR')]);
  });

  it('prices sealed products by size, edition and age', () => {
    for (const setType of ['Wtr1stEdition', 'WtrUnlimitedEdition', 'Out', 'Hnt', 'Omn']) {
      const [pack, box, display] = ['Pack', 'Box', 'Case'].map((type) => sealedPrice(`${setType}-${type}`));
      expect(box! / pack!).toBeGreaterThan(12);
      expect(box! / pack!).toBeLessThan(30);
      expect(display! / box!).toBeGreaterThan(3);
      expect(display! / box!).toBeLessThan(5);
    }
    expectAscending([
      sealedPrice('Out-Box'),
      sealedPrice('WtrUnlimitedEdition-Box'),
      sealedPrice('Arc1stEdition-Box'),
      sealedPrice('Wtr1stEdition-Box'),
    ]);
  });

  it.each(['2026-02-30', '2026-1-1', '21.11.2026', ''])('refuses the date "%s"', (date) => {
    expect(() => [...sampleMarket(products.slice(0, 1), date)]).toThrow(/not a calendar date.*YYYY-MM-DD/);
  });
});
