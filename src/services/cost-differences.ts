import type { Database } from '../db/client.ts';
import { KEPT_COSTS, type KeptCostsRow } from '../db/queries/cost-states.ts';
import { COLLECTION_IDS, type Difference } from '../db/queries/doctor.ts';
import { type OrderedBasis, RunningCost } from '../domain/cost-basis.ts';
import { fixedText } from '../domain/fixed-point.ts';
import { entriesIn, keptState } from './transactions/costs.ts';

const VARIANTS_AT_ONCE = 100;

/** What is kept of the cost of an account's cards, and is not what its transactions say; it is locked. */
export async function costDifferences(tx: Database, accountId: string): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const { id } of await tx.query<{ id: string }>(COLLECTION_IDS, [accountId])) {
    for (let after = ''; ; ) {
      const rows = await tx.query<KeptCostsRow>(KEPT_COSTS, [accountId, id, after, VARIANTS_AT_ONCE]);
      for (const row of rows) differences.push(...differencesOf(row, accountId, id));
      if (rows.length < VARIANTS_AT_ONCE) break;
      after = rows.at(-1)!.variantId;
    }
  }
  return differences;
}

function differencesOf(row: KeptCostsRow, accountId: string, collectionId: string): Difference[] {
  const { states, held, heldCost, heldUnknown } = row.costBasis === 'Average' ? NOTHING_KEPT : costsOf(row);
  const ofVariant = { accountId, id: `${collectionId} ${row.variantId}` };
  const stored = {
    held: row.held?.toString() ?? null,
    heldCost: row.heldCost,
    heldUnknown: row.heldUnknown?.toString() ?? null,
  };
  const differences: Difference[] = [];
  const compare = (field: string, was: string | null, expected: string | null) => {
    if (was !== expected) differences.push({ ...ofVariant, kind: 'holding', field, stored: was, expected });
  };
  compare('held', stored.held, held);
  compare('held_cost', stored.heldCost, heldCost);
  compare('held_unknown', stored.heldUnknown, heldUnknown);
  const [kept, wanted] = [row.states?.split('\n') ?? [], states];
  for (let i = 0; i < Math.max(kept.length, wanted.length); i++)
    compare('cost_state', kept[i] ?? null, wanted[i] ?? null);
  return differences;
}

const NOTHING_KEPT = { states: [] as string[], held: null, heldCost: null, heldUnknown: null };

function costsOf({ costBasis, lines }: KeptCostsRow) {
  const running = new RunningCost(costBasis as OrderedBasis);
  const states = entriesIn(lines).map((entry) => {
    const state = keptState(running.record(entry).cost, running.state);
    const { cost, held, heldCost, heldUnknown, lotOccurred, lotId, lotTaken } = state;
    const lot = lotId === null ? [] : [lotOccurred, lotId, lotTaken];
    return [entry.id, cost, held, heldCost, heldUnknown, ...lot].join(' ');
  });
  const { held, heldCost, heldUnknown } = running.state;
  return { states, held: String(held), heldCost: fixedText(heldCost), heldUnknown: String(heldUnknown) };
}
