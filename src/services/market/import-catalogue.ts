import type { Database } from '../../db/client.ts';
import { RECORD_IMPORT, UPSERT_PRODUCTS, UPSERT_VARIANTS } from '../../db/queries/market.ts';
import type { CatalogueProduct } from '../../domain/catalogue.ts';
import { naturalKey } from '../../domain/natural-order.ts';
import { type Written, writeInBatches } from './batches.ts';
import { recomputeEvs } from './evs.ts';
import type { Progress } from './progress.ts';

/**
 * Loads products and variants in one database transaction. What is there and not in the catalogue stays, since
 * transactions may refer to it.
 */
export async function importCatalogue(
  db: Database,
  catalogue: { version: string; products: readonly CatalogueProduct[] },
  progress: Progress,
): Promise<{ products: Written; variants: Written }> {
  return db.transaction(async (tx) => {
    await tx.query('set local statement_timeout = 0');
    const products = await writeInBatches(
      tx,
      UPSERT_PRODUCTS,
      catalogue.products.map(productRow),
      'products',
      progress,
    );
    const variants = await writeInBatches(
      tx,
      UPSERT_VARIANTS,
      catalogue.products.flatMap(variantRows),
      'variants',
      progress,
    );
    await tx.query(RECORD_IMPORT, ['catalogue', catalogue.version, false, null]);
    await recomputeEvs(tx);
    return { products, variants };
  });
}

function productRow(product: CatalogueProduct) {
  return {
    id: product.productId,
    vendor_product_id: product.vendorProductId,
    name: product.name,
    number: product.number,
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
  }));
}
