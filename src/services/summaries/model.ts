import type { SummaryRow } from '../../db/queries/summaries.ts';
import type { Currency } from '../../domain/currencies.ts';
import { gainOf, marketValueOf, percentageGainOf } from '../../domain/holding-value.ts';
import { summaryId } from '../../domain/ids.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';
import type { HoldingField } from '../../domain/search/query.ts';
import { sentences } from '../../lib/text.ts';
import { unknownCostWarning } from '../collections/model.ts';

/**
 * What a collection holds of one variant: what follows from its transactions, and what that is worth at the price of one
 * card, null where none is known (docs/decisions.md#the-ledger). Amounts are made when they are asked for: most pages ask for few of them.
 */
export class TransactionSummary {
  readonly collectionId: string;
  readonly variantId: string;
  readonly quantity: number;
  readonly #row: SummaryRow;

  constructor(row: SummaryRow) {
    this.collectionId = row.collectionId;
    this.variantId = row.variantId;
    this.quantity = row.quantity;
    this.#row = row;
  }

  get id(): string {
    return summaryId(this.collectionId, this.variantId);
  }

  /** Whether any amount of its collection was converted, so that exchange rates may be worth a warning. */
  get isConverted(): boolean {
    return this.#row.isConverted;
  }

  get cashPosition(): Money {
    return this.#money(this.#row.cashPosition);
  }

  get invested(): Money {
    return this.#money(this.#row.invested);
  }

  get profit(): Money {
    return this.#money(this.#row.profit);
  }

  /** Null when no price is known, or not what all of them cost. */
  get gain(): Money | null {
    const gain = gainOf(this.#row);
    return gain === null ? null : this.#money(gain);
  }

  get marketValue(): Money {
    return this.#money(marketValueOf(this.#row) ?? '0');
  }

  get percentageGain(): number | null {
    const percentage = percentageGainOf(this.#row);
    return percentage === null ? null : Number(percentage);
  }

  /** Cards that are held without a known price. */
  get unpriced(): number {
    return this.#row.price === null ? Math.max(this.quantity, 0) : 0;
  }

  /** Cards that were bought at a cost that is not known, sold ones too. */
  get boughtAtUnknownCost(): number {
    return this.#row.boughtUnknown;
  }

  /** Cards that are held whose cost is not known, or in part. */
  get unknownCost(): number {
    return this.#row.unknownCost;
  }

  /** What makes the figures less than they seem, in plain words. */
  get warning(): string | null {
    const { quantity } = this;
    const { uncovered } = this.#row;
    const warnings = [
      // The same cards are not told of twice.
      quantity < 0 && -quantity !== uncovered
        ? `${-quantity} more ${quantity === -1 ? 'card was' : 'cards were'} sold than bought.`
        : null,
      uncoveredWarning(uncovered),
      unknownCostWarning(this),
      this.#row.price === null ? 'No market price is known, so the market value counts as 0.' : null,
    ];
    return sentences(warnings);
  }

  /** What a search compares: not rounded; null for a gain at no known price or cost. */
  exactly(field: HoldingField): string | null {
    switch (field) {
      case 'quantity':
        return String(this.quantity);
      case 'value':
        return marketValueOf(this.#row) ?? '0';
      case 'gain':
        return gainOf(this.#row);
      default:
        return this.#row[field];
    }
  }

  #money(exact: string): Money {
    return derivedMoney(this.#row.currency as Currency, exact);
  }
}

/** By a cost basis that depends on the order. */
function uncoveredWarning(cards: number): string | null {
  if (cards === 0) return null;
  return `${cards} ${cards === 1 ? 'card was' : 'cards were'} sold beyond what was held, at a cost of 0.`;
}
