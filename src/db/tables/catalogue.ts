import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  pgView,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';
import type { CardFace, Legality } from '../../domain/catalogue.ts';
import type { EvDistribution } from '../../domain/ev-distribution.ts';
import type { ExpectedValueCategory } from '../../domain/expected-value.ts';
import { decimal, idText, nameText } from './types.ts';

/** The catalogue and the market: the same for every account, with no key to a tenant table (docs/decisions.md#accounts-and-clients). */

export const product = pgTable('product', {
  id: idText().primaryKey(),
  vendorProductId: integer('vendor_product_id'),
  name: nameText().notNull(),
  number: text(),
  /** Those of its back, and of cards that the vendor sells as the same. */
  otherNumbers: jsonb('other_numbers').$type<string[]>().notNull().default([]),
  /** Natural order: digits padded, so that WTR2 sorts before WTR10; `~` (after all others) where there is no number. */
  numberKey: idText('number_key').notNull(),
  imageUrl: text('image_url').notNull(),
  description: text().notNull(),
  setCode: idText('set_code').notNull(),
  setName: text('set_name').notNull(),
  releaseDate: date('release_date', { mode: 'string' }),
  /** Both null for cards. */
  sealedSetType: idText('sealed_set_type'),
  sealedProductType: text('sealed_product_type'),
  cardType: text('card_type'),
  cardSubType: text('card_sub_type'),
  class: text(),
  rarity: text(),
  cost: text(),
  defenseValue: text('defense_value'),
  pitchValue: text('pitch_value'),
  talent: text(),
  power: text(),
  intellect: text(),
  life: text(),
  otherFaces: jsonb('other_faces').$type<CardFace[]>().notNull().default([]),
  keywords: jsonb().$type<string[]>().notNull().default([]),
  /** Null where no source has told. */
  legality: jsonb().$type<Legality>(),
});

export const variant = pgTable(
  'variant',
  {
    id: idText().primaryKey(),
    productId: idText('product_id')
      .notNull()
      .references(() => product.id),
    name: nameText().notNull(),
    /** The place among the product's variants. */
    position: integer().notNull(),
    fcId: text('fc_id').notNull().unique(),
    setCode: idText('set_code').notNull(),
    edition: text(),
    finish: text().notNull(),
    rarity: text(),
    isExpansionSlot: boolean('is_expansion_slot').notNull(),
    treatments: jsonb().$type<string[]>().notNull().default([]),
    artists: jsonb().$type<string[]>().notNull().default([]),
  },
  (t) => [index('variant_product').on(t.productId, t.position)],
);

/** The latest market price of a variant; no row, or a null, where none is known. */
export const price = pgTable(
  'price',
  {
    variantId: idText('variant_id')
      .notNull()
      .references(() => variant.id),
    source: text().notNull(),
    currency: text().notNull(),
    amount: decimal(),
    asOf: date('as_of', { mode: 'string' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.variantId, t.source] }),
    check('price_amount', sql`${t.amount} >= 0 and ${t.amount} < 'Infinity'`),
  ],
);

/**
 * A variant's prices of a year, a row for all of them: each day on which the price became another, ascending, with the
 * price that holds until the next one. So a day takes few bytes, and a history a few rows.
 */
export const priceYear = pgTable(
  'price_year',
  {
    variantId: idText('variant_id')
      .notNull()
      .references(() => variant.id),
    source: text().notNull(),
    year: integer().notNull(),
    days: date({ mode: 'string' }).array().notNull(),
    currencies: text().array().notNull(),
    /** Null from the day on which no price is known any more. */
    amounts: decimal().array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.variantId, t.source, t.year] }),
    check(
      'price_year_days',
      sql`${t.days}[1] >= make_date(${t.year}, 1, 1) and ${t.days}[cardinality(${t.days})] <= make_date(${t.year}, 12, 31)`,
    ),
    check(
      'price_year_lengths',
      sql`cardinality(${t.days}) > 0 and cardinality(${t.currencies}) = cardinality(${t.days}) and cardinality(${t.amounts}) = cardinality(${t.days})`,
    ),
    check('price_year_amounts', sql`0 <= all (${t.amounts}) and 'Infinity' > all (${t.amounts})`),
  ],
);

/** The same with a row a day: for what reads few, and for versions of the code from before `price_year`. */
export const priceHistory = pgView('price_history', {
  variantId: idText('variant_id'),
  source: text(),
  day: date({ mode: 'string' }),
  currency: text(),
  amount: decimal(),
}).as(
  sql`select variant_id, source, day, currency, amount from price_year, unnest(days, currencies, amounts) as step(day, currency, amount)`,
);

/** The days of which prices were imported: those that price alerts are judged by. */
export const priceDay = pgTable('price_day', {
  day: date({ mode: 'string' }).primaryKey(),
});

/**
 * What movers compare: the latest price of a variant, and those at the end of the days so long before the newest ones. It follows from
 * `price` and `price_year`; a variant whose price was not known before has no row.
 */
export const priceMove = pgTable(
  'price_move',
  {
    variantId: idText('variant_id').notNull(),
    source: text().notNull(),
    currency: text().notNull(),
    /** Null, as those of the past, where none is known. */
    amount: decimal(),
    dayCurrency: text('day_currency'),
    dayAmount: decimal('day_amount'),
    weekCurrency: text('week_currency'),
    weekAmount: decimal('week_amount'),
    monthCurrency: text('month_currency'),
    monthAmount: decimal('month_amount'),
    yearCurrency: text('year_currency'),
    yearAmount: decimal('year_amount'),
  },
  (t) => [primaryKey({ columns: [t.variantId, t.source] })],
);

