import { LRUCache } from 'lru-cache';
import type { How } from '../../db/client.ts';
import { OF_COLLECTIONS, OF_VALUED } from '../../db/queries/held-items.ts';
import { MOVES_OF_CATALOGUE, type MoversRow, type Moves, movers, movesOf } from '../../db/queries/movers.ts';
import type { Currency } from '../../domain/currencies.ts';
import { LIMITS } from '../../domain/limits.ts';
import { derivedMoney, type Money } from '../../domain/money.ts';
import {
  changeOf,
  type Direction,
  type MoverMeasure,
  type Period,
  percentageOf,
} from '../../domain/movers.ts';
import type { Catalogue } from '../../memory/catalogue.ts';
import { catalogueAtHand } from '../../memory/memory.ts';
import { getPreferences } from '../accounts/preferences.ts';
import { type Context, observed } from '../context.ts';

export interface MoversAsked {
  period: Period;
  by: MoverMeasure;
  direction: Direction;
}

/** A variant whose price has moved. */
export class Mover {
  readonly variantId: string;
  /** Cards that are held; 1 of the catalogue. */
  readonly quantity: number;
  readonly #move: MoversRow['movers'][number];
  readonly #currency: Currency;

  constructor(move: MoversRow['movers'][number], currency: string) {
    this.variantId = move.variantId;
    this.quantity = move.quantity;
    this.#move = move;
    this.#currency = currency as Currency;
  }

  /** Of one card, as the next. */
  get price(): Money {
    return derivedMoney(this.#currency, this.#move.price);
  }

  get priceBefore(): Money {
    return derivedMoney(this.#currency, this.#move.past);
  }

  /** Of all that is held. */
  get change(): Money {
    return derivedMoney(this.#currency, changeOf(this.#move));
  }

  /** Null where it cost nothing before. */
  get changeRatio(): number | null {
    const percentage = percentageOf(this.#move);
    return percentage === null ? null : Number(percentage);
  }
}

/** What has moved most, the first of it first. */
export interface Movers {
  /** `YYYY-MM-DD`: the days whose prices are compared; null while no prices are loaded. */
  from: string | null;
  to: string | null;
  /** Variants whose change is not known, and that have no place among the others. */
  unknownCount: number;
  movers: Mover[];
}

/** Of what each collection holds, `first` at most. */
export async function getMovers(
  ctx: Context,
  collectionIds: readonly string[],
  asked: MoversAsked,
  first: number,
): Promise<Movers[]> {
  const rows = await readMovers(ctx, movesOf(OF_COLLECTIONS), asked, [JSON.stringify(collectionIds), first]);
  const byScope = new Map(rows.map((row) => [row.scope, row]));
  return collectionIds.map((id) => moversOf(byScope.get(id)!));
}

/** Of what the valued collections hold together. */
export async function getMoversOfValued(ctx: Context, asked: MoversAsked, first: number): Promise<Movers> {
  const [row] = await readMovers(ctx, movesOf(OF_VALUED), asked, [first]);
  return moversOf(row!);
}

/** Of the whole catalogue, in the caller's currency: made once for a state of the market. */
export async function getMarketMovers(ctx: Context, asked: MoversAsked, first: number): Promise<Movers> {
  const movers = await heldMarketMovers(ctx, asked);
  return { ...movers, movers: movers.movers.slice(0, first) };
}

/** One account may ask for all kinds in each currency, a tenth of a MB each; all others have theirs beside them. */
export const MOST_HELD_MOVERS = 64;

/** Of each state of the market, by what was asked for; what was asked for least recently goes. */
const ofMarket = new WeakMap<Catalogue, LRUCache<string, { row: MoversRow; movers: Movers }>>();

async function heldMarketMovers(ctx: Context, asked: MoversAsked): Promise<Movers> {
  const { preferredCurrency, preferredPriceSource } = await getPreferences(ctx);
  const catalogue = catalogueAtHand(ctx);
  const key = [asked.period, asked.by, asked.direction, preferredCurrency, preferredPriceSource].join(' ');
  const held = catalogue && ofMarket.get(catalogue)?.get(key);
  if (held) {
    observed(ctx, [held.row]);
    return held.movers;
  }
  const [row] = await readMovers(ctx, MOVES_OF_CATALOGUE, asked, [LIMITS.pageSize], { isKept: true });
  const made = { row: row!, movers: moversOf(row!) };
  if (catalogue?.pricingRevision === row!.marketRevision && row!.currency === preferredCurrency) {
    const ofCatalogue = ofMarket.get(catalogue) ?? new LRUCache({ max: MOST_HELD_MOVERS });
    ofMarket.set(catalogue, ofCatalogue.set(key, made));
  }
  return made.movers;
}

async function readMovers(
  ctx: Context,
  items: Moves,
  asked: MoversAsked,
  params: readonly (string | number)[],
  how?: How,
): Promise<MoversRow[]> {
  const text = movers(items, asked);
  return observed(ctx, await ctx.db.query<MoversRow>(text, [ctx.caller.accountId, ...params], how));
}

function moversOf({ since, until, unknown, movers, currency }: MoversRow): Movers {
  return {
    from: since,
    to: until,
    unknownCount: unknown,
    movers: movers.map((move) => new Mover(move, currency)),
  };
}
