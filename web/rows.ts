import type { Client } from '@urql/core';
import {
  type ChangesSubscription,
  type HoldingFragment,
  HoldingsDocument,
  type HoldingsQueryVariables,
} from './generated/graphql.ts';

export type Holding = HoldingFragment;
export type HoldingsOrder = Pick<HoldingsQueryVariables, 'id' | 'sort' | 'reverse' | 'search'>;
type Change = NonNullable<ChangesSubscription['collectionChanged']>;

/** Rows that are read at once: at either end first as many as are seen, which takes half the time. */
const FIRST_PAGE = 40;
const PAGE = 100;

/**
 * The rows of a collection in an order. They are read page by page as they are looked at, from whichever end is
 * nearer: as many as there are of them have a place from the first page on.
 */
export class Rows {
  /** How many there are; null until the first page is there. */
  total: number | null = null;
  error: Error | null = null;
  /** Whether they are those of an earlier answer, as now there is none. */
  isKept = false;
  readonly order: HoldingsOrder;
  readonly #client: Client;
  readonly #onChange: () => void;
  readonly #head: Holding[] = [];
  /** From the end, the last one first. */
  readonly #tail: Holding[] = [];
  #headCursor: string | null = null;
  #tailCursor: string | null = null;
  #wanted: [from: number, to: number] = [0, 0];
  #isLoading = false;
  #isClosed = false;

  constructor(client: Client, order: HoldingsOrder, onChange: () => void) {
    this.#client = client;
    this.order = order;
    this.#onChange = onChange;
  }

  at(index: number): Holding | undefined {
    return this.#head[index] ?? this.#tail[(this.total ?? 0) - 1 - index];
  }

  /** Reads until these rows are there; those that were wanted before are not waited for any more. */
  want(from: number, to: number): void {
    this.#wanted = [from, to];
    void this.#load();
  }

  retry(): void {
    this.error = null;
    void this.#load();
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Puts in what a change says of rows that are there; their order stays as it is. */
  patch(changed: Change['transactionSummaries']): void {
    const byId = new Map(changed.map((summary) => [summary.id, summary]));
    for (const rows of [this.#head, this.#tail]) {
      rows.forEach((row, i) => {
        const summary = byId.get(row.id);
        if (summary) rows[i] = { ...row, ...summary };
      });
    }
    this.#onChange();
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    while (!this.#isClosed && this.error === null && this.#isMissing()) {
      await this.#loadPage(this.#isNearerToEnd());
      if (!this.#isClosed) this.#onChange();
    }
    this.#isLoading = false;
  }

  #isMissing(): boolean {
    if (this.total === null) return true;
    const [from, to] = this.#wanted;
    const end = Math.min(to, this.total);
    return Math.max(from, this.#head.length) < Math.min(end, this.total - this.#tail.length);
  }

  #isNearerToEnd(): boolean {
    if (this.total === null) return false;
    const [from, to] = this.#wanted;
    return this.total - this.#tail.length - from < to - this.#head.length;
  }

  async #loadPage(fromEnd: boolean): Promise<void> {
    // A page never overlaps those from the other end.
    const known = fromEnd ? this.#tail.length : this.#head.length;
    const missing = (this.total ?? PAGE) - this.#head.length - this.#tail.length;
    const size = Math.min(known === 0 ? FIRST_PAGE : PAGE, missing);
    const place = fromEnd
      ? { last: size, before: this.#tailCursor }
      : { first: size, after: this.#headCursor };
    const variables = { ...this.order, ...place };
    const { data, error } = await this.#client.query(HoldingsDocument, variables).toPromise();
    const page = data?.collection?.transactionSummaries;
    this.error = error ?? (page ? null : new Error('There is no such collection any more.'));
    if (!page) return;
    this.isKept ||= error !== undefined;
    this.total = page.totalCount;
    if (fromEnd) {
      this.#tail.push(...page.nodes.toReversed());
      this.#tailCursor = page.pageInfo.startCursor;
    } else {
      this.#head.push(...page.nodes);
      this.#headCursor = page.pageInfo.endCursor;
    }
    // Rows were taken away meanwhile: there are no more where the list had them.
    if (page.nodes.length === 0) this.total = this.#head.length + this.#tail.length;
  }
}
