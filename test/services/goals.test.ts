import { beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { latestRate } from '../../src/db/queries/exchange.ts';
import { GOAL_MATCHES, type GoalMatch } from '../../src/domain/goals.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import type { PageRequest } from '../../src/domain/pagination.ts';
import { groupBy } from '../../src/lib/lists.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { deleteCollection } from '../../src/services/collections/delete.ts';
import { getCollection } from '../../src/services/collections/get.ts';
import type { Context } from '../../src/services/context.ts';
import { getGoalProgress, getGoals, listMissing, type MissingCard } from '../../src/services/goals/get.ts';
import { setGoalCollection } from '../../src/services/goals/set.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { describeOnOwnDatabases, newAccount } from '../harness.ts';
import { entry } from '../support/furnished.ts';
import { keysOf } from '../support/pages.ts';
import { type PriceSteps, priceAt, randomPrices, seededRandom } from '../support/random-market.ts';
import { compared, decimal, plus, type Ratio, ratio, textOf, times } from '../support/ratio.ts';

const NEWEST = '2026-04-13';
const ALL: PageRequest & { kind: 'key' } = {
  kind: 'key',
  after: null,
  before: null,
  size: LIMITS.pageSize,
  fromEnd: false,
};

interface Described {
  id: string;
  product: string;
  card: string;
  set: string;
  sealed: boolean;
}

type Quantities = Map<string, number>;

describeOnOwnDatabases('goals', (database) => {
  let db: OpenDatabase;
  let described: Map<string, Described>;
  let sample: string[];
  let market: Map<string, PriceSteps>;
  let euro: Ratio;
  const random = seededRandom(23);

  beforeAll(async () => {
    db = database();
    const rows = await db.query<Described>(
      `select v.id, p.id as product, p.name || ' / ' || coalesce(p.pitch_value, '-') as card, p.set_code as "set",
         p.sealed_set_type is not null as sealed
       from variant v join product p on p.id = v.product_id order by v.id`,
    );
    described = new Map(rows.map((row) => [row.id, row]));
    // Of cards with several printings, so that others serve.
    const printings = groupBy(rows, ({ card }) => card);
    sample = [...printings.values()]
      .filter((ids) => ids.length > 3)
      .slice(0, 25)
      .flat()
      .concat(rows.filter(({ sealed }) => sealed).slice(0, 10))
      .map(({ id }) => id);
    market = await randomPrices(db, sample, NEWEST, random);
    const [rate] = await db.query<{ rate: string }>(`select ${latestRate("'EUR'", "'USD'")} as rate`);
    euro = decimal(rate!.rate);
  });

  const some = (share: number): Quantities =>
    new Map(sample.filter(() => random() < share).map((id) => [id, 1 + Math.floor(random() * 4)]));

  async function collectionOf(ctx: Context, quantities: Quantities): Promise<string> {
    const { id } = await createCollection(ctx, { name: 'Cards' });
    const entries = [...quantities].map(([variantId, quantity]) =>
      entry(variantId, { quantity: Math.abs(quantity), action: quantity < 0 ? 'Sale' : 'Purchase' }),
    );
    if (entries.length > 0) await createTransactions(ctx, id, entries);
    return id;
  }

  const keyOf = (match: GoalMatch, { id, product, card, sealed }: Described) =>
    ({ Variant: id, Product: product, Card: sealed ? product : card })[match];

  function priceOf(id: string): Ratio | null {
    const price = priceAt(market.get(id) ?? [], NEWEST);
    return price && times(decimal(price.amount), price.currency === 'EUR' ? euro : ratio(1));
  }

  /** From the lists alone. */
  function expected(match: GoalMatch, wanted: Quantities, held: Quantities) {
    const sums = (quantities: Quantities) => {
      const byKey = new Map<string, number>();
      for (const [id, quantity] of quantities) {
        const key = keyOf(match, described.get(id)!);
        byKey.set(key, (byKey.get(key) ?? 0) + Math.max(quantity, 0));
      }
      return byKey;
    };
    const owned = sums(held);
    const serving = groupBy(described.values(), (one) => keyOf(match, one));
    const gaps = [...sums(wanted)]
      .filter(([, quantity]) => quantity > 0)
      .map(([key, quantity]) => {
        const has = Math.min(owned.get(key) ?? 0, quantity);
        const priced = (serving.get(key) ?? [])
          .flatMap(({ id }) => {
            const price = priceOf(id);
            return price ? [{ id, price }] : [];
          })
          .sort((a, b) => compared(a.price, b.price) || (a.id < b.id ? -1 : 1));
        const [first] = [...wanted.keys()].filter((id) => keyOf(match, described.get(id)!) === key).sort();
        return {
          variantId: priced[0]?.id ?? first!,
          wanted: quantity,
          owned: has,
          missing: quantity - has,
          price: priced[0]?.price ?? null,
        };
      });
    const missing = gaps.filter((gap) => gap.missing > 0);
    const sum = (name: 'wanted' | 'owned' | 'missing', of = gaps) =>
      of.reduce((total, gap) => total + gap[name], 0);
    const cost = missing.reduce(
      (total, gap) => plus(total, times(gap.price ?? ratio(0), ratio(gap.missing))),
      ratio(0),
    );
    return {
      progress: {
        wanted: sum('wanted'),
        owned: sum('owned'),
        missing: sum('missing'),
        missingCount: missing.length,
        costToComplete: textOf(cost, 2),
        unpricedMissing: sum(
          'missing',
          missing.filter(({ price }) => price === null),
        ),
      },
      missing: missing
        .map(({ price, ...gap }) => ({
          ...gap,
          marketPrice: price && textOf(price, 2),
          cost: price && textOf(times(price, ratio(gap.missing)), 2),
        }))
        .sort(byVariant),
    };
  }

  const byVariant = (a: { variantId: string }, b: { variantId: string }) =>
    a.variantId < b.variantId ? -1 : 1;

  async function found(ctx: Context, id: string) {
    const [progress] = await getGoalProgress(ctx, [id]);
    const missing: MissingCard[] = [];
    for (let after: PageRequest & { kind: 'key' } = ALL; ; ) {
      const [page] = await listMissing(ctx, [id], { ...after, size: 7 });
      missing.push(...page!.items);
      if (!page!.hasNextPage) break;
      after = { ...ALL, after: keysOf(page!).at(-1)! };
    }
    return {
      progress: { ...progress!, costToComplete: progress!.costToComplete.amount },
      missing: missing
        .map((card) => ({
          ...card,
          marketPrice: card.marketPrice?.amount ?? null,
          cost: card.cost?.amount ?? null,
        }))
        .sort(byVariant),
    };
  }

  it.each(GOAL_MATCHES)(
    'are what the oracle says of a list and of another collection, by %s',
    async (match) => {
      const ctx = await newAccount(db);
      for (let round = 0; round < 4; round++) {
        const held = some(0.4);
        for (const id of [...held.keys()].slice(0, 3)) held.set(id, -1);
        const wanted = some(0.6);
        const goal = await collectionOf(ctx, held);
        const items = [...wanted].map(([variantId, quantity]) => ({ variantId, quantity }));
        await setGoalCollection(ctx, goal, { items }, match);
        const ofList = expected(match, wanted, held);
        expect(await found(ctx, goal)).toEqual(ofList);
        expect(ofList.progress.unpricedMissing + ofList.progress.owned).toBeGreaterThan(0);
        const target = await collectionOf(ctx, wanted);
        await setGoalCollection(ctx, goal, { collectionId: target }, match);
        expect(await found(ctx, goal)).toEqual(ofList);
        // What changes there is wanted at once.
        const more = some(0.1);
        if (more.size === 0) continue;
        await createTransactions(
          ctx,
          target,
          [...more].map(([variantId, quantity]) => entry(variantId, { quantity })),
        );
        for (const [id, quantity] of more) wanted.set(id, (wanted.get(id) ?? 0) + quantity);
        expect(await found(ctx, goal)).toEqual(expected(match, wanted, held));
      }
    },
  );

  it.each(GOAL_MATCHES)('takes a set as a goal, one of each by %s', async (match) => {
    const ctx = await newAccount(db);
    const goal = await collectionOf(ctx, new Map());
    await setGoalCollection(ctx, goal, { setCode: 'wtr' }, match);
    const cards = [...described.values()].filter((one) => one.set === 'WTR' && !one.sealed);
    const { progress } = await found(ctx, goal);
    expect(progress.wanted).toBe(new Set(cards.map((one) => keyOf(match, one))).size);
    expect(progress.wanted).toBeGreaterThan(200);
    const [held] = cards;
    await createTransactions(ctx, goal, [entry(held!.id, { quantity: 3 })]);
    expect((await found(ctx, goal)).progress).toMatchObject({ owned: 1, missing: progress.wanted - 1 });
  });

  it.each(GOAL_MATCHES)('costs what is sealed at its price, by %s', async (match) => {
    const ctx = await newAccount(db);
    const sealed = [...described.values()].find((one) => one.sealed && priceOf(one.id) !== null)!;
    const goal = await collectionOf(ctx, new Map());
    await setGoalCollection(ctx, goal, { items: [{ variantId: sealed.id, quantity: 2 }] }, match);
    const { progress } = await found(ctx, goal);
    expect(progress).toMatchObject({ missing: 2, unpricedMissing: 0 });
    expect(progress).toEqual(expected(match, new Map([[sealed.id, 2]]), new Map()).progress);
  });

  it('keeps its target while it is the goal, and has none when it becomes it again', async () => {
    const ctx = await newAccount(db);
    const [a, b] = [await collectionOf(ctx, new Map()), await collectionOf(ctx, new Map())];
    const items = [
      { variantId: sample[0]!, quantity: 1 },
      { variantId: sample[0]!, quantity: 2 },
    ];
    const before = (await setGoalCollection(ctx, a, { items }))!.revision;
    expect(await getGoals(ctx, [a, b])).toEqual([
      { collectionId: a, match: 'Variant', targetCollectionId: null, size: 1 },
      null,
    ]);
    expect((await found(ctx, a)).progress).toMatchObject({ wanted: 3 });
    await setGoalCollection(ctx, a);
    expect((await getCollection(ctx, a)).revision).toBe(before);
    expect((await getGoals(ctx, [a]))[0]).not.toBeNull();
    // Another target is a change of the collection.
    await setGoalCollection(ctx, a, { items: items.slice(1) });
    expect((await getCollection(ctx, a)).revision).toBe(before! + 1);
    expect((await found(ctx, a)).progress).toMatchObject({ wanted: 2 });
    await setGoalCollection(ctx, b);
    await setGoalCollection(ctx, a);
    expect(await getGoals(ctx, [a, b])).toEqual([null, null]);
    await setGoalCollection(ctx, null);
    expect(await getGoals(ctx, [a])).toEqual([null]);
  });

  it('does not let its target be deleted before it has another', async () => {
    const ctx = await newAccount(db);
    const [goal, target] = [await collectionOf(ctx, new Map()), await collectionOf(ctx, some(0.2))];
    await setGoalCollection(ctx, goal, { collectionId: target });
    await expect(deleteCollection(ctx, target)).rejects.toMatchObject({
      problem: 'CollectionInUse',
      message: expect.stringContaining('goal collection is to hold'),
    });
    await setGoalCollection(ctx, goal, { setCode: 'WTR' });
    await deleteCollection(ctx, target);
  });

  it('refuses what is not there, or of another account, and changes nothing', async () => {
    const [ctx, stranger] = [await newAccount(db), await newAccount(db)];
    const [goal, theirs] = [await collectionOf(ctx, new Map()), await collectionOf(stranger, some(0.2))];
    await setGoalCollection(ctx, goal, { setCode: 'WTR' });
    const before = await getGoals(ctx, [goal]);
    const variantId = sample[0]!;
    for (const [target, problem] of [
      [{ collectionId: theirs }, 'NotFound'],
      [{ collectionId: 'col_00000000000000000000000000' }, 'NotFound'],
      [{ collectionId: 'nonsense' }, 'NotFound'],
      [
        {
          items: [
            { variantId, quantity: 1 },
            { variantId: 'var_0000000000000000', quantity: 1 },
          ],
        },
        'NotFound',
      ],
      [{ items: [{ variantId: 'var_0\0', quantity: 1 }] }, 'NotFound'],
      [{ items: [{ variantId: 'var_\ud800', quantity: 1 }] }, 'NotFound'],
      [{ setCode: 'XYZ' }, 'NotFound'],
      [{ setCode: 'X'.repeat(LIMITS.idCharacters) }, 'NotFound'],
      [{ setCode: 'X'.repeat(LIMITS.idCharacters + 1) }, 'ValidationFailed'],
      [{ setCode: 'W\0' }, 'ValidationFailed'],
      [{ setCode: 'W\ud800' }, 'ValidationFailed'],
      [{ collectionId: goal }, 'ValidationFailed'],
      [{}, 'ValidationFailed'],
      [{ setCode: 'WTR', items: [{ variantId, quantity: 1 }] }, 'ValidationFailed'],
      [{ items: [] }, 'ValidationFailed'],
      [{ items: [{ variantId, quantity: 0 }] }, 'ValidationFailed'],
      [{ items: [{ variantId, quantity: LIMITS.quantity + 1 }] }, 'ValidationFailed'],
      [{ items: Array(LIMITS.goalItems + 1).fill({ variantId, quantity: 1 }) }, 'ValidationFailed'],
    ] as const) {
      await expect(setGoalCollection(ctx, goal, target)).rejects.toMatchObject({ problem });
    }
    for (const [target, message] of [
      [{ collectionId: theirs }, `target.collectionId: The collection "${theirs}" does not exist.`],
      [
        {
          items: [
            { variantId, quantity: 1 },
            { variantId: 'var_0000000000000000', quantity: 1 },
          ],
        },
        'target.items.1.variantId: The variant "var_0000000000000000" does not exist.',
      ],
      [
        { items: [{ variantId: 'x'.repeat(61), quantity: 1 }] },
        `target.items.0.variantId: The variant "${'x'.repeat(60)}…" does not exist.`,
      ],
      [{ setCode: 'XYZ' }, 'target.setCode: The set "XYZ" does not exist.'],
    ] as const) {
      await expect(setGoalCollection(ctx, goal, target)).rejects.toMatchObject({ message });
    }
    for (const [id, target, match] of [
      [null, { setCode: 'WTR' }],
      [goal, { setCode: 'WTR' }, 'Any'],
      [goal, undefined, 'Card'],
    ] as const) {
      await expect(setGoalCollection(ctx, id, target, match)).rejects.toMatchObject({
        problem: 'ValidationFailed',
      });
    }
    expect(await getGoals(ctx, [goal])).toEqual(before);
    await setGoalCollection(ctx, goal, {
      items: Array(LIMITS.goalItems).fill({ variantId, quantity: LIMITS.quantity }),
    });
    expect((await found(ctx, goal)).progress.wanted).toBe(LIMITS.goalItems * LIMITS.quantity);
    expect(await getGoals(stranger, [goal])).toEqual([null]);
    expect(await getGoalProgress(stranger, [goal])).toEqual([null]);
    expect((await listMissing(stranger, [goal], ALL))[0]!.items).toEqual([]);
  });
});
