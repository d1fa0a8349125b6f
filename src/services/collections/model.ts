import type { CollectionRow } from '../../db/queries/collections.ts';
import type { CollectionKind } from '../../domain/collections.ts';
import type { CostBasis } from '../../domain/cost-basis.ts';
import type { Currency } from '../../domain/currencies.ts';
import { derivedMoney, isEqual, type Money } from '../../domain/money.ts';
import { sentences } from '../../lib/text.ts';

export type TotalsRow = Pick<
  CollectionRow,
  | 'currency'
  | 'transactionCount'
  | 'quantity'
  | 'invested'
  | 'profit'
  | 'cashPosition'
  | 'marketValue'
  | 'gain'
  | 'unpriced'
  | 'boughtUnknown'
  | 'unknownCost'
  | 'unknownCostValue'
  | 'percentageGain'
>;

/** Sums over the summaries of a collection, or over the valued collections of an account. */
export interface Totals {
  /** Cards held: bought less sold. */
  quantity: number;
  /** Null while there is no transaction, as are the next three. */
  cashPosition: Money | null;
  invested: Money | null;
  profit: Money | null;
  /** Of the cards that have a price and a known cost; null where there are cards, and none has (docs/decisions.md#unknown-prices). */
  gain: Money | null;
  /** Cards without a price count as 0. */
  marketValue: Money;
  /** gain ÷ what the same cards cost, e.g. 0.25 for a quarter more; null where that is nothing. */
  percentageGain: number | null;
  /** Cards that are held without a known price. */
  unpriced: number;
  /** Cards that were bought at a cost that is not known, sold ones too. */
  boughtAtUnknownCost: number;
  /** Cards that are held whose cost is not known, or in part (docs/decisions.md#unknown-costs). */
  unknownCost: number;
  /** What makes the figures less than they seem, in plain words. */
  warning: string | null;
}

/** Each sum is rounded once, at the end (docs/decisions.md#rounding), when it is asked for: most pages ask for few of them. */
export class RoundedTotals implements Totals {
  readonly quantity: number;
  readonly unpriced: number;
  readonly boughtAtUnknownCost: number;
  readonly unknownCost: number;
  readonly #row: TotalsRow;

  constructor(row: TotalsRow) {
    this.quantity = row.quantity;
    this.unpriced = row.unpriced;
    this.boughtAtUnknownCost = row.boughtUnknown;
    this.unknownCost = row.unknownCost;
    this.#row = row;
  }

  get cashPosition(): Money | null {
    return this.#unlessEmpty(this.#row.cashPosition);
  }

  get invested(): Money | null {
    return this.#unlessEmpty(this.#row.invested);
  }

  get profit(): Money | null {
    return this.#unlessEmpty(this.#row.profit);
  }

  get gain(): Money | null {
    const { gain, marketValue, unknownCostValue } = this.#row;
    const isUnknown =
      this.unpriced + this.unknownCost > 0 && isEqual(gain, '0') && isEqual(marketValue, unknownCostValue);
    return isUnknown ? null : this.#unlessEmpty(gain);
  }

  get marketValue(): Money {
    return this.#money(this.#row.marketValue);
  }

  get percentageGain(): number | null {
    return this.#row.percentageGain === null ? null : Number(this.#row.percentageGain);
  }

  get warning(): string | null {
    return sentences([unpricedWarning(this.unpriced), unknownCostWarning(this)]);
  }

  #unlessEmpty(exact: string): Money | null {
    return this.#row.transactionCount === 0 ? null : this.#money(exact);
  }

  #money(exact: string): Money {
    return derivedMoney(this.#row.currency as Currency, exact);
  }
}

function unpricedWarning(cards: number): string | null {
  if (cards === 0) return null;
  const [have, them] = cards === 1 ? ['1 card has', 'it'] : [`${cards} cards have`, 'them'];
  return `${have} no known market price: the market value counts ${them} as 0, and the gain leaves ${them} out.`;
}

export function unknownCostWarning({
  boughtAtUnknownCost,
  unknownCost,
}: Pick<Totals, 'boughtAtUnknownCost' | 'unknownCost'>): string | null {
  if (boughtAtUnknownCost === 0) return null;
  const bought = `${cards(boughtAtUnknownCost)} that ${boughtAtUnknownCost === 1 ? 'was' : 'were'} bought`;
  const leftOut = unknownCost === 0 ? '' : `, and the gain leaves ${cards(unknownCost)} out`;
  return `The cost of ${bought} is not known: what is invested and the profit count it as 0${leftOut}.`;
}

const cards = (count: number) => `${count} ${count === 1 ? 'card' : 'cards'}`;

export class Collection extends RoundedTotals {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: CollectionKind;
  readonly valued: boolean;
  readonly pinned: boolean;
  readonly isGoalCollection: boolean;
  readonly image: number;
  /** Grows with every change; the ETag. Undefined where what it shows has none yet. */
  readonly revision: number | undefined;
  readonly transactionCount: number;
  readonly currency: Currency;
  readonly costBasis: CostBasis;
  /** Of its ledger, for what is kept of it in memory. */
  readonly #ledgerState: string | undefined;
  readonly #createdAt: string;

  constructor(row: CollectionRow) {
    super(row);
    this.id = row.id;
    this.name = row.name;
    this.description = row.description;
    this.kind = row.kind;
    this.valued = row.valued;
    this.pinned = row.pinned;
    this.isGoalCollection = row.isGoalCollection;
    this.image = row.image;
    this.revision = row.revision;
    this.transactionCount = row.transactionCount;
    this.currency = row.currency as Currency;
    this.costBasis = row.costBasis as CostBasis;
    this.#ledgerState = row.ledgerState;
    this.#createdAt = row.createdAt;
  }

  get createdAt(): string {
    return new Date(this.#createdAt).toISOString();
  }

  /** A state of its ledger that no other has; undefined where it was just written. */
  get ledgerState(): string | undefined {
    return this.#ledgerState;
  }

  /** In whole: answers to requests with an idempotency key are kept as JSON. */
  toJSON(): Record<keyof Omit<Collection, 'toJSON' | 'ledgerState'>, unknown> {
    const { createdAt, cashPosition, invested, profit, gain, marketValue, percentageGain, warning } = this;
    return { ...this, createdAt, cashPosition, invested, profit, gain, marketValue, percentageGain, warning };
  }
}
