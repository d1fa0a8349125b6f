import type { Database } from '../../db/client.ts';
import { VARIANTS_TO_MATCH } from '../../db/queries/products.ts';
import {
  type CardClues,
  type CardVariant,
  closestVariants,
  matchedVariant,
} from '../../domain/card-match.ts';
import { LIMITS } from '../../domain/limits.ts';
import { fold, wordsOf } from '../../domain/search/normalise.ts';
import type { SearchIndex } from '../../domain/search/search-index.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { addTo } from '../../lib/lists.ts';
import { countedInParts } from '../../lib/parts.ts';
import type { Payer } from '../../lib/processor-time.ts';
import { searchableCatalogue } from '../../memory/memory.ts';
import type { ProductIds } from '../../memory/product-ids.ts';
import { type Context, turnToRead } from '../context.ts';
import type { Product } from '../products/model.ts';

/** The cards of a file, as the catalogue has them. */
export interface MatchedCards {
  /** The only variant that fits, or null. */
  match(clues: CardClues): CardVariant | null;
  /** What says which card it is, where no card has it; else null. */
  unknownClue(clues: CardClues): UnknownClue | null;
  /** For each of these cards the variants that come closest, at most three; none for cards beyond the first hundred. */
  suggest(cards: readonly CardClues[]): Promise<CardVariant[][]>;
}

export interface UnknownClue {
  clue: 'variant id' | 'fcId' | 'number';
  value: string;
}

type Asker = Pick<Context, 'db' | 'now' | 'work' | 'leaving'>;

/** Of each kind of id in one statement, as its answer is read in one turn of the event loop. */
const ASKED_AT_ONCE = 1000;

/** Takes a statement for each thousand cards, and one more for suggestions. */
export async function matchCards(ctx: Asker, cards: readonly CardClues[]): Promise<MatchedCards> {
  const { index, products, productIds } = await searchableCatalogue(ctx);
  const known = new KnownVariants(ctx, products, await productIds());
  await known.load(cards, []);
  return {
    match: (clues) => matchedVariant(clues, known.candidates(clues)),
    unknownClue: (clues) => known.unknownClue(clues),
    async suggest(unmatched) {
      const first = [...new Set(unmatched.map(keyOf))].slice(0, LIMITS.importSuggestedCards);
      const found = new Map<string, string[]>();
      for (const key of first) {
        const productIds = new Set<string>();
        for (const words of searchesFor(JSON.parse(key))) {
          // A search may take milliseconds: others get their turn in between.
          await turnToRead(ctx);
          for (const id of productsLike(index, words)) productIds.add(id);
        }
        found.set(key, [...productIds]);
      }
      await known.load([], [...found.values()].flat());
      const closest = new Map<string, CardVariant[]>();
      for (const [key, productIds] of found) {
        await turnToRead(ctx);
        const clues: CardClues = JSON.parse(key);
        const candidates = new Set([...known.candidates(clues), ...known.ofProducts(productIds)]);
        closest.set(key, closestVariants(clues, [...candidates], LIMITS.importSuggestions));
      }
      return unmatched.map((clues) => closest.get(keyOf(clues)) ?? []);
    },
  };
}

function keyOf(clues: CardClues): string {
  return JSON.stringify(clues);
}

/** Characters of some scripts make eighteen each where they are folded. */
const FOLDED_AT_ONCE = 50;

type VariantRow = Omit<CardVariant, 'productName' | 'number' | 'setName' | 'vendorProductId'>;

/** Variants that have been looked up, by what a file may know them by. */
class KnownVariants {
  private readonly db: Database;
  private readonly products: ReadonlyMap<string, Product>;
  private readonly ids: ProductIds;
  private readonly payer: Payer | undefined;
  private readonly variants = new Map<string, CardVariant>();
  private readonly byFcId = new Map<string, CardVariant>();
  /** Ids and printing codes of all that was found, also of products that are newer than the catalogue that was read. */
  private readonly found = new Set<string>();
  private readonly byOtherNumber = new Map<string, string[]>();
  private readonly byProduct = new Map<string, CardVariant[]>();

  constructor({ db, work }: Asker, products: ReadonlyMap<string, Product>, ids: ProductIds) {
    this.db = db;
    this.payer = work;
    this.products = products;
    this.ids = ids;
  }

