import { buildSearchIndex, type SearchEntry } from '../../../src/domain/search/search-index.ts';
import { readCatalogueFile } from '../../../src/importers/catalogue-file.ts';
import { sampleMarket } from '../../../src/importers/sample-market.ts';

const CATALOGUE = new URL('../../../data/catalogue.json.gz', import.meta.url).pathname;

/** The shipped catalogue with a day of sample market data, as the search sees it. */
export async function catalogueEntries(): Promise<SearchEntry[]> {
  const { products } = await readCatalogueFile(CATALOGUE);
  const market = new Map([...sampleMarket(products, '2026-01-31')].map((row) => [row.variantId, row]));
  return products.map((product) => {
    const rows = product.variants.map(({ variantId }) => market.get(variantId)!);
    const prices = rows.flatMap(({ marketPrice }) => marketPrice ?? []);
    return {
      productId: product.productId,
      name: product.name,
      number: product.number,
      setCode: product.setCode,
      setName: product.setName,
      rarities: [...new Set(product.variants.flatMap(({ rarity }) => rarity ?? []))],
      variantNames: [...new Set(product.variants.map(({ variantName }) => variantName))],
      class: product.class,
      cardType: product.cardType,
      cardSubType: product.cardSubType,
      talent: product.talent,
      pitchValue: product.pitchValue,
      cost: product.cost,
      power: product.power,
      defenseValue: product.defenseValue,
      life: product.life,
      intellect: product.intellect,
      description: product.description,
      price: prices.sort((a, b) => Number(a) - Number(b))[0] ?? null,
      sales30: rows.flatMap(({ saleVolumes }) => saleVolumes).reduce((sum, volume) => sum + volume, 0),
      isSealed: product.sealed !== null,
    };
  });
}

async function load() {
  const entries = await catalogueEntries();
  const nameOf = new Map(entries.map(({ productId, name }) => [productId, name]));
  return { entries, index: buildSearchIndex(entries), nameOf };
}

let loaded: ReturnType<typeof load> | undefined;

/** Read and built once for all the suites of a worker. */
export function catalogueIndex(): ReturnType<typeof load> {
  loaded ??= load();
  return loaded;
}
