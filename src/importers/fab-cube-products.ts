import type { CatalogueProduct, Edition, Finish } from '../domain/catalogue.ts';
import { buildProducts, type Face } from './catalogue-products.ts';
import type { CubePrinting, FabCube } from './fab-cube.ts';
import { RejectedRow } from './import-file.ts';

/** A set as the catalogue has it already. */
export interface KnownSet {
  setName: string;
  releaseDate: string | null;
  /** Whether it was printed in two editions. */
  hasEditions: boolean;
}

const EDITIONS: Record<string, { edition: Edition | null; code: string[]; prefix: string }> = {
  A: { edition: '1st', code: ['Alpha'], prefix: '1st Edition ' },
  F: { edition: '1st', code: ['First'], prefix: '1st Edition ' },
  U: { edition: 'Unlimited', code: ['Unlimited'], prefix: 'Unlimited Edition ' },
  N: { edition: null, code: [], prefix: '' },
};

const FOILINGS: Record<string, { finish: Finish; code: string[] }> = {
  S: { finish: 'Normal', code: [] },
  R: { finish: 'Rainbow Foil', code: ['Rainbow'] },
  C: { finish: 'Cold Foil', code: ['Cold'] },
  G: { finish: 'Gold Foil', code: ['Gold'] },
};

const RARITIES: Record<string, string> = {
  C: 'Common',
  R: 'Rare',
  S: 'Super Rare',
  M: 'Majestic',
  L: 'Legendary',
  F: 'Fabled',
  T: 'Token',
  B: 'Basic',
  V: 'Marvel',
  P: 'Promo',
};

const ART_VARIATIONS: Record<string, string> = {
  AA: 'Alternate Art',
  AB: 'Alternate Border',
  AT: 'Alternate Text',
  EA: 'Extended Art',
  FA: 'Full Art',
};

/**
 * The products of the-fab-cube's printings, by the same rules and with the same ids as those of the shipped catalogue. A
 * printing of a set that neither the catalogue nor `set.csv` names, or with a code that is not known, is rejected.
 */
export function cubeProducts(
  cube: FabCube,
  known: ReadonlyMap<string, KnownSet>,
): { products: CatalogueProduct[]; rejected: RejectedRow[] } {
  const reprinted = new Set(
    cube.printings.filter(({ edition }) => edition === 'U').map(({ setCode }) => setCode),
  );
  for (const [setCode, { hasEditions }] of known) if (hasEditions) reprinted.add(setCode);
  const faces: Face[] = [];
  const rejected: RejectedRow[] = [];
  const prints = new Map<string, number>();
  for (const printing of cube.printings) {
    const setName = known.get(printing.setCode)?.setName ?? cube.setNames.get(printing.setCode);
    const face = faceOf(cube, printing, setName);
    if (face instanceof RejectedRow) {
      rejected.push(face);
      continue;
    }
    const count = (prints.get(face.print) ?? 0) + 1;
    prints.set(face.print, count);
    if (count > 1) face.print += `-${count}`;
    faces.push(reprinted.has(face.setCode) ? face : { ...face, edition: null });
  }
  const built = buildProducts(faces, datesOf(cube, known), [], cube.cards.values());
  return { products: built.map(({ product }) => product), rejected };
}

function faceOf(cube: FabCube, printing: CubePrinting, setName: string | undefined): Face | RejectedRow {
  const reject = (kind: string, value: string) =>
    new RejectedRow(printing.place, `unknown ${kind}`, `${printing.number}: unknown ${kind} "${value}"`);
  const card = cube.cards.get(printing.card);
  const edition = EDITIONS[printing.edition];
  const foiling = FOILINGS[printing.foiling];
  const rarity = RARITIES[printing.rarity];
  if (setName === undefined) return reject('set', printing.setCode);
  if (card === undefined) return reject('card', printing.card);
  if (edition === undefined) return reject('edition', printing.edition);
  if (foiling === undefined) return reject('foiling', printing.foiling);
  if (rarity === undefined) return reject('rarity', printing.rarity);
  const isBack = cube.backs.has(printing.uniqueId);
  const treatments = printing.artVariations.map((code) => ART_VARIATIONS[code] ?? code).sort();
  const print = [
    printing.number,
    ...edition.code,
    ...foiling.code,
    ...treatments,
    ...(isBack ? ['Back'] : []),
  ];
  return {
    card,
    print: print.join('-'),
    identifier: printing.number,
    isBack,
    vendorProductId: printing.vendorProductId,
    variantName: `${edition.prefix}${foiling.finish}`,
    edition: edition.edition,
    finish: foiling.finish,
    rarity,
    isExpansionSlot: printing.isExpansionSlot,
    treatments,
    artists: printing.artists,
    setCode: printing.setCode,
    setName,
    imageUrl: printing.imageUrl,
  };
}

/** By the sets' names, as the products are built. */
function datesOf(cube: FabCube, known: ReadonlyMap<string, KnownSet>): Map<string, string> {
  const dates = new Map<string, string>();
  for (const [setCode, date] of cube.releaseDates) {
    const name = cube.setNames.get(setCode);
    if (name !== undefined) dates.set(name, date);
  }
  for (const { setName, releaseDate } of known.values()) if (releaseDate) dates.set(setName, releaseDate);
  return dates;
}
