import type { CardSet } from '../../domain/card-sets.ts';
import { keyOrder } from '../../domain/key-order.ts';
import { searchableCatalogue } from '../../memory/memory.ts';
import type { Context } from '../context.ts';

/** The newest first, then by code. */
export const SET_ORDER = keyOrder<CardSet>('sets-release', [
  { kind: 'date', descending: true, of: ({ releaseDate }) => releaseDate ?? '-infinity' },
  { kind: 'text', of: ({ code }) => code },
]);

/** The sets of the catalogue, by their codes. */
export async function getSets(ctx: Context): Promise<ReadonlyMap<string, CardSet>> {
  return (await searchableCatalogue(ctx)).sets;
}
