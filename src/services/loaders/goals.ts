import type { Page, PageRequest } from '../../domain/pagination.ts';
import { pointsOfReading } from '../../domain/read-points.ts';
import { getCollections } from '../collections/get.ts';
import {
  type Goal,
  type GoalProgress,
  getGoalProgress,
  getGoals,
  listMissing,
  type MissingCard,
} from '../goals/get.ts';
import { type Batches, keyOf } from './batches.ts';

/** Goal collections. Those are charged for by what they hold, what they are to hold, and the printings among which others may serve. */
export class GoalLoaders {
  readonly #batches: Batches;

  constructor(batches: Batches) {
    this.#batches = batches;
  }

  goal(collectionId: string): Promise<Goal | null> {
    return this.#batches.load('goal', collectionId, getGoals);
  }

  async progress(goal: Goal): Promise<GoalProgress | null> {
    await this.#chargeGoal('goalProgress', goal);
    return this.#batches.load('goalProgress', goal.collectionId, getGoalProgress);
  }

  async missing(goal: Goal, request: PageRequest): Promise<Page<MissingCard>> {
    const name = keyOf('missing', request);
    await this.#chargeGoal(name, goal);
    return this.#batches.load(name, goal.collectionId, (ctx, ids) => listMissing(ctx, ids, request));
  }

  /** For what the goal collection holds, for what it is to hold, and for the printings among which others may serve. */
  async #chargeGoal(name: string, { collectionId, size, match }: Goal): Promise<void> {
    const transactionCount =
      (await this.#batches.load('collection', collectionId, getCollections))?.transactionCount ?? 0;
    const rows = this.#batches.mostHoldings(transactionCount) + this.#batches.mostHoldings(size);
    const printings = match === 'Card' ? await this.#batches.variantCount() : 0;
    const points = pointsOfReading('divided', rows) + pointsOfReading('printings', printings);
    this.#batches.chargeOnce(keyOf('charge', name, collectionId), points);
  }
}
