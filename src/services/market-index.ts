import { CARD_RARITIES, CARD_SETS, INDEX_DAYS, type IndexDayRow } from '../db/queries/market-index.ts';
import { addDays, dateOf, dateOfDay, dayNumber } from '../domain/dates.ts';
import { didYouMean } from '../domain/did-you-mean.ts';
import { validationFailed } from '../domain/errors.ts';
import { fixed } from '../domain/fixed-point.ts';
import { historyDays, type Interval } from '../domain/history.ts';
import { SetCode } from '../domain/inputs.ts';
import {
  type IndexDay,
  type IndexScope,
  type IndexWeighting,
  indexValues,
  RarityKey,
} from '../domain/market-index.ts';
import { parseInput } from '../domain/parse-input.ts';
import { type Context, observed } from './context.ts';
import { readRates } from './past-prices.ts';

export interface IndexAsked {
  /** The code of a set. */
  set?: string | null | undefined;
  rarity?: string | null | undefined;
  weighting: IndexWeighting;
  /** `YYYY-MM-DD`, as the last day. */
  from: string;
  to: string;
  interval: Interval;
}

/** What an index was at the end of a day. */
export interface IndexPoint {
  /** `YYYY-MM-DD` */
  date: string;
  /** Decimal text, 100 at the end of the day before the first, or of the first with a price; null before it. */
  value: string | null;
  /** Cards that were compared with the day before; on the first day with a price those that have one. */
  variants: number;
}

/**
 * The index of a set, of a rarity or of the whole game, in the caller's currency (docs/money.md#market-index). Throws
 * `ValidationFailed`, also for a set or a rarity that the catalogue does not have.
 */
export async function getMarketIndex(ctx: Context, asked: IndexAsked): Promise<IndexPoint[]> {
  const { from, to, interval, weighting } = asked;
  const days = historyDays(from, to, interval, dateOf(ctx.now()));
  const [scope, key] = scopeOf(asked);
  const opening = addDays(from, -1);
  const range = [opening, to] as const;
  const params = [ctx.caller.accountId, scope, key, ...range];
  const rows = observed(ctx, await ctx.db.query<IndexDayRow>(INDEX_DAYS, params));
  const changes = rows.flatMap((row) => (row.day === null ? [] : [indexDayOf(row, row.day)]));
  if (changes.length === 0) await assertKnown(ctx, scope, key);
  const currencies = new Set(changes.map(({ currency }) => currency));
  const rateOn = await readRates(ctx, currencies, rows[0]!.currency, range);
  const [, ...values] = indexValues(changes, [opening, ...days].map(dayNumber), rateOn, weighting);
  return values.map(({ day, ...point }) => ({ date: dateOfDay(day), ...point }));
}

function scopeOf({ set, rarity }: IndexAsked): [IndexScope, string] {
  if (set != null && rarity != null) {
    const detail = 'must be left out beside a set: an index is of a set, of a rarity or of all cards';
    throw validationFailed([{ path: ['rarity'], detail }]);
  }
  if (set != null) return ['Set', parseInput(SetCode, set, ['set'])];
  return rarity != null ? ['Rarity', parseInput(RarityKey, rarity, ['rarity'])] : ['All', ''];
}

/** Where there is no price, it may be that there is no such set or rarity. */
async function assertKnown({ db }: Context, scope: IndexScope, key: string): Promise<void> {
  if (scope === 'All') return;
  const rows = await db.query<{ key: string }>(scope === 'Set' ? CARD_SETS : CARD_RARITIES);
  const known = rows.map((row) => row.key);
  if (known.includes(key)) return;
  const detail =
    scope === 'Set'
      ? `must be the code of a set, e.g. WTR${didYouMean(key, known)}`
      : `must be one of ${known.join(', ')}`;
  throw validationFailed([{ path: [scope.toLowerCase()], detail }]);
}

function indexDayOf(row: IndexDayRow, day: string): IndexDay {
  return {
    day: dayNumber(day),
    currency: row.priceCurrency,
    total: fixed(row.total),
    priced: row.priced,
    entered: fixed(row.entered),
    enteredCount: row.enteredCount,
    departed: fixed(row.departed),
    departedCount: row.departedCount,
    logGrowth: row.logGrowth,
  };
}
