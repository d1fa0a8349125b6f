import { beforeAll, describe, expect, it } from 'vitest';
import type { KnownVariant } from '../../src/db/queries/catalogue-import.ts';
import type { CatalogueProduct } from '../../src/domain/catalogue.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { readCatalogueFile } from '../../src/importers/catalogue-file.ts';
import { RejectedRow } from '../../src/importers/import-file.ts';
import { projectPath } from '../../src/paths.ts';
import { withKnownIds } from '../../src/services/market/import-known-ids.ts';

describe('the variants of a product', () => {
  let product: CatalogueProduct;
  beforeAll(async () => {
    const { products } = await readCatalogueFile(projectPath('data/catalogue.json.gz'));
    product = products[0]!;
  });

  const productWith = (from: number, to: number): CatalogueProduct => ({
    ...product,
    variants: Array.from({ length: to - from }, (_, i) => {
      const name = `Kind ${from + i}`;
      return { ...product.variants[0]!, variantId: `var_${name}`, variantName: name, fcId: `X-${name}` };
    }),
  });
  const knownOf = ({ productId, vendorProductId, variants }: CatalogueProduct): KnownVariant[] =>
    variants.map(({ variantId, variantName, fcId }) => ({
      variantId,
      productId,
      vendorProductId,
      name: variantName,
      fcId,
    }));
  const most = LIMITS.productVariants;

  it('are all taken up to as many as it may have, also where they are there already', () => {
    const whole = productWith(0, most);
    expect(withKnownIds([whole], [], 'new names')).toEqual([whole]);
    expect(withKnownIds([whole], knownOf(whole), 'new names')).toEqual([whole]);
  });

  it.each([
    ['of one file', 0, 0],
    ['with those that are there', most - 1, most - 1],
  ])('are rejected above it: %s', (_, known, from) => {
    const taken = withKnownIds([productWith(from, most + 1)], knownOf(productWith(0, known)), 'new names');
    expect(taken).toEqual([
      productWith(from, most),
      new RejectedRow(
        { file: null, line: null },
        'too many variants',
        `${product.name} (${product.productId}): a product has at most 5 variants, and Kind 5 is a further one`,
      ),
    ]);
  });
});
