import type { Database } from '../../db/client.ts';
import {
  LINK_SEALED,
  SEALED_VARIANTS,
  type SealedVariant,
  VENDOR_VARIANTS,
  type VendorVariant,
} from '../../db/queries/catalogue-import.ts';
import { RECORD_CHANGE, revisionStep } from '../../db/queries/market-data.ts';
import { vendorImageUrl } from '../../importers/catalogue-file.ts';
import { RejectedRow, type RowPlace } from '../../importers/import-file.ts';
import { comparableName, type SealedName } from '../../importers/sealed-names.ts';
import { addTo } from '../../lib/lists.ts';

/** What the vendor calls a variant, and where it does. */
export interface VendorReference {
  place: RowPlace;
  vendorProductId: number;
  variantName: string;
}

/** The catalogue by the vendor's ids and names. */
export class VendorCatalogue {
  private readonly cards = new Map<number, Map<string, string>>();
  private readonly sealed = new Map<number, SealedVariant>();
  private readonly sealedVariants: readonly SealedVariant[];

  constructor(variants: readonly VendorVariant[], sealedVariants: readonly SealedVariant[]) {
    for (const { vendorProductId, name, variantId } of variants) {
      const names = this.cards.get(vendorProductId) ?? new Map<string, string>();
      this.cards.set(vendorProductId, names.set(name, variantId));
    }
    this.sealedVariants = sealedVariants;
    for (const sealed of sealedVariants) {
      if (sealed.vendorProductId !== null) this.sealed.set(sealed.vendorProductId, sealed);
    }
  }

  /** The id of a variant; what the catalogue does not have is rejected, never guessed. */
  variantIdOf({ place, vendorProductId, variantName }: VendorReference): string | RejectedRow {
    const sealed = this.sealed.get(vendorProductId);
    const names = this.cards.get(vendorProductId);
    if (!sealed && !names) {
      return new RejectedRow(place, 'unknown product', `product ${vendorProductId} is not in the catalogue`);
    }
    const variantId =
      names?.get(variantName) ?? (sealed && isOnlyVariant(sealed, variantName) ? sealed.variantId : null);
    if (variantId) return variantId;
    const reason = `product ${vendorProductId} has no variant "${variantName}" in the catalogue`;
    return new RejectedRow(place, 'unknown variant', reason);
  }

  /**
   * Finds the vendor's ids of sealed products by their names. A product that has one keeps it, and one that two names
   * fit is left alone.
   */
  newLinks(names: ReadonlyMap<number, SealedName>): { vendorProductId: number; sealed: SealedVariant }[] {
    const found = new Map<SealedVariant, number[]>();
    for (const [vendorProductId, name] of names) {
      const sealed = this.sealedOf(name);
      if (sealed && sealed.vendorProductId === null && !this.cards.has(vendorProductId)) {
        addTo(found, sealed, vendorProductId);
      }
    }
    return [...found].flatMap(([sealed, ids]) =>
      ids.length === 1 ? [{ vendorProductId: ids[0]!, sealed }] : [],
    );
  }

  link(vendorProductId: number, sealed: SealedVariant): void {
    this.sealed.set(vendorProductId, { ...sealed, vendorProductId });
  }

  private sealedOf({ set, productType, edition }: SealedName): SealedVariant | undefined {
    const candidates = this.sealedVariants.filter(
      (sealed) => sealed.productType === productType && comparableName(sealed.setName) === set,
    );
    // A set with one edition only is sold without naming it, or as its first.
    const [only, ...others] = candidates;
    if (only?.edition === null && others.length === 0) return edition === 'Unlimited' ? undefined : only;
    return edition === null ? undefined : candidates.find((sealed) => sealed.edition === edition);
  }
}

function isOnlyVariant({ edition }: SealedVariant, variantName: string): boolean {
  return variantName === 'Normal' || variantName === `${edition ?? '1st'} Edition Normal`;
}

/** What to do where no card is known. */
export const EMPTY_CATALOGUE =
  'the catalogue is empty; start the server once, which loads one, or use "import catalogue" first';

/**
 * The catalogue as it is now, with sealed products linked to the vendor's by the names that are given. Throws where it is empty:
 * nothing of a file would be known, and its day would count as loaded.
 */
export async function vendorCatalogue(
  tx: Database,
  sealedNames: ReadonlyMap<number, SealedName>,
): Promise<VendorCatalogue> {
  const variants = await tx.query<VendorVariant>(VENDOR_VARIANTS);
  const sealedVariants = await tx.query<SealedVariant>(SEALED_VARIANTS);
  if (variants.length + sealedVariants.length === 0) throw new Error(EMPTY_CATALOGUE);
  const catalogue = new VendorCatalogue(variants, sealedVariants);
  const links = catalogue.newLinks(sealedNames);
  for (const { vendorProductId, sealed } of links) {
    await tx.query(LINK_SEALED, [sealed.productId, vendorProductId, vendorImageUrl(vendorProductId)]);
    catalogue.link(vendorProductId, sealed);
  }
  if (links.length > 0) await tx.query(RECORD_CHANGE, ['catalogue', revisionStep()]);
  return catalogue;
}
