import { z } from 'zod';
import { csvRows } from './csv-file.ts';
import {
  type ByteSource,
  checkedRows,
  firstCharacter,
  ImportFileError,
  RejectedRow,
  type RowPlace,
  type Rows,
  sourceOf,
} from './import-file.ts';
import { jsonItems } from './json-items.ts';
import { type SealedName, sealedNameOf } from './sealed-names.ts';
import { amountField, firstProblem, idField, isAmount, isVendorId } from './values.ts';

/** The vendor's category of Flesh and Blood. */
export const FLESH_AND_BLOOD = 62;

/** The vendor's market price of a product's variant, in US dollars. */
export interface VendorPrice {
  place: RowPlace;
  vendorProductId: number;
  variantName: string;
  /** Decimal text; null where the vendor has none. */
  amount: string | null;
}

export interface TcgcsvFile {
  prices: Rows<VendorPrice>;
  /** The products that are sealed ones by their name, by the vendor's product id. */
  sealed: Map<number, SealedName>;
}

/**
 * Reads a file of TCGCSV: `products` or `prices` of a group (JSON), or its `ProductsAndPrices.csv`. Throws an
 * `ImportFileError` for what is broken, and for products of other games.
 */
export async function readTcgcsv(input: string | ByteSource): Promise<TcgcsvFile> {
  const source = sourceOf(input);
  const records = (await firstCharacter(source)) === '{' ? jsonRecords : csvRecords;
  const sealed = new Map<number, SealedName>();
  const prices = await checkedRows(() => pricesAmong(records(source), sealed));
  return { prices, sealed };
}

/** A product that is sealed by its name. */
interface Sealed {
  vendorProductId: number;
  sealed: SealedName;
}

type TcgcsvRecord = VendorPrice | Sealed | RejectedRow;

async function* pricesAmong(
  records: AsyncIterable<TcgcsvRecord>,
  sealed: Map<number, SealedName>,
): AsyncGenerator<VendorPrice | RejectedRow> {
  for await (const record of records) {
    if ('sealed' in record) sealed.set(record.vendorProductId, record.sealed);
    else yield record;
  }
}

const PRICE_COLUMNS = ['lowPrice', 'midPrice', 'highPrice', 'directLowPrice'] as const;

async function* csvRecords(source: ByteSource): AsyncGenerator<TcgcsvRecord> {
  const rows = csvRows(source, {
    delimiter: ',',
    required: ['productId', 'subTypeName', 'marketPrice'],
    optional: ['name', 'categoryId', ...PRICE_COLUMNS],
  });
  for await (const { line, values } of rows) {
    const place = { file: source.name, line };
    const fail = (problem: string) => {
      throw new ImportFileError(source.name, line, problem);
    };
    if (!isVendorId(values.productId))
      fail(`productId: expected a whole number above 0, found "${values.productId}"`);
    const vendorProductId = Number(values.productId);
    if (values.categoryId !== '') assertCategory(place, Number(values.categoryId));
    for (const column of ['marketPrice', ...PRICE_COLUMNS] as const) {
      const text = values[column];
      if (text !== '' && !isAmount(text)) fail(`${column}: expected an amount, found "${text}"`);
    }
    const sealed = sealedNameOf(values.name);
    if (sealed) yield { vendorProductId, sealed };
    if (values.subTypeName === '') {
      yield new RejectedRow(place, 'no price', `product ${vendorProductId} has no price of any variant`);
    } else {
      const amount = values.marketPrice || null;
      yield { place, vendorProductId, variantName: values.subTypeName, amount };
    }
  }
}

const productItem = z.object({
  productId: idField,
  name: z.string(),
  categoryId: idField.optional(),
});

const priceItem = z.object({
  productId: idField,
  subTypeName: z.string().min(1),
  marketPrice: amountField.nullable(),
  lowPrice: amountField.nullish(),
  midPrice: amountField.nullish(),
  highPrice: amountField.nullish(),
  directLowPrice: amountField.nullish(),
});

async function* jsonRecords(source: ByteSource): AsyncGenerator<TcgcsvRecord> {
  for await (const { line, value } of jsonItems(source, 'results', assertSuccess)) {
    const place = { file: source.name, line };
    if ('subTypeName' in (value as object)) {
      const { productId, subTypeName, marketPrice } = parsed(place, priceItem, value);
      yield { place, vendorProductId: productId, variantName: subTypeName, amount: marketPrice };
    } else {
      const { productId, name, categoryId } = parsed(place, productItem, value);
      if (categoryId !== undefined) assertCategory(place, categoryId);
      const sealed = sealedNameOf(name);
      if (sealed) yield { vendorProductId: productId, sealed };
    }
  }
}

function parsed<Item>({ file, line }: RowPlace, schema: z.ZodType<Item>, value: unknown): Item {
  const result = schema.safeParse(value);
  if (!result.success) throw new ImportFileError(file, line, firstProblem(result.error));
  return result.data;
}

function assertCategory({ file, line }: RowPlace, categoryId: number): void {
  if (categoryId === FLESH_AND_BLOOD) return;
  const problem = `category ${categoryId} is another game; Flesh and Blood is category ${FLESH_AND_BLOOD}`;
  throw new ImportFileError(file, line, problem);
}

/** Throws the problem of an answer that says that it failed. */
function assertSuccess({ success, errors }: Record<string, unknown>): void {
  const all = Array.isArray(errors) ? errors.map(String) : [];
  if (success === false || all.length > 0) {
    throw new Error(`it holds no data but a failure (${all.join('; ') || 'success is false'})`);
  }
}

const groupItem = z.object({ groupId: idField, name: z.string(), categoryId: idField });

/** The groups of a `groups` answer: the vendor's sets. */
export async function readTcgcsvGroups(
  input: string | ByteSource,
): Promise<{ groupId: number; name: string }[]> {
  const source = sourceOf(input);
  const groups: { groupId: number; name: string }[] = [];
  for await (const { line, value } of jsonItems(source, 'results', assertSuccess)) {
    const place = { file: source.name, line };
    const { groupId, name, categoryId } = parsed(place, groupItem, value);
    assertCategory(place, categoryId);
    groups.push({ groupId, name });
  }
  return groups;
}
