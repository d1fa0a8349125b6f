import type { Database } from '../../db/client.ts';
import {
  KNOWN_SETS,
  KNOWN_VARIANTS,
  type KnownVariant,
  UPSERT_PRODUCTS,
  UPSERT_VARIANTS,
} from '../../db/queries/catalogue-import.ts';
import type { CatalogueProduct } from '../../domain/catalogue.ts';
import { naturalKey } from '../../domain/natural-order.ts';
import type { FabCube } from '../../importers/fab-cube.ts';
import { cubeProducts, type KnownSet } from '../../importers/fab-cube-products.ts';
import { RejectedRow } from '../../importers/import-file.ts';
import { countRejected, type ImportSummary, inBatches, upsertRows } from './batches.ts';
import { withKnownIds } from './import-known-ids.ts';
import { type ImportOptions, inOneTransaction, marketDataOf, recordImport } from './import-run.ts';
import type { Progress } from './progress.ts';

export interface CatalogueSummary {
  products: ImportSummary;
  variants: ImportSummary;
}

/**
 * Loads products and variants in one database transaction. What is there and not in the catalogue stays, since
 * transactions may refer to it.
 */
export function importCatalogue(
  db: Database,
  catalogue: { version: string; products: readonly CatalogueProduct[] },
  progress: Progress,
  options: ImportOptions = {},
): Promise<CatalogueSummary> {
  return inOneTransaction(db, progress, options, async (tx) => {
    const products = withKnownIds(
      catalogue.products,
      await tx.query<KnownVariant>(KNOWN_VARIANTS),
      'new names',
    );
    const summary = await writeCatalogue(tx, products, progress);
    await recordImport(tx, 'catalogue', { version: catalogue.version, isSample: false }, null);
    return summary;
  });
}

/**
 * Loads what the-fab-cube's files hold, with the ids, codes and variant names that the catalogue has already. The version
 * of the catalogue stays, so that a newer shipped one is still loaded by a start.
 */
export function importFabCube(
  db: Database,
  cube: FabCube,
  progress: Progress,
  options: ImportOptions = {},
): Promise<CatalogueSummary> {
  return inOneTransaction(db, progress, options, async (tx) => {
    const sets = await tx.query<KnownSet & { setCode: string }>(KNOWN_SETS);
    const built = cubeProducts(cube, new Map(sets.map((set) => [set.setCode, set])));
    const products = withKnownIds(
      built.products,
      await tx.query<KnownVariant>(KNOWN_VARIANTS),
      'known names',
    );
    const summary = await writeCatalogue(tx, products, progress);
    for (const row of built.rejected) countRejected(summary.variants, row);
    const version = (await marketDataOf(tx, 'catalogue'))?.version ?? 'the-fab-cube';
    await recordImport(tx, 'catalogue', { version, isSample: false }, null);
    return summary;
  });
}

async function writeCatalogue(
  tx: Database,
  catalogue: readonly (CatalogueProduct | RejectedRow)[],
  progress: Progress,
): Promise<CatalogueSummary> {
  const kept = catalogue.flatMap((product) => (product instanceof RejectedRow ? [] : [product]));
  const keyOf = ({ id }: { id: string }) => id;
  const products = await inBatches(kept.map(productRow), { label: 'products', progress, keyOf }, (batch) =>
    upsertRows(tx, UPSERT_PRODUCTS, batch),
  );
  const variants = await inBatches(
    kept.flatMap(variantRows),
    { label: 'variants', progress, keyOf },
    (batch) => upsertRows(tx, UPSERT_VARIANTS, batch),
  );
  for (const row of catalogue) if (row instanceof RejectedRow) countRejected(variants, row);
  return { products, variants };
}

function productRow(product: CatalogueProduct) {
  return {
    id: product.productId,
    vendor_product_id: product.vendorProductId,
    name: product.name,
    number: product.number,
    other_numbers: product.otherNumbers,
    number_key: naturalKey(product.number),
    image_url: product.imageUrl,
    description: product.description,
    set_code: product.setCode,
    set_name: product.setName,
    release_date: product.releaseDate,
    sealed_set_type: product.sealed?.setType ?? null,
    sealed_product_type: product.sealed?.productType ?? null,
    card_type: product.cardType,
    card_sub_type: product.cardSubType,
    class: product.class,
    rarity: product.rarity,
    cost: product.cost,
    defense_value: product.defenseValue,
    pitch_value: product.pitchValue,
    talent: product.talent,
    power: product.power,
    intellect: product.intellect,
    life: product.life,
    other_faces: product.otherFaces,
    keywords: product.keywords,
    legality: product.legality,
  };
}

function variantRows({ productId, setCode, variants }: CatalogueProduct) {
  return variants.map((variant, position) => ({
    id: variant.variantId,
    product_id: productId,
    name: variant.variantName,
    position,
    fc_id: variant.fcId,
    set_code: setCode,
    edition: variant.edition,
    finish: variant.finish,
    rarity: variant.rarity,
    is_expansion_slot: variant.isExpansionSlot,
    treatments: variant.treatments,
    artists: variant.artists,
  }));
}
