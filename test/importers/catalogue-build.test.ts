import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildContent } from '../../scripts/build-catalogue.ts';
import { pack } from '../../scripts/catalogue/encode.ts';
import { readFaces } from '../../scripts/catalogue/source.ts';
import type { CatalogueProduct, CatalogueVariant } from '../../src/domain/catalogue.ts';
import { decodeCatalogue } from '../../src/importers/catalogue-file.ts';
import type { Face, SourceCard } from '../../src/importers/catalogue-products.ts';
import { projectPath } from '../../src/paths.ts';

/** Printings whose vendor id in the package is that of another card. */
const MISFILED = [
  'DTD137-Rainbow-Extended Art',
  'EVO063',
  'EVO063-Rainbow',
  'HNT100',
  'SUP210-Rainbow',
  'UPR115-Rainbow',
  'UPR116-Rainbow',
  'UPR117-Rainbow',
];

let faces: Face[];
let shipped: Buffer;
const byCode = new Map<string, { product: CatalogueProduct; variant: CatalogueVariant }>();
const byVendorId = new Map<number, CatalogueProduct>();

beforeAll(async () => {
  faces = readFaces();
  shipped = await readFile(projectPath('data/catalogue.json.gz'));
  const { products } = await decodeCatalogue(shipped);
  for (const product of products) {
    for (const variant of product.variants) byCode.set(variant.fcId, { product, variant });
    if (product.vendorProductId !== null) byVendorId.set(product.vendorProductId, product);
  }
});

describe('building the catalogue again', () => {
  it('gives the shipped content, byte for byte', async () => {
    const content = await buildContent();
    // Compared unpacked: another zlib may pack the same content into other bytes.
    expect(gunzipSync(shipped).equals(Buffer.from(content))).toBe(true);
  });

  it('packs without a time of day', () => {
    expect(pack('x').readUInt32LE(4)).toBe(0);
    expect(shipped.readUInt32LE(4)).toBe(0);
  });
});

describe('every printing of the package', () => {
  it('is read', () => {
    expect(faces).toHaveLength(15_591);
    expect(new Set(faces.map((face) => face.print)).size).toBe(faces.length);
  });

  it('that the vendor lists is in the vendor product, under its variant name', () => {
    const listed = faces.filter((face) => face.vendorProductId !== null && !face.isBack);
    const missing = listed.filter(
      (face) =>
        !byVendorId
          .get(face.vendorProductId!)
          ?.variants.some((variant) => variant.variantName === face.variantName),
    );
    // A vendor id given to a card of another rarity, set or finish is a mistake; those are kept as not listed.
    expect(missing.every((face) => MISFILED.includes(face.print))).toBe(true);
    for (const print of MISFILED) expect(byCode.get(print)?.product.vendorProductId).toBeNull();
  });

  it('has its number, treatments and artists with a product', async () => {
    const { products } = await decodeCatalogue(shipped);
    const known = new Set(
      products.flatMap(({ number, otherNumbers, variants }) =>
        [number, ...otherNumbers].flatMap((printed) =>
          variants.flatMap(({ treatments, artists }) =>
            [...treatments, ...artists].map((value) => `${printed} ${value}`),
          ),
        ),
      ),
    );
    const missing = faces.filter(({ identifier, treatments, artists }) =>
      [...treatments, ...artists].some((value) => !known.has(`${identifier} ${value}`)),
    );
    expect(faces.filter(({ treatments }) => treatments.length > 0)).toHaveLength(1_545);
    expect(missing.map(({ print }) => print)).toEqual([]);
  });

  it('that the vendor does not list is kept, backs with their fronts', () => {
    const unlisted = faces.filter((face) => face.vendorProductId === null);
    expect(unlisted).toHaveLength(1_252);
    for (const face of unlisted.filter(({ isBack }) => !isBack)) {
      const kept = byCode.get(face.print);
      expect(kept?.product.vendorProductId).toBeNull();
      expect(kept?.product.number).toBe(face.identifier);
      expect(kept?.variant).toMatchObject({ rarity: face.rarity, finish: face.finish });
    }
    for (const face of unlisted.filter(({ isBack }) => isBack)) {
      const names = [...byCode.values()]
        .filter(({ product }) => product.number === face.identifier)
        .map(({ product }) => product.name);
      expect(names.some((name) => name.includes(face.card.name))).toBe(true);
    }
  });

  it('of one number and treatment that the vendor does not list is one product with its finishes', () => {
    const plain = byCode.get('AJV017')!.product;
    expect(plain.variants.map((variant) => variant.variantName)).toEqual(['Normal', 'Rainbow Foil']);
    expect(byCode.get('AJV017-Rainbow')!.product).toBe(plain);
    expect(byCode.get('OMN243-Cold-Extended Art')!.product).not.toBe(byCode.get('OMN243')!.product);
  });
});

describe('the traps of the source', () => {
  it('merges the 170 vendor ids that cards share', () => {
    const cardsOf = new Map<number, Set<SourceCard>>();
    for (const { vendorProductId, card } of faces) {
      if (vendorProductId === null) continue;
      cardsOf.set(vendorProductId, (cardsOf.get(vendorProductId) ?? new Set()).add(card));
    }
    const shared = [...cardsOf].filter(([, cards]) => cards.size > 1);
    expect(shared).toHaveLength(170);
    expect(shared.every(([id]) => byVendorId.has(id))).toBe(true);
  });

  it('merges a repeated edition and finish, and keeps its first printing code', () => {
    expect(byVendorId.get(284987)!.variants.map((variant) => variant.fcId)).toEqual(['FAB094-Cold']);
    expect(byCode.has('FAB094-Cold-Alternate Text')).toBe(false);
  });

  it('keeps both printings of the one code that occurs twice', () => {
    expect(byCode.has('GEM119-Full Art')).toBe(true);
    expect(byCode.has('GEM119-Full Art-2')).toBe(true);
  });

  it('keeps the rarity of each printing of a product', () => {
    const product = byVendorId.get(225975)!;
    expect(product.variants.map((variant) => variant.rarity)).toEqual(['Rare', 'Rare', 'Common', 'Common']);
    expect(product.rarity).toBe('Rare');
  });

  it('names the variants for which the vendor has no name', () => {
    expect(byCode.get('FAB001-Gold-Extended Art')!.variant.variantName).toBe('Gold Foil');
    expect(byCode.get('PEN078')!.variant.variantName).toBe('Normal');
    expect([...byCode.values()].every(({ variant }) => variant.variantName !== '')).toBe(true);
  });

  it('gives a mistaken vendor id to the card that the vendor means', () => {
    expect(byVendorId.get(275691)).toMatchObject({ name: 'Brain Freeze (Red)', number: 'UPR116' });
    expect(byCode.get('UPR115-Rainbow')!.product.name).toBe('Aether Icevein (Blue)');
    expect(byVendorId.get(271312)).toMatchObject({ name: 'Bravo', setCode: '1HP' });
    expect(byCode.get('DTD137-Rainbow-Extended Art')!.product.setCode).toBe('DTD');
  });
});
