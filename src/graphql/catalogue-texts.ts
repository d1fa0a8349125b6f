import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Catalogue } from '../memory/catalogue.ts';
import type { Preferences } from '../services/accounts/preferences.ts';
import type { GraphQLContext } from './context.ts';
import { hasVariables } from './execute/arguments.ts';
import { collectFields, type Selections, selectionsOf } from './execute/collect-fields.ts';
import type { ReplaceWriter } from './execute/compile.ts';
import { Output } from './execute/output.ts';
import type { Write } from './execute/run.ts';

/** Each of those that follow from prices and of those that do not. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Of an entry, beside its text. */
const BYTES_PER_ENTRY = 200;

/** Extensions of types and fields that let texts be kept. */
export interface KeptExtensions {
  /**
   * Of a type, all of whose fields follow from the catalogue: whether an object is held by it; or that they follow from
   * the object, which is part of another.
   */
  keptWith?: ((catalogue: Catalogue, value: never) => boolean) | 'parent';
  /** Of a type: its objects are others once prices have changed. */
  ofMarket?: boolean;
  /** Of a field: follows from the caller's preferences, too. */
  byPreferences?: boolean;
  /** Of a field: follows from what the caller has. */
  ofCaller?: boolean;
}

/**
 * What the text of a value follows from, beside the value itself, from the least to the most: names and sales, the
 * catalogue in memory with its prices, the caller's currency and source of prices too, or anything.
 */
const FROM = { names: 0, catalogue: 1, prices: 2, anything: 3 } as const;
type From = (typeof FROM)[keyof typeof FROM];

type IsHeld = (catalogue: Catalogue, value: unknown) => boolean;

/** Whether a document asks for a field that follows from the preferences, but where it says all of them itself. What a variable says is not known. */
export function asksByPreferences(schema: GraphQLSchema, document: DocumentNode): boolean {
  let asks = false;
  const types = new TypeInfo(schema);
  const Field = ({ arguments: given = [] }: FieldNode) => {
    const field = types.getFieldDef();
    const { byPreferences } = (field?.extensions ?? {}) as KeptExtensions;
    const said = given.filter(({ value: { kind } }) => kind !== Kind.VARIABLE && kind !== Kind.NULL);
    if (byPreferences && said.length < field!.args.length) asks = true;
    return asks ? BREAK : undefined;
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return asks;
}

/** Lets objects of the catalogue in memory be written once for each selection of their fields, until it changes. */
export function catalogueTexts(): ReplaceWriter {
  const ofNames = new CatalogueTexts();
  const ofPrices = new CatalogueTexts();
  return (write, type, sets, selections) => {
    const { keptWith } = type.extensions as KeptExtensions;
    if (typeof keptWith !== 'function') return write;
    const from = fromOfSelection(selections, type, sets);
    if (from === FROM.anything) return write;
    return keptWriter(from === FROM.names ? ofNames : ofPrices, write, from, keptWith as IsHeld);
  };
}

function keptWriter(texts: CatalogueTexts, write: Write, from: From, isHeld: IsHeld): Write {
  return (value, out, at, run) => {
    const { loaders, context } = run.context as GraphQLContext;
    const { catalogue } = loaders;
    const showsPrices = from === FROM.prices;
    const preferences = showsPrices ? loaders.preferencesAtHand : null;
    if (!catalogue || (showsPrices && !preferences)) {
      write(value, out, at, run);
      return;
    }
    if (showsPrices) context.seen?.note('marketRevision', catalogue.pricingRevision);
    const state = from === FROM.names ? catalogue.parts.variants : catalogue;
    const kept = texts.of(state, write, preferences);
    const known = kept.get(value);
    if (known !== undefined) {
      out.text += known;
      run.room -= known.length;
      if (run.room < 0) run.stop();
      return;
    }
    if (!isHeld(catalogue, value)) {
      write(value, out, at, run);
      return;
    }
    const own = new Output();
    const { length } = run.errors;
    write(value, own, at, run);
    if (own.isWhole && run.errors.length === length) texts.keep(kept, value, own.toString());
    if (own.count === 0) out.text += own.text;
    else out.append(own);
  };
}

function fromOfSelection(...selection: Parameters<typeof fromOfType>): From {
  try {
    return fromOfType(...selection);
  } catch {
    // A condition that is null: the error belongs where the executor meets it, which may be below this type.
    return FROM.anything;
  }
}

function fromOfType(
  selections: Selections,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): From {
  const { keptWith, ofMarket } = type.extensions as KeptExtensions;
  if (!keptWith) return FROM.anything;
  let from: From = ofMarket ? FROM.catalogue : FROM.names;
  for (const nodes of collectFields(selections, type, sets).values()) {
    const field = type.getFields()[nodes[0]!.name.value];
    if (!field) continue;
    if (hasVariables(nodes[0]!)) return FROM.anything;
    const named = getNamedType(field.type);
    const { byPreferences, ofCaller } = field.extensions as KeptExtensions;
    if (ofCaller) return FROM.anything;
    const own = byPreferences ? FROM.prices : FROM.names;
    const below = isLeafType(named)
      ? FROM.names
      : isObjectType(named)
        ? fromOfType(selections, named, selectionsOf(nodes))
        : FROM.anything;
    from = Math.max(from, own, below) as From;
    if (from === FROM.anything) return from;
  }
  return from;
}

/**
 * Texts that were made of one state of the catalogue, which are the same for everybody until there is another: for each owner,
 * and for each currency and source of prices where they show any. All are forgotten with the state, or when
 * they take too much; those of an owner, when nothing else holds the owner.
 */
export class CatalogueTexts {
  #state: object | undefined;
  #texts = new WeakMap<object, Map<string, Map<unknown, string>>>();
  #bytes = 0;
  /** What was asked for last, which mostly is asked for next. */
  #last: { owner: object; prices: string; texts: Map<unknown, string> } | undefined;
  #prices = { preferences: null as Preferences | null, name: '' };
  readonly #maxBytes: number;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** @param preferences by which prices are shown; null where none are */
  of(state: object, owner: object, preferences: Preferences | null): Map<unknown, string> {
    if (state !== this.#state) this.#forget(state);
    const prices = preferences ? this.#nameOf(preferences) : '';
    const last = this.#last;
    if (last?.owner === owner && last.prices === prices) return last.texts;
    let byPrices = this.#texts.get(owner);
    if (!byPrices) {
      byPrices = new Map();
      this.#texts.set(owner, byPrices);
    }
    let texts = byPrices.get(prices);
    if (!texts) {
      texts = new Map();
      byPrices.set(prices, texts);
    }
    this.#last = { owner, prices, texts };
    return texts;
  }

  keep(texts: Map<unknown, string>, key: unknown, text: string): void {
    this.#bytes += text.length + BYTES_PER_ENTRY;
    if (this.#bytes > this.#maxBytes) this.#forget(this.#state);
    else texts.set(key, flat(text));
  }

  /** Names the prices that preferences ask for; within an execution they are the same. */
  #nameOf(preferences: Preferences): string {
    if (preferences !== this.#prices.preferences) {
      const name = `${preferences.preferredCurrency} ${preferences.preferredPriceSource}`;
      this.#prices = { preferences, name };
    }
    return this.#prices.name;
  }

  #forget(state: object | undefined): void {
    this.#state = state;
    this.#texts = new WeakMap();
    this.#last = undefined;
    this.#bytes = 0;
  }
}

/** The text in one piece: V8 would keep all the pieces that it was put together from. */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}
