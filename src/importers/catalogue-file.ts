import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import {
  type CardFace,
  type CatalogueProduct,
  EDITIONS,
  FINISHES,
  PRODUCT_TYPES,
} from '../domain/catalogue.ts';

export const CATALOGUE_FORMAT = 'cardledger-catalogue';
export const CATALOGUE_LAYOUT = 2;

/** What only cards have, as a sealed product has it. */
export const NOT_A_CARD = {
  cardType: null,
  cardSubType: null,
  class: null,
  rarity: null,
  cost: null,
  defenseValue: null,
  pitchValue: null,
  talent: null,
  power: null,
  intellect: null,
  life: null,
  otherFaces: [],
  keywords: [],
  legality: null,
} satisfies Partial<CatalogueProduct>;

/** Packed or not; the shipped file has 2.3 MB when unpacked. */
const MOST_BYTES = 64 * 1024 * 1024;

const text = z.string();
const optional = z.string().nullable();
const index = z.int().min(0);
const indexes = z.array(index);

/** cardType, cardSubType, class, cost, defenseValue, pitchValue, talent, power, intellect, life */
const face = [
  optional,
  optional,
  optional,
  optional,
  optional,
  optional,
  optional,
  optional,
  optional,
  optional,
] as const;

/**
 * The catalogue file: gzipped JSON, a table per key, a row per array. Columns, in order:
 *
 * - `sets`: code, name, release date or null
 * - `printings`: variant name, edition or null, finish
 * - `rarities`: the rarity's name
 * - `keywords`: the keyword
 * - `legalities`: formats in which a card is legal, banned, restricted
 * - `arts`: artists, treatments
 * - `cards`: name, description, keywords, legality, its other sides, then cardType, cardSubType, class, cost,
 *   defenseValue, pitchValue, talent, power, intellect, life, as each of the other sides has them
 * - `products`: key, card, set, number, other numbers, image URL (null: the vendor's picture of the product), variants.
 *   The key is the vendor's product id (a number), or the print code of a card the vendor does not list (text).
 *   A variant is: printing, rarity, fcId, 1 when it belongs to the set's expansion slot (otherwise 0), art.
 * - `sealed`: set type, product type, set, name, printing of the one variant
 *
 * Card, set, printing, rarity, keyword, legality and art are positions in their tables. Ids are not stored: they follow from the keys.
 */
const catalogueFileSchema = z.object({
  format: z.literal(CATALOGUE_FORMAT),
  layout: z.literal(CATALOGUE_LAYOUT),
  source: text,
  sets: z.array(z.tuple([text, text, optional])),
  printings: z.array(z.tuple([text, z.enum(EDITIONS).nullable(), z.enum(FINISHES)])),
  rarities: z.array(text),
  keywords: z.array(text),
  legalities: z.array(z.tuple([z.array(text), z.array(text), z.array(text)])),
  arts: z.array(z.tuple([z.array(text), z.array(text)])),
  cards: z.array(z.tuple([text, text, indexes, index, z.array(z.tuple(face)), ...face])),
  products: z.array(
    z.tuple([
      z.union([z.int().positive(), text]),
      index,
      index,
      text,
      z.array(text),
      optional,
      z.array(z.tuple([index, index, text, z.literal([0, 1]), index])).min(1),
    ]),
  ),
  sealed: z.array(z.tuple([text, z.enum(PRODUCT_TYPES), index, text, index])),
});

export type CatalogueFile = z.infer<typeof catalogueFileSchema>;

/** The decoded catalogue; `version` is a digest of the file's content. */
export interface Catalogue {
  version: string;
  products: CatalogueProduct[];
}

/** What a product is known by: the vendor's id, the print code where the vendor has none, or the sealed product. */
export type ProductKey = `vendor:${number}` | `print:${string}` | `sealed:${string}`;

/** `prd_…` of a product key. */
export function productIdOf(key: ProductKey): string {
  return `prd_${digest(`cardledger:1:product:${key}`)}`;
}

/** `var_…` of a product key and variant name. */
export function variantIdOf(key: ProductKey, variantName: string): string {
  return `var_${digest(`cardledger:1:variant:${key}:${variantName}`)}`;
}

/** The vendor's picture of a product. */
export function vendorImageUrl(vendorProductId: number): string {
  return `https://tcgplayer-cdn.tcgplayer.com/product/${vendorProductId}_200w.jpg`;
}

