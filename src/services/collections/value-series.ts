import { LEDGERS_BY_DAY, type LedgerByDayRow } from '../../db/queries/history.ts';
import { dateOfDay, dayNumber } from '../../domain/dates.ts';
import { fixed } from '../../domain/fixed-point.ts';
import { holdingDays, type LedgerDay } from '../../domain/holding-days.ts';
import type { PriceYear } from '../../domain/price-changes.ts';
import type { HeldSteps, HoldingDay, RateOn, ValueSeries } from '../../domain/value-series.ts';
import { fewAtATime } from '../../lib/few-at-a-time.ts';
import { mappedInParts, type Parts } from '../../lib/parts.ts';
import { getPreferences } from '../accounts/preferences.ts';
import { type Context, observed, readInTurns } from '../context.ts';
import { changesOf, PRICES_AT_ONCE, readPrices, readRates } from '../past-prices.ts';

/** The ledgers of a collection, or of several that are summed up, by days. */
export interface Ledgers {
  currency: string;
  priceSource: string;
  variants: readonly VariantLedger[];
}

interface VariantLedger {
  variantId: string;
  /** In their order; the first may stand for all up to it. */
  days: readonly HoldingDay[];
}

const oneOfAnAccount = fewAtATime(1);

/**
 * Ledgers that are read and valued take some 300 bytes a transaction meanwhile: those of an account one after the other. In a database
 * transaction they wait for those of that one alone: while it is open others may wait for its place of the database.
 */
export function valuing<T>({ caller, db }: Context, work: () => Promise<T>): Promise<T> {
  return oneOfAnAccount(db.isTransaction ? db : caller.accountId, work);
}

/**
 * The ledgers of collections by their ids: what was recorded on each of the days to `to`, that up to `opening` as of this day. Those that
 * do not exist any more are missing.
 *
 * @param ids of collections, or `valued` for those of the dashboard
 */
export async function readLedgers(
  ctx: Context,
  ids: readonly string[] | 'valued',
  opening: string,
  to: string,
): Promise<Map<string, Ledgers>> {
  const params = [ctx.caller.accountId, ids === 'valued' ? null : JSON.stringify(ids), opening, to];
  const rows = observed(ctx, await ctx.db.query<LedgerByDayRow>(LEDGERS_BY_DAY, params));
  return readInTurns(ctx, ledgersIn(rows));
}

/** The same of all collections that are valued, as one. */
export async function readValuedLedgers(ctx: Context, opening: string, to: string): Promise<Ledgers> {
  const ledgers = [...(await readLedgers(ctx, 'valued', opening, to)).values()];
  const { preferredCurrency, preferredPriceSource } = await getPreferences(ctx);
  return {
    currency: ledgers[0]?.currency ?? preferredCurrency,
    priceSource: ledgers[0]?.priceSource ?? preferredPriceSource,
    variants: ledgers.flatMap(({ variants }) => variants),
  };
}

function* ledgersIn(rows: readonly LedgerByDayRow[]): Parts<Map<string, Ledgers>> {
  const ledgers = new Map<string, Ledgers & { variants: VariantLedger[] }>();
  for (const { collectionId, currency, source, variantId, entries } of rows) {
    const ledger = ledgers.get(collectionId) ?? { currency, priceSource: source, variants: [] };
    ledgers.set(collectionId, ledger);
    if (variantId !== null) {
      const days = yield* holdingDays(yield* mappedInParts(entries!.split(','), ledgerDayOf));
      ledger.variants.push({ variantId, days });
    }
    yield;
  }
  return ledgers;
}

function ledgerDayOf(text: string): LedgerDay {
  const [day, bought, cost, unknown, sold, proceeds, relieved] = text.split(' ') as LedgerDayText;
  return {
    day: dayNumber(day),
    bought: Number(bought),
    cost: fixed(cost),
    boughtUnknown: Number(unknown),
    sold: Number(sold),
    proceeds: fixed(proceeds),
    relieved: relieved === undefined ? undefined : fixed(relieved),
  };
}

type LedgerDayText = [
  day: string,
  bought: string,
  cost: string,
  boughtUnknown: string,
  sold: string,
  proceeds: string,
  relieved?: string,
];

/** Ledgers, and the series that they are valued in. */
export interface Valued {
  ledgers: Ledgers;
  series: ValueSeries;
}

/** What is held of a variant, and the series that it is part of. */
interface Held {
  series: ValueSeries;
  held: HeldSteps;
}

/**
 * Adds ledgers of one price source, in one currency, to a series each, and values them: their prices are read once, however many
 * hold a variant. Gives the rates of the days from the first of all to the last.
 */
export async function valueLedgers(ctx: Context, valued: readonly Valued[]): Promise<RateOn> {
  const [first] = valued;
  if (!first) return () => undefined;
  const holders = await readInTurns(ctx, holdersIn(valued));
  const days = valued.flatMap(({ series }) => [series.days[0]!, series.days.at(-1)!]);
  const range = [dateOfDay(Math.min(...days)), dateOfDay(Math.max(...days))] as const;
  const ids = [...holders.keys()];
  for (let start = 0; start < ids.length; start += PRICES_AT_ONCE) {
    const some = ids.slice(start, start + PRICES_AT_ONCE);
    const prices = await readPrices(ctx, some, first.ledgers.priceSource, range);
    await readInTurns(ctx, pricesAdded(some, prices, holders));
  }
  const currencies = new Set(valued.flatMap(({ series }) => series.currencies));
  return readRates(ctx, currencies, first.ledgers.currency, range);
}

function* holdersIn(valued: readonly Valued[]): Parts<Map<string, Held[]>> {
  const holders = new Map<string, Held[]>();
  for (const { ledgers, series } of valued) {
    for (const { variantId, days } of ledgers.variants) {
      const held = { series, held: yield* series.addHolding(days) };
      const others = holders.get(variantId);
      if (others) others.push(held);
      else holders.set(variantId, [held]);
      yield;
    }
  }
  return holders;
}

function* pricesAdded(
  variantIds: readonly string[],
  years: readonly PriceYear[],
  holders: ReadonlyMap<string, readonly Held[]>,
): Parts<void> {
  for (const [variantId, prices] of changesOf(variantIds, years)) {
    for (const { series, held } of holders.get(variantId)!) series.addPrices(held, prices);
    yield;
  }
}