  async load(cards: readonly CardClues[], productIds: readonly string[]): Promise<void> {
    const [ofProducts, variantIds, fcIds, numbers] = [
      new Set(productIds),
      new Set<string>(),
      new Set<string>(),
      new Set<string>(),
    ];
    const look = (i: number) => {
      const clues = cards[i]!;
      for (const id of this.productIdsOf(clues)) ofProducts.add(id);
      const { variantId, fcId, number } = clues;
      if (variantId !== undefined) variantIds.add(variantId);
      if (fcId !== undefined) fcIds.add(fcId);
      if (number !== undefined) numbers.add(number.toUpperCase());
    };
    await inTurns(countedInParts(cards.length, look, FOLDED_AT_ONCE), this.payer);
    const unknown = [...ofProducts].filter((id) => !this.byProduct.has(id));
    const asked = [unknown, [...variantIds], [...fcIds], [...numbers]];
    const longest = Math.max(...asked.map((ids) => ids.length));
    for (let at = 0; at < longest; at += ASKED_AT_ONCE) {
      const params = asked.map((ids) => JSON.stringify(ids.slice(at, at + ASKED_AT_ONCE)));
      const rows = await this.db.query<VariantRow>(VARIANTS_TO_MATCH, params);
      await inTurns(
        countedInParts(rows.length, (i) => this.add(rows[i]!)),
        this.payer,
      );
    }
  }

  private add(row: VariantRow): void {
    this.found.add(row.variantId).add(row.fcId);
    const product = this.products.get(row.productId);
    // Of a product that was imported since the catalogue was read.
    if (!product || this.variants.has(row.variantId)) return;
    const { name: productName, number, setName, vendorProductId } = product;
    const variant = { ...row, productName, number, setName, vendorProductId };
    this.variants.set(row.variantId, variant);
    this.byFcId.set(row.fcId, variant);
    if (!this.byProduct.has(row.productId)) {
      for (const number of row.otherNumbers) addTo(this.byOtherNumber, fold(number), row.productId);
    }
    addTo(this.byProduct, row.productId, variant);
  }

  private productIdsOf({ variantId, fcId, vendorProductId, number, name }: CardClues): string[] {
    if (variantId !== undefined || fcId !== undefined) return [];
    const found = [
      ...(vendorProductId === undefined ? [] : (this.ids.byVendorId.get(vendorProductId) ?? [])),
      ...(number === undefined ? [] : this.productIdsByNumber(fold(number))),
    ];
    return found.length > 0 || name === undefined ? found : (this.ids.byName.get(fold(name)) ?? []);
  }

  /** Ids go before numbers, so that beside one it is not the number that is at fault. */
  unknownClue({ variantId, fcId, vendorProductId, number }: CardClues): UnknownClue | null {
    if (variantId !== undefined && !this.found.has(variantId))
      return { clue: 'variant id', value: variantId };
    if (fcId !== undefined && !this.found.has(fcId)) return { clue: 'fcId', value: fcId };
    const hasId = [variantId, fcId, vendorProductId].some((id) => id !== undefined);
    if (hasId || number === undefined || this.productIdsByNumber(fold(number)).length > 0) return null;
    return { clue: 'number', value: number };
  }

  private productIdsByNumber(number: string): string[] {
    return [...(this.ids.byNumber.get(number) ?? []), ...(this.byOtherNumber.get(number) ?? [])];
  }

  candidates(clues: CardClues): CardVariant[] {
    const { variantId, fcId } = clues;
    const byId = [
      variantId === undefined ? undefined : this.variants.get(variantId),
      fcId === undefined ? undefined : this.byFcId.get(fcId),
    ];
    const found = [...byId.flatMap((variant) => variant ?? []), ...this.ofProducts(this.productIdsOf(clues))];
    return [...new Set(found)];
  }

  ofProducts(productIds: readonly string[]): CardVariant[] {
    return productIds.flatMap((id) => this.byProduct.get(id) ?? []);
  }
}

/** Enough to find the printings of a card among. */
const MOST_PRODUCTS = 20;

/** The words of its number, of its name, and of that without what a shop adds in brackets, each once. */
function searchesFor({ name = '', number = '' }: CardClues): string[][] {
  const texts = [number, name, name.split(/[([]/, 1)[0]!];
  const searches = texts.map((text) => [...new Set(wordsOf(text.slice(0, LIMITS.searchQueryCharacters)))]);
  const different = new Map(searches.map((words) => [words.join(' '), words]));
  return [...different.values()].filter((words) => words.length > 0);
}

/** The products whose names or numbers are most like the words, by the product search. */
function productsLike(index: SearchIndex, words: readonly string[]): string[] {
  const root = {
    kind: 'text' as const,
    words: words.map((word) => ({ text: word, from: 0, to: 0 })),
    wholeWords: false,
  };
  return index.search({ source: words.join(' '), root }).productIds(0, MOST_PRODUCTS);
}
