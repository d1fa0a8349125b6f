import { searchedHoldings } from '../../db/queries/holding-search.ts';
import type { HoldingCondition } from '../../db/queries/summaries.ts';
import { compare } from '../../domain/money.ts';
import { COMPARISONS } from '../../domain/search/field-search.ts';
import { parseQuery, SUMMARY_SEARCH_FIELDS } from '../../domain/search/parse.ts';
import {
  foldHoldings,
  type HoldingField,
  type HoldingNode,
  recordedCount,
  type SearchQuery,
} from '../../domain/search/query.ts';
import type { Reason, SearchIndex } from '../../domain/search/search-index.ts';
import type { Bits } from '../../lib/bits.ts';
import type { Parts } from '../../lib/parts.ts';
import type { Catalogue } from '../../memory/catalogue.ts';
import type { HeldHolding, HeldLedger, Prices } from '../../memory/ledgers.ts';
import { type Context, turnToRead } from '../context.ts';
import { heldVariants } from '../held-variants.ts';
import { searched } from '../searched.ts';
import { TransactionSummary } from './model.ts';

const AMOUNTS = {
  value: 'marketValue',
  gain: 'gain',
  invested: 'invested',
  profit: 'profit',
} as const satisfies Record<Exclude<HoldingField, 'quantity'>, keyof TransactionSummary>;

/** A query over holdings, in the language of product search, which here takes quantity and amounts too. */
export class HoldingSearch {
  readonly reasons: (summary: TransactionSummary) => Reason[];
  readonly #parsed: SearchQuery;
  readonly #index: SearchIndex;
  readonly #holds: (holding: HeldHolding) => boolean;
  /** By ledger, as of prices. */
  readonly #matching = new WeakMap<HeldLedger, { catalogue: Catalogue; holdings: Bits | null }>();

  constructor(parsed: SearchQuery, index: SearchIndex) {
    this.#parsed = parsed;
    this.#index = index;
    const reasonsFor = index.holdingReasons(parsed);
    this.reasons = (summary) => reasonsFor(summary.variantId, (leaf) => held(summary, leaf));
    this.#holds = foldHoldings<(holding: HeldHolding) => boolean>(parsed.root, {
      catalogue: (part) => {
        const matching = index.matchingVariants(part);
        return ({ variantId }) => matching.has(variantId);
      },
      // Ledgers in memory have no transactions: the database finds them.
      recorded: () => () => false,
      holding: (leaf) => (holding) => compares(holding, leaf),
      and: (parts) => (holding) => parts.every((part) => part(holding)),
      or: (parts) => (holding) => parts.some((part) => part(holding)),
      not: (part) => (holding) => !part(holding),
    });
  }

  /** The holdings of a ledger that it finds, looked for once; null where it asks for what is not in memory. */
  *matching(ledger: HeldLedger, prices: Prices): Parts<Bits | null> {
    if (recordedCount(this.#parsed.root) > 0) return null;
    const known = this.#matching.get(ledger);
    if (known?.catalogue === prices.catalogue) return known.holdings;
    const holdings = yield* ledger.where(this.#holds, prices);
    this.#matching.set(ledger, { catalogue: prices.catalogue, holdings });
    return holdings;
  }

  /** The same as a condition on holdings (`h`), by the variants that are held. */
  async condition(ctx: Context, collectionIds: readonly string[]): Promise<HoldingCondition> {
    const turn = turnToRead(ctx);
    if (turn) await turn;
    const { root } = this.#parsed;
    const { sql, params, found } = searchedHoldings(root, (part) => this.#index.matchingVariants(part));
    const variants = await heldVariants(ctx, collectionIds, found);
    for (const [i, { param }] of found.entries()) params[param] = JSON.stringify(variants[i]);
    return { sql, params };
  }
}

/** What an answer searches for, by its texts: each is read once, however often it is asked for. */
const searches = new WeakMap<Context, Map<string, Promise<HoldingSearch>>>();

/** Throws `InvalidQuery`. */
export function holdingSearch(ctx: Context, query: string): Promise<HoldingSearch> {
  let ofAnswer = searches.get(ctx);
  if (!ofAnswer) {
    ofAnswer = new Map();
    searches.set(ctx, ofAnswer);
  }
  let search = ofAnswer.get(query);
  if (!search) {
    search = newSearch(ctx, query);
    ofAnswer.set(query, search);
  }
  return search;
}

async function newSearch(ctx: Context, query: string): Promise<HoldingSearch> {
  const parsed = parseQuery(query, SUMMARY_SEARCH_FIELDS);
  return searched(ctx, [parsed.root], ({ index }) => new HoldingSearch(parsed, index));
}

/** Far more than doubles are off by after the few steps that make an amount. */
const CERTAIN = 1e-9;

/** What is not known compares as false. By doubles where they are far enough apart, else exactly. */
function compares(holding: HeldHolding, { field, operator, value }: HoldingNode): boolean {
  const wanted = Number(value);
  const about = amountAbout(holding, field);
  if (about === null) return false;
  const size = Math.abs(wanted) + Math.abs(about) + holding.invested + 1;
  if (Math.abs(about - wanted) > size * CERTAIN) return COMPARISONS[operator](about, wanted);
  return COMPARISONS[operator](compare(new TransactionSummary(holding.summary).exactly(field)!, value), 0);
}

function amountAbout(holding: HeldHolding, field: HoldingField): number | null {
  const { quantity } = holding;
  if (field === 'quantity') return quantity;
  if (field === 'invested') return holding.invested;
  if (field === 'profit') return Number(holding.summary.profit);
  const { price } = holding;
  const marketValue = price === null ? 0 : price * Math.max(quantity, 0);
  if (field === 'value') return marketValue;
  return price === null || holding.unknownCost > 0 ? null : marketValue - holding.invested;
}

function held(summary: TransactionSummary, { field, operator, value }: HoldingNode): string | null {
  const exact = summary.exactly(field);
  if (exact === null || !COMPARISONS[operator](compare(exact, value), 0)) return null;
  return field === 'quantity' ? exact : summary[AMOUNTS[field]]!.amount;
}