/** Reads the catalogue file. Throws with the path and what to do when it is missing, damaged or of another layout. */
export async function readCatalogueFile(path: string): Promise<Catalogue> {
  try {
    if ((await stat(path)).size > MOST_BYTES) throw tooLarge();
    return await decodeCatalogue(await readFile(path));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Cannot read the catalogue file ${path}: ${cause}. ` +
        'Restore it from the repository, or build it again with "npm run build:catalogue".',
      { cause: error },
    );
  }
}

/** Decodes the bytes of a catalogue file. */
export async function decodeCatalogue(bytes: Uint8Array): Promise<Catalogue> {
  const content = await unpack(bytes);
  const file = parseContent(content);
  const products = [...decodeCards(file), ...decodeSealed(file)];
  // Of the content, not of the packed bytes: those may differ between versions of the compressor.
  return { version: createHash('sha256').update(content).digest('hex').slice(0, 16), products };
}

async function unpack(bytes: Uint8Array): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new Error('it is truncated or not a gzip file');
  }
}

function tooLarge(): Error {
  return new Error(`it is larger than ${MOST_BYTES / 1024 / 1024} MiB`);
}

function parseContent(content: Buffer): CatalogueFile {
  const json = parseJson(content);
  const header = z.object({ format: z.literal(CATALOGUE_FORMAT), layout: z.number() }).safeParse(json);
  if (!header.success) throw new Error(`its content is not of the format ${CATALOGUE_FORMAT}`);
  if (header.data.layout !== CATALOGUE_LAYOUT) {
    throw new Error(`it has layout ${header.data.layout}, and this version reads layout ${CATALOGUE_LAYOUT}`);
  }
  const file = catalogueFileSchema.safeParse(json);
  if (!file.success) {
    const issue = file.error.issues[0];
    throw new Error(`its content is damaged at ${issue?.path.join('.')}: ${issue?.message}`);
  }
  return file.data;
}

function parseJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    throw new Error('its content is not JSON');
  }
}

function decodeCards(file: CatalogueFile): CatalogueProduct[] {
  return file.products.map(([key, cardIndex, setIndex, number, otherNumbers, imageUrl, variants]) => {
    const vendorProductId = typeof key === 'number' ? key : null;
    const productKey: ProductKey = typeof key === 'number' ? `vendor:${key}` : `print:${key}`;
    return {
      productId: productIdOf(productKey),
      vendorProductId,
      number,
      otherNumbers,
      imageUrl: imageUrl ?? (vendorProductId === null ? '' : vendorImageUrl(vendorProductId)),
      ...setFields(file, setIndex),
      sealed: null,
      ...cardFields(file, cardIndex),
      // The variants' order is the catalogue's; a product's rarity is that of its first variant.
      rarity: rowOf(file.rarities, variants[0]![1], 'rarities'),
      variants: variants.map(([printingIndex, rarityIndex, fcId, expansion, artIndex]) => ({
        ...variantFields(file, productKey, printingIndex),
        fcId,
        rarity: rowOf(file.rarities, rarityIndex, 'rarities'),
        isExpansionSlot: expansion === 1,
        ...artFields(file, artIndex),
      })),
    };
  });
}

function decodeSealed(file: CatalogueFile): CatalogueProduct[] {
  return file.sealed.map(([setType, productType, setIndex, name, printingIndex]) => {
    const fcId = `${setType}-${productType}`;
    const productKey: ProductKey = `sealed:${fcId}`;
    return {
      productId: productIdOf(productKey),
      vendorProductId: null,
      name,
      number: null,
      otherNumbers: [],
      imageUrl: '',
      description: '',
      ...setFields(file, setIndex),
      sealed: { setType, productType },
      ...NOT_A_CARD,
      variants: [
        {
          ...variantFields(file, productKey, printingIndex),
          fcId,
          rarity: null,
          isExpansionSlot: false,
          treatments: [],
          artists: [],
        },
      ],
    };
  });
}

function cardFields(file: CatalogueFile, position: number) {
  const [name, description, keywords, legality, otherFaces, ...main] = rowOf(file.cards, position, 'cards');
  const [legal, banned, restricted] = rowOf(file.legalities, legality, 'legalities');
  return {
    name,
    description,
    keywords: keywords.map((keyword) => rowOf(file.keywords, keyword, 'keywords')),
    legality: { legal, banned, restricted },
    otherFaces: otherFaces.map(faceFields),
    ...faceFields(main),
  };
}

function faceFields(row: CatalogueFile['cards'][number][4][number]): CardFace {
  const [cardType, cardSubType, cardClass, cost, defenseValue, pitchValue, talent, power, intellect, life] =
    row;
  return {
    cardType,
    cardSubType,
    class: cardClass,
    cost,
    defenseValue,
    pitchValue,
    talent,
    power,
    intellect,
    life,
  };
}

function artFields(file: CatalogueFile, position: number) {
  const [artists, treatments] = rowOf(file.arts, position, 'arts');
  return { artists, treatments };
}

function setFields(file: CatalogueFile, position: number) {
  const [setCode, setName, releaseDate] = rowOf(file.sets, position, 'sets');
  return { setCode, setName, releaseDate };
}

function variantFields(file: CatalogueFile, productKey: ProductKey, position: number) {
  const [variantName, edition, finish] = rowOf(file.printings, position, 'printings');
  return { variantId: variantIdOf(productKey, variantName), variantName, edition, finish };
}

function rowOf<Row>(table: readonly Row[], position: number, name: string): Row {
  const row = table[position];
  if (row === undefined) throw new Error(`its content is damaged: ${name} has no row ${position}`);
  return row;
}

// Crockford's base32 in lower case: no letters that look alike in an id read aloud.
const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
const DIGEST_CHARACTERS = 16;

/** The first 80 bits of the SHA-256, five bits to a character. */
function digest(input: string): string {
  const hash = createHash('sha256').update(input).digest();
  let characters = '';
  for (let i = 0; i < DIGEST_CHARACTERS; i++) {
    const bit = i * 5;
    const pair = hash.readUInt16BE(bit >> 3);
    characters += BASE32[(pair >> (11 - (bit & 7))) & 31];
  }
  return characters;
}
