import { EV_BREAKDOWNS, type EvRate } from '../../db/queries/evs.ts';
import type { ProductType } from '../../domain/catalogue.ts';
import { DomainError } from '../../domain/errors.ts';
import { parseProductEvId, productEvId } from '../../domain/ids.ts';
import { EvBreakdown, type EvBreakdownInDollars } from '../../domain/product-ev.ts';
import type { Catalogue } from '../../memory/catalogue.ts';
import { heldCatalogue, heldOr } from '../../memory/memory.ts';
import { getPreferences, type Preferences } from '../accounts/preferences.ts';
import { type Context, observed, type Seen } from '../context.ts';

/** Throws `NotFound` where there is no such pair of set and product. */
export async function getEvBreakdown(
  ctx: Context,
  setType: string,
  productType: ProductType,
): Promise<EvBreakdown> {
  const [breakdown] = await getEvBreakdowns(ctx, [productEvId(setType, productType)]);
  if (breakdown) return breakdown;
  throw new DomainError(
    'NotFound',
    `There is no ${productType} of this set type; the list of expected values has those that exist.`,
  );
}

/** The breakdowns in the order of the ids of the product EVs, with null where there is none. */
export async function getEvBreakdowns(ctx: Context, ids: readonly string[]): Promise<(EvBreakdown | null)[]> {
  const preferences = await getPreferences(ctx);
  const catalogue = await heldCatalogue(ctx);
  return heldOr<EvBreakdown | null>(
    ids,
    (id) => evAtHand(ctx, catalogue, preferences, id),
    async (missing) => {
      const { preferredCurrency: currency } = preferences;
      const keys = missing.map(parseProductEvId).filter((key) => key !== null);
      const rows =
        keys.length === 0
          ? []
          : await ctx.db.hot<EvBreakdownInDollars & EvRate>(EV_BREAKDOWNS, [currency, JSON.stringify(keys)]);
      const breakdowns = observed(ctx, rows).map((row) => new EvBreakdown(row, currency, row.rate));
      const byId = new Map(breakdowns.map((breakdown) => [breakdown.id, breakdown]));
      return (id) => byId.get(id) ?? null;
    },
  );
}

/** Undefined where it is not at hand. */
export function evAtHand(
  { seen }: Context,
  catalogue: Catalogue | null,
  preferences: Preferences | null,
  id: string,
): EvBreakdown | undefined {
  const ev = preferences ? catalogue?.evs(preferences.preferredCurrency)?.get(id) : undefined;
  if (ev) noteEvs(seen, catalogue!);
  return ev;
}

/** Notes what expected values from memory are made of. */
export function noteEvs(seen: Seen | undefined, { pricingRevision, revisions }: Catalogue): void {
  seen?.note('marketRevision', pricingRevision);
  seen?.note('pullRatesRevision', revisions.evs);
}
