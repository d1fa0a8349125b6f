import type { CardSet } from '../../domain/card-sets.ts';
import type { GoalMatch } from '../../domain/goals.ts';
import { pointsOfReading } from '../../domain/read-points.ts';
import { after } from '../../lib/after.ts';
import { getCollections } from '../collections/get.ts';
import type { GoalProgress } from '../goals/get.ts';
import { getCompletions } from '../sets/completion.ts';
import { getSets } from '../sets/get.ts';
import { type Batches, keyOf } from './batches.ts';

type Sets = ReadonlyMap<string, CardSet>;

/** Sets of the catalogue, and what of them a collection holds. */
export class SetLoaders {
  readonly #batches: Batches;
  #sets: Sets | Promise<Sets> | undefined;

  constructor(batches: Batches) {
    this.#batches = batches;
  }

  all(): Sets | Promise<Sets> {
    this.#sets ??= getSets(this.#batches.ctx).then((sets) => {
      this.#sets = sets;
      return sets;
    });
    return this.#sets;
  }

  set(code: string): CardSet | null | Promise<CardSet | null> {
    return after(this.all(), (sets) => sets.get(code) ?? null);
  }

  /** Charged for by what the collection holds, however many sets are asked for, and by each set. */
  async completion(set: CardSet, collectionId: string, match: GoalMatch): Promise<GoalProgress | null> {
    const name = keyOf('completion', match);
    await this.#charge(name, set, collectionId, match);
    const key = JSON.stringify({ setCode: set.code, collectionId });
    return this.#batches.load(name, key, (ctx, keys) =>
      getCompletions(
        ctx,
        keys.map((each) => JSON.parse(each)),
        match,
      ),
    );
  }

  async #charge(name: string, set: CardSet, collectionId: string, match: GoalMatch): Promise<void> {
    const collection = await this.#batches.load('collection', collectionId, getCollections);
    const held = this.#batches.mostHoldings(collection?.transactionCount ?? 0);
    const printings = match === 'Card' ? await this.#batches.variantCount() : 0;
    const points = pointsOfReading('divided', held) + pointsOfReading('printings', printings);
    this.#batches.chargeOnce(keyOf('charge', name, collectionId), points);
    const pointsOfSet = pointsOfReading('divided', set.variantCount);
    this.#batches.chargeOnce(keyOf('charge', name, collectionId, set.code), pointsOfSet);
  }
}
