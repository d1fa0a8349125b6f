import { type AllocationRow, allocation } from '../../db/queries/allocation.ts';
import { OF_COLLECTIONS, OF_VALUED } from '../../db/queries/held-items.ts';
import { type AllocationKey, sharesOf } from '../../domain/allocation.ts';
import type { Currency } from '../../domain/currencies.ts';
import { DecimalSum, derivedMoney, type Money } from '../../domain/money.ts';
import { type Context, observed } from '../context.ts';

/** A part of what is held. */
export interface AllocationPart {
  /** The code of the set, or the rarity, class or finish; null for cards that have none, and for the rest. */
  key: string | null;
  name: string;
  /** Whether it is all behind the parts that were asked for. */
  isRest: boolean;
  quantity: number;
  /** Of them, without a known price: they count as 0. */
  unpricedQuantity: number;
  marketValue: Money;
  /** Of the value of all parts, to 4 decimals; those of all parts add up to exactly 1. Null where nothing has a value. */
  share: string | null;
}

/** Of what each collection holds: the `first` parts of the highest value, then the rest of them as one. */
export async function getAllocations(
  ctx: Context,
  collectionIds: readonly string[],
  by: AllocationKey,
  first: number,
): Promise<AllocationPart[][]> {
  const params = [ctx.caller.accountId, JSON.stringify(collectionIds)];
  const rows = observed(ctx, await ctx.db.query<AllocationRow>(allocation(OF_COLLECTIONS, by), params));
  const byScope = new Map<string, AllocationRow[]>(collectionIds.map((id) => [id, []]));
  for (const row of rows) byScope.get(row.scope)!.push(row);
  return collectionIds.map((id) => partsOf(byScope.get(id)!, first));
}

/** Of what the valued collections hold together. */
export async function getAllocationOfValued(
  ctx: Context,
  by: AllocationKey,
  first: number,
): Promise<AllocationPart[]> {
  const rows = await ctx.db.query<AllocationRow>(allocation(OF_VALUED, by), [ctx.caller.accountId]);
  return partsOf(observed(ctx, rows), first);
}

type Part = Omit<AllocationRow, 'scope' | 'marketRevision'> & { isRest: boolean };

function partsOf(rows: readonly AllocationRow[], first: number): AllocationPart[] {
  const parts: Part[] = rows.slice(0, first).map((row) => ({ ...row, isRest: false }));
  if (rows.length > first) parts.push(restOf(rows.slice(first)));
  const shares = sharesOf(parts.map(({ value }) => value));
  return parts.map(({ key, name, isRest, quantity, unpriced, value, currency }, i) => ({
    key,
    name: name ?? 'None',
    isRest,
    quantity,
    unpricedQuantity: unpriced,
    marketValue: derivedMoney(currency as Currency, value),
    share: shares[i]!,
  }));
}

function restOf(rows: readonly AllocationRow[]): Part {
  const sumOf = (name: 'quantity' | 'unpriced') => rows.reduce((sum, row) => sum + row[name], 0);
  const value = new DecimalSum();
  for (const row of rows) value.add(row.value);
  const { currency } = rows[0]!;
  return {
    key: null,
    name: 'Other',
    isRest: true,
    quantity: sumOf('quantity'),
    unpriced: sumOf('unpriced'),
    value: value.text,
    currency,
  };
}
