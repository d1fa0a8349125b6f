import { REALIZED_YEARS } from '../../db/queries/history.ts';
import type { CostBasis, OrderedBasis } from '../../domain/cost-basis.ts';
import type { Currency } from '../../domain/currencies.ts';
import { fixedText } from '../../domain/fixed-point.ts';
import { YearInput } from '../../domain/inputs.ts';
import { derivedMoney, difference, type Money } from '../../domain/money.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { addSalesByYear, type YearOfSales } from '../../domain/realized-gains.ts';
import { memoryOf } from '../../memory/memory.ts';
import type { RealizedYears } from '../../memory/realized.ts';
import { type Context, observed } from '../context.ts';
import { statesOf } from '../summaries/ledgers.ts';
import { gone } from './history.ts';
import { eachSoldVariant } from './sold-entries.ts';

/** What the sales of a year brought. */
export interface RealizedGains {
  year: number;
  method: CostBasis;
  /** Cards sold. */
  quantity: number;
  proceeds: Money;
  /** What they had cost, by the method. */
  cost: Money;
  gain: Money;
  /** Cards sold whose cost is not known, or in part: what is unknown counts as 0. */
  unknownCost: number;
}

/**
 * What was realised in each year, of all years at once: by the average, the profit of a collection at the end of the year less
 * that at the end of the year before, each by the transactions up to then; where the order counts, what the sales of the year
 * brought less what they had cost. So a year that is past does not change with what comes later, and all years add up to the
 * profit (docs/decisions.md#realised-gains). `realizedIn` gives one of them.
 */
export async function getRealizedYears(
  ctx: Context,
  collectionIds: readonly string[],
  basis: CostBasis,
): Promise<RealizedYears[]> {
  const kept = memoryOf(ctx.db).realizedYears;
  const found = new Map<string, RealizedYears>();
  const states = collectionIds.every((id) => kept.has(id, basis)) ? await statesOf(ctx, collectionIds) : [];
  for (const { id, ledgerState } of states) {
    const known = kept.inState(id, basis, ledgerState);
    if (known) found.set(id, known);
  }
  const others = collectionIds.filter((id) => !found.has(id));
  const read = basis === 'Average' ? await averageYears(ctx, others) : await orderedYears(ctx, others, basis);
  for (const { id, ...years } of read) {
    kept.keep(id, basis, years);
    found.set(id, years);
  }
  observed(ctx, [...found.values()]);
  return collectionIds.map((id) => found.get(id) ?? gone(ctx));
}

type ReadYears = RealizedYears & { id: string };

async function averageYears({ db, caller }: Context, ids: readonly string[]): Promise<ReadYears[]> {
  if (ids.length === 0) return [];
  return db.query<ReadYears>(REALIZED_YEARS, [caller.accountId, JSON.stringify(ids)]);
}

async function orderedYears(ctx: Context, ids: readonly string[], basis: OrderedBasis): Promise<ReadYears[]> {
  const read: ReadYears[] = [];
  for (const id of ids) read.push(await yearsOf(ctx, id, basis));
  return read;
}

async function yearsOf(ctx: Context, id: string, basis: OrderedBasis): Promise<ReadYears> {
  const sums = new Map<number, YearOfSales>();
  const { currency, ledgerState } = await eachSoldVariant(ctx, id, (_, entries) =>
    addSalesByYear(sums, basis, entries),
  );
  const years = [...sums].map(([year, { sold, proceeds, cost, unknown }]) => ({
    year,
    sold,
    proceeds: fixedText(proceeds),
    gain: fixedText(proceeds - cost),
    unknown,
  }));
  return { id, currency, state: ledgerState, years };
}

/** Throws `ValidationFailed`. */
export function realizedIn(
  { currency, years }: RealizedYears,
  year: number,
  method: CostBasis,
): RealizedGains {
  parseInput(YearInput, year, ['year']);
  const money = (exact: string) => derivedMoney(currency as Currency, exact);
  const { sold, proceeds, gain, unknown } = years.find((sums) => sums.year === year) ?? NOTHING;
  return {
    year,
    method,
    quantity: sold,
    proceeds: money(proceeds),
    cost: money(difference(proceeds, gain)),
    gain: money(gain),
    unknownCost: unknown,
  };
}

const NOTHING = { sold: 0, proceeds: '0', gain: '0', unknown: 0 };