/**
 * What market indexes are made of (domain/market-index.ts): the prices of the cards of a set, of a rarity or of all, summed up for each
 * day on which one of them became another, by their currencies. It follows from `price_year` and the catalogue.
 */
export const indexDay = pgTable(
  'index_day',
  {
    source: text().notNull(),
    /** `All`, `Set` or `Rarity`. */
    scope: text().notNull(),
    /** The code of the set, the rarity, or nothing. */
    key: text().notNull(),
    day: date({ mode: 'string' }).notNull(),
    currency: text().notNull(),
    /** The sum of the prices that are known at the end of the day, and how many they are. */
    total: decimal().notNull(),
    priced: integer().notNull(),
    /** Of them, those of variants that had no price the day before. */
    entered: decimal().notNull(),
    enteredCount: integer('entered_count').notNull(),
    /** The prices of the day before that are not known any more. */
    departed: decimal().notNull(),
    departedCount: integer('departed_count').notNull(),
    /** The sum of ln(price ÷ price of the day before) over those that have both. */
    logGrowth: doublePrecision('log_growth').notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.scope, t.key, t.day, t.currency] })],
);

/** Sales per day of a variant. */
export const saleVolumes = pgTable('sale_volumes', {
  variantId: idText('variant_id')
    .primaryKey()
    .references(() => variant.id),
  /** The day of the last number. */
  through: date({ mode: 'string' }).notNull(),
  /** Numbers of sales per day, oldest first. */
  daily: jsonb().$type<number[]>().notNull(),
  total: integer().notNull(),
});

/** The ECB's reference rates: units of the currency for one euro. */
export const fxRate = pgTable(
  'fx_rate',
  {
    currency: text().notNull(),
    day: date({ mode: 'string' }).notNull(),
    perEuro: decimal('per_euro').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.currency, t.day] }),
    check('fx_rate_per_euro', sql`${t.perEuro} > 0 and ${t.perEuro} < 'Infinity'`),
  ],
);

/** Where a currency has no rate for more than ten days, between two that it has: the days of both. It follows from `fx_rate`. */
export const rateGap = pgTable(
  'rate_gap',
  {
    currency: text().notNull(),
    lastDay: date('last_day', { mode: 'string' }).notNull(),
    nextDay: date('next_day', { mode: 'string' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.currency, t.lastDay] })],
);

/** Days whose exchange rates an import has changed, until the ledgers have the new ones. */
export const rateChange = pgTable('rate_change', {
  id: uuid().primaryKey().defaultRandom(),
  /** `-infinity` where a currency has no older rate, which counts for all days before. */
  firstDay: date('first_day', { mode: 'string' }).notNull(),
  /** `infinity` where a currency has no newer rate. */
  lastDay: date('last_day', { mode: 'string' }).notNull(),
});

/** The published odds of one set and edition, as the pull-rates file has them. */
export const pullRateSet = pgTable('pull_rate_set', {
  setType: idText('set_type').primaryKey(),
  rates: jsonb().notNull(),
});

/** The expected value of a sealed product, in US dollars, made when prices or pull rates are imported. */
export const productEv = pgTable(
  'product_ev',
  {
    setType: idText('set_type').notNull(),
    productType: text('product_type').notNull(),
    productId: idText('product_id')
      .notNull()
      .references(() => product.id),
    estimatedValue: decimal('estimated_value').notNull(),
    marketPrice: decimal('market_price').notNull(),
    releaseDate: date('release_date', { mode: 'string' }),
    warning: text(),
    categories: jsonb().$type<ExpectedValueCategory[]>().notNull(),
    packsPerBox: integer('packs_per_box').notNull(),
    /** The spread of what the product returns, in US dollars; null where its cards have no price. */
    distribution: jsonb().$type<EvDistribution>(),
  },
  (t) => [primaryKey({ columns: [t.setType, t.productType] })],
);

/** The expected value of a sealed product on each day of an import, in US dollars. */
export const productEvHistory = pgTable(
  'product_ev_history',
  {
    setType: idText('set_type').notNull(),
    productType: text('product_type').notNull(),
    day: date({ mode: 'string' }).notNull(),
    estimatedValue: decimal('estimated_value').notNull(),
    marketPrice: decimal('market_price').notNull(),
  },
  (t) => [primaryKey({ columns: [t.setType, t.productType, t.day] })],
);

/** One row a kind of market data: where it stands, and whether it is the made-up sample. */
export const marketData = pgTable('market_data', {
  kind: text().primaryKey(),
  /** What was imported last, e.g. a digest of the file. */
  version: text().notNull(),
  isSample: boolean('is_sample').notNull(),
  /** The newest day that the data covers. */
  newestDay: date('newest_day', { mode: 'string' }),
  revision: bigint({ mode: 'number' }).notNull(),
  /** Of the last import; where that was before this column, of the migration. */
  importedAt: timestamp('imported_at', { withTimezone: true }).notNull().defaultNow(),
});

/** One row a kind of market data that is pulled: when that was, and who may try next. */
export const marketPull = pgTable('market_pull', {
  kind: text().primaryKey(),
  /** The end of the last pull that succeeded. */
  pulledAt: timestamp('pulled_at', { withTimezone: true }),
  /** Nobody begins before: another process pulls, or a failure is not to be repeated at once. */
  notBefore: timestamp('not_before', { withTimezone: true }).notNull(),
  /** Since the last success. */
  tries: integer().notNull(),
});
