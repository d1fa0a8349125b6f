import type { OpenDatabase } from '../../src/db/client.ts';
import type { CardCondition, Language } from '../../src/domain/transactions.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { NOW, pricedVariants, type TestApp } from '../harness.ts';

/** What a service is given by the account of the app. */
export function contextOf(db: OpenDatabase, { accountId }: TestApp): Context {
  return { db, caller: { accountId, clientId: 'cli_test' }, now: () => NOW };
}

export interface Entry {
  variantId: string;
  occurredDate: string;
  action: 'Purchase' | 'Sale';
  quantity: number;
  unitAmount: { currency: string; value: number };
  cardCondition?: CardCondition;
  grade?: { company: string; grade: string; certificate?: string };
  language?: Language;
  notes?: string;
  tags?: string[];
  costUnknown?: boolean;
}

/** A purchase of one card for 1 US dollar on the day of the tests' rates, unless told otherwise. */
export function entry(variantId: string, changes: Partial<Entry> = {}): Entry {
  return {
    variantId,
    occurredDate: '2026-04-13',
    action: 'Purchase',
    quantity: 1,
    unitAmount: { currency: 'USD', value: 1 },
    ...changes,
  };
}

/** The same as GraphQL has it. */
export function graphqlEntry(variantId: string, changes: Partial<Entry> = {}) {
  const { action, cardCondition, ...rest } = entry(variantId, changes);
  return {
    ...rest,
    action: action.toUpperCase(),
    ...(cardCondition && { cardCondition: cardCondition.replace(/(?<=[a-z])(?=[A-Z])/, '_').toUpperCase() }),
  };
}

/** Variants of every kind that an order may stumble over: without a price or number, of one product, with accents. */
export async function oddVariants(db: OpenDatabase): Promise<string[]> {
  const ids = async (text: string) => (await db.query<{ id: string }>(text)).map(({ id }) => id);
  return [
    ...(await ids(
      'select v.id from variant v left join price p on p.variant_id = v.id where p.amount is null order by v.id limit 3',
    )),
    ...(await ids(
      'select v.id from variant v join product p on p.id = v.product_id where p.number is null order by v.id limit 3',
    )),
    ...(await ids(
      `select id from variant where product_id =
         (select product_id from variant group by product_id having count(*) = 4 order by product_id limit 1)
       order by id`,
    )),
    ...(await ids(
      `select v.id from variant v join product p on p.id = v.product_id
       where p.name ~ '[^ -~]' or p.name ~ '^[^A-Za-z]' order by v.id limit 4`,
    )),
  ];
}

/** The collection `stocked` has transactions of every kind; the others tie in name, value and gain. */
export interface Furnished {
  stocked: string;
  variantIds: string[];
  collectionIds: string[];
}

/** An account with 14 collections; one of them holds 26 variants by 46 transactions. */
export async function furnish(db: OpenDatabase, app: TestApp): Promise<Furnished> {
  const ctx = contextOf(db, app);
  const variantIds = [...new Set([...(await oddVariants(db)), ...(await pricedVariants(db, 14))])].slice(
    0,
    26,
  );
  const names = [
    'Zoo',
    'éclair',
    'Eclair',
    'eclair',
    'Éclair',
    'zoo',
    '10',
    '9',
    'ß',
    'Binder',
    'Binder',
    'Binder',
    '_',
    'Åse',
  ];
  const collectionIds: string[] = [];
  for (const name of names) collectionIds.push((await createCollection(ctx, { name })).id);
  const [stocked, ...others] = collectionIds as [string, ...string[]];
  await createTransactions(ctx, stocked, entriesOf(variantIds));
  for (const [i, id] of others.slice(0, 9).entries()) {
    // Each third has the same contents as another one.
    const variantId = variantIds[13 + Math.floor(i / 3)]!;
    await createTransactions(ctx, id, [
      entry(variantId, { quantity: 1 + (i % 2), unitAmount: { currency: 'EUR', value: 0.1 } }),
    ]);
    if (i < 4)
      await updateCollection(ctx, id, {
        valued: true,
        pinned: i % 2 === 0,
        image: i,
        description: `No. ${i}`,
      });
  }
  return { stocked, variantIds, collectionIds };
}

/** What is said of the cards; nothing of every other transaction. */
const DETAILS: Partial<Entry>[] = [
  { cardCondition: 'NearMint', language: 'JA', notes: 'A note\nof two lines', tags: ['for trade', '=1+1'] },
  {},
  { grade: { company: 'PSA', grade: '10', certificate: '0012' }, cardCondition: 'HeavilyPlayed' },
  { grade: { company: 'BGS', grade: '9.5' } },
];

function entriesOf(variantIds: string[]): Entry[] {
  const days = ['2026-04-13', '2020-02-29', '1970-01-01', '2026-04-14'];
  const amounts = [
    { currency: 'USD', value: 1 },
    { currency: 'JPY', value: 77.5 },
    { currency: 'EUR', value: 0.3333 },
    { currency: 'NZD', value: 1200 },
  ];
  const first = variantIds.map((variantId, i) =>
    entry(variantId, {
      occurredDate: days[i % 4]!,
      quantity: 1 + (i % 3),
      unitAmount: amounts[i % 4]!,
      // Some were sold that never were bought.
      action: i % 9 === 5 ? 'Sale' : 'Purchase',
      ...DETAILS[i % 4],
      // Of some nobody knows what they cost.
      ...(i % 9 === 7 && { unitAmount: { ...amounts[i % 4]!, value: 0 }, costUnknown: true }),
    }),
  );
  // Some are sold out, some oversold.
  const second = variantIds.slice(0, 20).map((variantId, i) =>
    entry(variantId, {
      occurredDate: days[(i * 3) % 4]!,
      quantity: 1 + (i % 4),
      unitAmount: amounts[(i + 1) % 4]!,
      action: i % 2 === 0 ? 'Sale' : 'Purchase',
    }),
  );
  return [...first, ...second];
}

export interface WorkedExample {
  collectionId: string;
  transactionIds: string[];
  variantId: string;
  productId: string;
  /** Market price in US dollars, with two decimals. */
  price: string;
}

/** A collection in which 4 of a variant were bought at 10.00, and 1 sold at 15.00. */
export async function recordWorkedExample(db: OpenDatabase, app: TestApp): Promise<WorkedExample> {
  const ctx = contextOf(db, app);
  const [variantId] = (await pricedVariants(db, 1)) as [string];
  const { id: collectionId } = await createCollection(ctx, { name: 'Example' });
  const transactions = await createTransactions(ctx, collectionId, [
    entry(variantId, { quantity: 4, unitAmount: { currency: 'USD', value: 10 } }),
    entry(variantId, { action: 'Sale', unitAmount: { currency: 'USD', value: 15 } }),
  ]);
  const [priced] = await db.query<{ amount: string; productId: string }>(
    `select round(amount, 2) as amount, product_id as "productId" from price join variant v on v.id = variant_id where v.id = $1`,
    [variantId],
  );
  return {
    collectionId,
    transactionIds: transactions.map(({ id }) => id),
    variantId,
    productId: priced!.productId,
    price: priced!.amount,
  };
}
