import type { CardSet } from '../../domain/card-sets.ts';
import type { GoalMatch } from '../../domain/goals.ts';
import { pointsOfReading } from '../../domain/read-points.ts';
import { after } from '../../lib/after.ts';
import { getCollections } from '../collections/get.ts';
import type { GoalProgress } from '../goals/get.ts';
import { type Completion, getCompletions } from '../sets/completion.ts';
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

  completion(set: CardSet, collectionId: string, match: GoalMatch): Promise<GoalProgress | null> {
    const key = JSON.stringify({ setCode: set.code, collectionId });
    return this.#batches.load(keyOf('completion', match), key, async (ctx, keys) => {
      const asked: Completion[] = keys.map((each) => JSON.parse(each));
      await this.#charge(asked, match);
      return getCompletions(ctx, asked, match);
    });
  }

  /** For what is read at once: each collection, however many sets are asked for, and each set. */
  async #charge(asked: readonly Completion[], match: GoalMatch): Promise<void> {
    const { ctx } = this.#batches;
    const ids = [...new Set(asked.map(({ collectionId }) => collectionId))];
    const collections = await Promise.all(
      ids.map((id) => this.#batches.load('collection', id, getCollections)),
    );
    for (const collection of collections) {
      const held = this.#batches.mostHoldings(collection?.transactionCount ?? 0);
      ctx.charge?.(pointsOfReading('divided', held));
    }
    if (match === 'Card') ctx.charge?.(pointsOfReading('printings', await this.#batches.variantCount()));
    const sets = await this.all();
    for (const { setCode } of asked)
      ctx.charge?.(pointsOfReading('divided', sets.get(setCode)?.variantCount ?? 0));
  }
}
