import { readPages } from '../../db/queries/page.ts';
import { COUNT_SALES, SALES, type SaleRow } from '../../db/queries/sales.ts';
import { amountOf, type CostBasis, partOf } from '../../domain/cost-basis.ts';
import type { Currency } from '../../domain/currencies.ts';
import { dayNumber } from '../../domain/dates.ts';
import { fixedText } from '../../domain/fixed-point.ts';
import { YearInput } from '../../domain/inputs.ts';
import { derivedMoney, givenMoney, type Money } from '../../domain/money.ts';
import { type KeyRequest, type Page, withoutGone } from '../../domain/pagination.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { pointsOfReading } from '../../domain/read-points.ts';
import { type RealizedSale, type SoldLot, salesAmong } from '../../domain/realized-gains.ts';
import { type Context, observed } from '../context.ts';
import type { RecordedEntry } from '../transactions/costs.ts';
import { checkState, eachVariant } from './sold-entries.ts';

/** Cards that were sold together. Amounts are in the currency of the collection, but for unit amounts, which are as given. */
export class SoldCards {
  readonly quantity: number;
  protected readonly currency: Currency;
  readonly #proceeds: bigint;
  readonly #cost: bigint;

  /** @param before cards of the sale that are told apart from these */
  constructor(sale: RecordedEntry, before: number, quantity: number, cost: bigint, currency: Currency) {
    this.quantity = quantity;
    this.currency = currency;
    this.#proceeds = partOf(amountOf(sale), sale.quantity, before, quantity);
    this.#cost = cost;
  }

  get proceeds(): Money {
    return derivedMoney(this.currency, fixedText(this.#proceeds));
  }

  get cost(): Money {
    return derivedMoney(this.currency, fixedText(this.#cost));
  }

  get gain(): Money {
    return derivedMoney(this.currency, fixedText(this.#proceeds - this.#cost));
  }
}

/** A sale, as a tax form asks for it. */
export class Sale extends SoldCards {
  readonly variantId: string;
  readonly transactionId: string;
  /** `YYYY-MM-DD` */
  readonly occurred: string;
  /** Of one card. */
  readonly unitAmount: Money;
  /** What turned that into the currency of the others, exact. */
  readonly exchangeRate: string;
  /** Cards whose cost is not known, or in part: what is unknown counts as 0. */
  readonly unknownCost: number;
  /** What was sold beyond what was held; it cost nothing but by the average. */
  readonly uncovered: SoldCards | null;
  readonly #realized: RealizedSale<RecordedEntry>;

  constructor(variantId: string, realized: RealizedSale<RecordedEntry>, currency: Currency) {
    const { sale, cost, lots, uncovered, unknownCost } = realized;
    super(sale, 0, sale.quantity, cost, currency);
    this.#realized = realized;
    this.variantId = variantId;
    this.transactionId = sale.id;
    this.occurred = sale.occurred;
    this.unitAmount = givenMoney(sale.currency, sale.unitAmount);
    this.exchangeRate = sale.rate;
    this.unknownCost = unknownCost;
    const costOfLots = lots.reduce((sum, lot) => sum + lot.cost, 0n);
    const covered = sale.quantity - uncovered;
    this.uncovered =
      uncovered === 0 ? null : new SoldCards(sale, covered, uncovered, cost - costOfLots, currency);
  }

  get lotCount(): number {
    return this.#realized.lots.length;
  }

  /** From one place to before another, the oldest purchase first: a sale can be of as many as there are. */
  lotsIn(start: number, end: number): SaleLot[] {
    const { sale, lots } = this.#realized;
    return lots.slice(start, end).map((lot) => new SaleLot(sale, lot, this.currency));
  }
}

/** The cards of a sale that were bought together. */
export class SaleLot extends SoldCards {
  readonly #sale: RecordedEntry;
  readonly #purchase: RecordedEntry;

  constructor(sale: RecordedEntry, lot: SoldLot<RecordedEntry>, currency: Currency) {
    const { purchase, before, quantity, cost } = lot;
    super(sale, before, quantity, cost, currency);
    this.#sale = sale;
    this.#purchase = purchase;
  }

  get transactionId(): string {
    return this.#purchase.id;
  }

  /** `YYYY-MM-DD` */
  get occurred(): string {
    return this.#purchase.occurred;
  }

  get unitAmount(): Money {
    return givenMoney(this.#purchase.currency, this.#purchase.unitAmount);
  }

  get exchangeRate(): string {
    return this.#purchase.rate;
  }

  get isCostUnknown(): boolean {
    return this.#purchase.isCostUnknown;
  }

  /** From the purchase to the sale. */
  get daysHeld(): number {
    return dayNumber(this.#sale.occurred) - dayNumber(this.#purchase.occurred);
  }
}

/** The order of sales: oldest first. */
export const SALES_ORDER = SALES.order;

/**
 * A page of the sales of a year, each with its lots; the collection is known to be the caller's. Of each variant on the page the
 * transactions up to there are gone through, by the average those of the whole year. Throws `ValidationFailed`.
 */
export async function getSales(...asked: Parameters<typeof salesOfRows>): Promise<Page<Sale>> {
  return withoutGone(await salesOfRows(...asked));
}

/** The same, with null for one that was deleted meanwhile. */
export async function salesOfRows(
  ctx: Context,
  collectionId: string,
  year: number,
  basis: CostBasis,
  request: KeyRequest,
): Promise<Page<Sale | null>> {
  parseInput(YearInput, year, ['year']);
  const params = [ctx.caller.accountId, year];
  const [page] = await readPages<SaleRow>(ctx.db, SALES, params, request, [collectionId]);
  const rows = observed(ctx, page!.items);
  const last = rows.at(-1);
  if (!last) return { ...page!, items: [] };
  const variants = new Map(rows.map(({ variantId, ofVariant }) => [variantId, ofVariant]));
  const size = [...variants.values()].reduce((sum, ofVariant) => sum + ofVariant, 0);
  ctx.charge?.(pointsOfReading('sales', size));
  const wanted = new Set(rows.map(({ id }) => id));
  const sales = new Map<string, Sale>();
  const lastDay = basis === 'Average' ? `${year}-12-31` : last.occurred;
  await eachVariant(ctx, collectionId, [...variants.keys()], lastDay, function* (variantId, entries) {
    const found = yield* salesAmong(basis, entries, ({ id }) => wanted.has(id));
    for (const sale of found) sales.set(sale.sale.id, new Sale(variantId, sale, last.currency));
  });
  await checkState(ctx, collectionId, last.ledgerState);
  return { ...page!, items: rows.map(({ id }) => sales.get(id) ?? null) };
}

/** Of a collection that is known to be the caller's. */
export async function countSales(
  { db, caller }: Context,
  collectionId: string,
  year: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(COUNT_SALES, [caller.accountId, year, collectionId]);
  return row!.count;
}
