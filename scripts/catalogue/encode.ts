import { gzipSync } from 'node:zlib';
import type { CardFace, CatalogueProduct, CatalogueVariant } from '../../src/domain/catalogue.ts';
import {
  CATALOGUE_FORMAT,
  CATALOGUE_LAYOUT,
  type CatalogueFile,
} from '../../src/importers/catalogue-file.ts';
import type { BuiltProduct } from '../../src/importers/catalogue-products.ts';

/** A table whose rows are stored once, in the order in which they were first met. */
class Table<Row> {
  readonly rows: Row[] = [];
  private readonly positions = new Map<string, number>();

  positionOf(row: Row): number {
    const key = JSON.stringify(row);
    const known = this.positions.get(key);
    if (known !== undefined) return known;
    this.positions.set(key, this.rows.length);
    return this.rows.push(row) - 1;
  }
}

/** The catalogue as the JSON text of the file (see `catalogue-file.ts` for the layout). */
export function encodeContent(built: BuiltProduct[], source: string): string {
  const sets = new Table<CatalogueFile['sets'][number]>();
  const printings = new Table<CatalogueFile['printings'][number]>();
  const rarities = new Table<string>();
  const keywords = new Table<string>();
  const legalities = new Table<CatalogueFile['legalities'][number]>();
  const arts = new Table<CatalogueFile['arts'][number]>();
  const cards = new Table<CatalogueFile['cards'][number]>();

  const setOf = (product: CatalogueProduct) =>
    sets.positionOf([product.setCode, product.setName, product.releaseDate]);
  const cardOf = (product: CatalogueProduct) => {
    const { legal = [], banned = [], restricted = [] } = product.legality ?? {};
    return cards.positionOf([
      product.name,
      product.description,
      product.keywords.map((keyword) => keywords.positionOf(keyword)),
      legalities.positionOf([legal, banned, restricted]),
      product.otherFaces.map(faceRow),
      ...faceRow(product),
    ]);
  };
  const printingOf = (variant: CatalogueVariant) =>
    printings.positionOf([variant.variantName, variant.edition, variant.finish]);

  const file: CatalogueFile = {
    format: CATALOGUE_FORMAT,
    layout: CATALOGUE_LAYOUT,
    source,
    sets: sets.rows,
    printings: printings.rows,
    rarities: rarities.rows,
    keywords: keywords.rows,
    legalities: legalities.rows,
    arts: arts.rows,
    cards: cards.rows,
    products: built.flatMap(({ key, product }) =>
      product.sealed === null
        ? [
            [
              product.vendorProductId ?? key.slice('print:'.length),
              cardOf(product),
              setOf(product),
              product.number!,
              product.otherNumbers,
              product.vendorProductId === null ? product.imageUrl : null,
              product.variants.map((variant) => [
                printingOf(variant),
                rarities.positionOf(variant.rarity!),
                variant.fcId,
                variant.isExpansionSlot ? 1 : 0,
                arts.positionOf([variant.artists, variant.treatments]),
              ]),
            ],
          ]
        : [],
    ),
    sealed: built.flatMap(({ product }) =>
      product.sealed === null
        ? []
        : [
            [
              product.sealed.setType,
              product.sealed.productType,
              setOf(product),
              product.name,
              printingOf(product.variants[0]!),
            ],
          ],
    ),
  };
  return JSON.stringify(file);
}

function faceRow(product: CardFace): CatalogueFile['cards'][number][4][number] {
  return [
    product.cardType,
    product.cardSubType,
    product.class,
    product.cost,
    product.defenseValue,
    product.pitchValue,
    product.talent,
    product.power,
    product.intellect,
    product.life,
  ];
}

/** Packs the content; Node writes no time into the gzip header, so equal content gives equal bytes. */
export function pack(content: string): Buffer {
  return gzipSync(content, { level: 9 });
}
