import type { Edition, Finish } from './catalogue.ts';
import { fold } from './search/normalise.ts';

/** Which variant a row of somebody else's file means. Nothing is guessed: it is the only one that fits, or none. */

/** What a file says of a card; what is left out, it does not say. */
export interface CardClues {
  variantId?: string;
  fcId?: string;
  vendorProductId?: number;
  number?: string;
  /** As printed or as a shop calls it: `Absorb in Aether (Red)`, `Fyendal's Spring Tunic (Extended Art)`. */
  name?: string;
  /** With which its number begins. */
  setCode?: string;
  setName?: string;
  edition?: Edition;
  finishes?: readonly Finish[];
  /** e.g. `Extended Art`; an empty list says that it has none. */
  treatments?: readonly string[];
}

export interface CardVariant {
  variantId: string;
  variantName: string;
  fcId: string;
  /** Null where the set was printed in one edition only. */
  edition: Edition | null;
  finish: Finish;
  productId: string;
  productName: string;
  number: string | null;
  /** Of its other face or half. */
  otherNumbers: readonly string[];
  setName: string;
  vendorProductId: number | null;
}

/** The only variant that fits all that the file says, or null. */
export function matchedVariant(clues: CardClues, candidates: readonly CardVariant[]): CardVariant | null {
  const wanted = wantedBy(clues);
  const all = candidates.filter((variant) => fits(wanted, variant));
  // A card's own number goes before that of another one's other face.
  const own = all.filter(({ number }) => fold(number ?? '') === (wanted.number ?? ''));
  const fitting = own.length > 0 ? own : all;
  return fitting.length === 1 ? fitting[0]! : null;
}

/** Those that come closest first; equals stay in their order. */
export function closestVariants(
  clues: CardClues,
  candidates: readonly CardVariant[],
  count: number,
): CardVariant[] {
  const wanted = wantedBy(clues);
  return candidates
    .map((variant) => ({ variant, closeness: closeness(wanted, variant) }))
    .sort((a, b) => b.closeness - a.closeness)
    .slice(0, count)
    .map(({ variant }) => variant);
}

/** Whether the file says which card it is by more than its name. */
export function isIdentified({ variantId, fcId, vendorProductId, number }: CardClues): boolean {
  return [variantId, fcId, vendorProductId, number].some((clue) => clue !== undefined);
}

/** Clues whose texts are folded, once for all that they are compared with. */
type Wanted = CardClues & { readonly isFolded: true };

function wantedBy(clues: CardClues): Wanted {
  const { number, name, setCode, setName } = clues;
  return {
    ...clues,
    ...(number !== undefined && { number: fold(number) }),
    ...(name !== undefined && { name: fold(name) }),
    ...(setCode !== undefined && { setCode: fold(setCode) }),
    ...(setName !== undefined && { setName: fold(setName) }),
    isFolded: true,
  };
}

function fits(clues: Wanted, variant: CardVariant): boolean {
  const { variantId, fcId, vendorProductId, number, name, setCode, setName } = clues;
  if (variantId !== undefined && variantId !== variant.variantId) return false;
  if (fcId !== undefined && fcId !== variant.fcId) return false;
  // Ids of a variant say it all. Names and printings may have been corrected since the file was written.
  if (variantId !== undefined || fcId !== undefined) return true;
  if (!hasPrinting(clues, variant)) return false;
  if (vendorProductId !== undefined) return vendorProductId === variant.vendorProductId;
  if (number !== undefined)
    return hasNumber(variant, number) && (name === undefined || isAbout(name, variant.productName));
  if (name === undefined || name !== fold(variant.productName)) return false;
  if (setCode !== undefined && !fold(variant.number ?? '').startsWith(setCode)) return false;
  return setName === undefined || setName.startsWith(fold(variant.setName));
}

function hasPrinting({ edition, finishes, treatments }: CardClues, variant: CardVariant): boolean {
  return (
    (edition === undefined || variant.edition === null || variant.edition === edition) &&
    (finishes === undefined || finishes.includes(variant.finish)) &&
    (treatments === undefined || isSameSet(treatments, treatmentsOf(variant.fcId)))
  );
}

function closeness(clues: Wanted, variant: CardVariant): number {
  const { vendorProductId, number, name, setName, edition, finishes, treatments } = clues;
  const points = (isTrue: boolean, count: number) => (isTrue ? count : 0);
  return (
    points(vendorProductId === variant.vendorProductId, 16) +
    points(number !== undefined && hasNumber(variant, number), 8) +
    points(name !== undefined && name === fold(variant.productName), 4) +
    points(setName?.startsWith(fold(variant.setName)) ?? false, 3) +
    points(finishes?.includes(variant.finish) ?? false, 2) +
    points(edition === variant.edition, 1) +
    points(treatments !== undefined && isSameSet(treatments, treatmentsOf(variant.fcId)), 1)
  );
}

/** A card with two faces or halves may have a number on each. */
function hasNumber({ number, otherNumbers }: CardVariant, wanted: string): boolean {
  return [number ?? '', ...otherNumbers].some((one) => fold(one) === wanted);
}

const COLOUR = / \((Red|Yellow|Blue)\)$/;

/** Shops add to a name, and some leave its colour or its other side away. A name without a letter says nothing. */
function isAbout(given: string, productName: string): boolean {
  return productName.split(' // ').some((face) => {
    const printed = fold(face.replace(COLOUR, ''));
    return given.includes(printed) || printed.includes(given);
  });
}

const OTHER_PARTS = new Set(['Alpha', 'First', 'Unlimited', 'Rainbow', 'Cold', 'Gold', 'Back']);

/** `DYN234-Cold-Alternate Border-Extended Art` has two. */
export function treatmentsOf(fcId: string): string[] {
  return fcId
    .split('-')
    .slice(1)
    .filter((part) => !OTHER_PARTS.has(part));
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}
