import { readCatalogueFile } from '../../../src/importers/catalogue-file.ts';
import { sampleMarket } from '../../../src/importers/sample-market.ts';
import { buildSearchIndex, type SearchCard } from './built-index.ts';

const CATALOGUE = new URL('../../../data/catalogue.json.gz', import.meta.url).pathname;

/** The shipped catalogue with a day of sample market data, as the search sees it. */
export async function catalogueEntries(): Promise<SearchCard[]> {
  const { products } = await readCatalogueFile(CATALOGUE);
  const market = new Map([...sampleMarket(products, '2026-01-31')].map((row) => [row.variantId, row]));
  return products.map((product) => ({
    productId: product.productId,
    name: product.name,
    number: product.number,
    otherNumbers: product.otherNumbers,
    setCode: product.setCode,
    setName: product.setName,
    releaseDate: product.releaseDate,
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
    otherFaces: product.otherFaces,
    keywords: product.keywords,
    legality: product.legality,
    description: product.description,
    sealedProductType: product.sealed?.productType ?? null,
    variants: product.variants.map((variant) => ({
      ...variant,
      price: market.get(variant.variantId)!.marketPrice,
      eur: null,
    })),
    sales30: product.variants
      .flatMap(({ variantId }) => market.get(variantId)!.saleVolumes)
      .reduce((sum, volume) => sum + volume, 0),
  }));
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
