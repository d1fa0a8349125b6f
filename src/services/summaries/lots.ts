import type { Param } from '../../db/client.ts';
import { COUNT_HELD_TRANSACTIONS, HELD_LOTS, type HeldLotsRow } from '../../db/queries/cost-states.ts';
import { amountOf, costOf, shareOf } from '../../domain/cost-basis.ts';
import type { Currency } from '../../domain/currencies.ts';
import { fixedText } from '../../domain/fixed-point.ts';
import { parseSummaryId, summaryId } from '../../domain/ids.ts';
import { derivedMoney, givenMoney, type Money } from '../../domain/money.ts';
import { type CountedPage, type KeyRequest, pageOfList } from '../../domain/pagination.ts';
import { pointsOfReading } from '../../domain/read-points.ts';
import { mappedOneByOne } from '../../lib/parts.ts';
import { type Context, observed, readInTurns } from '../context.ts';
import { entriesIn, type RecordedEntry } from '../transactions/costs.ts';

/** Cards of a holding that were bought together. */
export interface HeldLot {
  transactionId: string;
  /** `YYYY-MM-DD` */
  boughtOn: string;
  quantityBought: number;
  quantityLeft: number;
  /** Of one card: what it came to with its part of fees and shipping, or by an average that; null where it is not known. */
  unitCost: Money | null;
  /** As it was given. */
  unitAmount: Money;
  /** What turned that into the currency of the cost, exact. */
  exchangeRate: string;
}

/** Pages of the lots of each summary, the oldest first: cards are sold first in first out, whatever they cost. */
export async function getLots(
  ctx: Context,
  summaryIds: readonly string[],
  request: KeyRequest,
): Promise<CountedPage<HeldLot>[]> {
  const keys = summaryIds.map(parseSummaryId).filter((key) => key !== null);
  const params = [ctx.caller.accountId, JSON.stringify(keys)];
  if (ctx.charge) {
    const [size] = await ctx.db.hot<{ count: number }>(COUNT_HELD_TRANSACTIONS, params);
    ctx.charge(pointsOfReading('lots', size!.count));
  }
  const rows = observed(ctx, await ctx.db.query<HeldLotsRow>(HELD_LOTS, [...params, ...placesOf(request)]));
  const pages = await readInTurns(
    ctx,
    mappedOneByOne(rows, (row) => pageIn(row, request)),
  );
  const found = new Map(rows.map((row, i) => [summaryId(row.collectionId, row.variantId), pages[i]!]));
  return summaryIds.map((id) => found.get(id) ?? pageOfList(request, 0, () => []));
}

/** As the statement takes them. */
function placesOf({ after, before, size, fromEnd }: KeyRequest): Param[] {
  return [after ? Number(after[0]) : -1, before ? Number(before[0]) : null, size, fromEnd];
}

function pageIn(row: HeldLotsRow, request: KeyRequest): CountedPage<HeldLot> {
  return pageOfList(request, row.count, () => lotsIn(row));
}

function lotsIn({ currency, costBasis, cardsHeld, cost, unknownCost, lines }: HeldLotsRow): HeldLot[] {
  if (lines === null) return [];
  const ofAll = costBasis === 'Fifo' ? null : shareOf(costOf(cost), 1, cardsHeld);
  const unitCostOf = (purchase: RecordedEntry) => {
    const isUnknown = ofAll === null ? purchase.isCostUnknown : unknownCost > 0;
    const exact = ofAll ?? shareOf(amountOf(purchase), 1, purchase.quantity);
    return isUnknown ? null : derivedMoney(currency as Currency, fixedText(exact));
  };
  return lines.split('\n').map((line) => {
    const behindLeft = line.indexOf(' ') + 1;
    const [purchase] = entriesIn(line.slice(behindLeft));
    const { id, occurred, quantity, unitAmount, currency: paidIn, rate } = purchase!;
    return {
      transactionId: id,
      boughtOn: occurred,
      quantityBought: quantity,
      quantityLeft: Number(line.slice(0, behindLeft - 1)),
      unitCost: unitCostOf(purchase!),
      unitAmount: givenMoney(paidIn, unitAmount),
      exchangeRate: rate,
    };
  });
}
