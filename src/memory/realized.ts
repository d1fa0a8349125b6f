import { LRUCache } from 'lru-cache';
import type { CostBasis } from '../domain/cost-basis.ts';

/** What the sales of a year brought, exact decimals in the currency of the collection. */
export interface YearSums {
  year: number;
  /** Cards. */
  sold: number;
  proceeds: string;
  gain: string;
  /** Of the cards, those whose cost is not known, or in part. */
  unknown: number;
}

/** The years of one state of a collection's ledger in which anything was realised. */
export interface RealizedYears {
  /** As the row of the collection has it. */
  state: string;
  currency: string;
  years: readonly YearSums[];
}

const MAX_COLLECTIONS = 5000;

/** What was realised in each year, by the ids of collections and the cost basis: made once for a state of the ledger, whichever year is asked for. */
export class HeldRealizedYears {
  readonly #collections = new LRUCache<string, RealizedYears>({ max: MAX_COLLECTIONS });

  has(collectionId: string, basis: CostBasis): boolean {
    return this.#collections.has(`${collectionId} ${basis}`);
  }

  inState(collectionId: string, basis: CostBasis, state: string): RealizedYears | undefined {
    const known = this.#collections.get(`${collectionId} ${basis}`);
    return known?.state === state ? known : undefined;
  }

  keep(collectionId: string, basis: CostBasis, years: RealizedYears): void {
    this.#collections.set(`${collectionId} ${basis}`, years);
  }
}
