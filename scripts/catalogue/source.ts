import { createRequire } from 'node:module';
import { cards } from '@flesh-and-blood/cards';
import { z } from 'zod';
import type { Edition, Finish } from '../../src/domain/catalogue.ts';
import { compareText, type Face } from '../../src/importers/catalogue-products.ts';

type Card = (typeof cards)[number];
type Printing = Card['printings'][number];

const IMAGE_BASE = 'https://legendstory-production-s3-public.s3.amazonaws.com/media/cards/large';

const EDITION_OF = new Map<string | undefined, Edition>([
  ['Alpha', '1st'],
  ['First', '1st'],
  ['Unlimited', 'Unlimited'],
]);

const FINISH_OF = new Map<string | undefined, Finish>([
  [undefined, 'Normal'],
  ['Rainbow', 'Rainbow Foil'],
  ['Cold', 'Cold Foil'],
  ['Gold', 'Gold Foil'],
]);

/** Every printing of the package, in an order that does not depend on the package's own. */
export function readFaces(): Face[] {
  const faces = cards
    .flatMap((card) => card.printings.map((printing) => ({ card, printing })))
    .sort((a, b) => compareText(sortKey(a), sortKey(b)));
  const seen = new Map<string, number>();
  const all = faces.map(({ card, printing }) => {
    const count = (seen.get(printing.print) ?? 0) + 1;
    seen.set(printing.print, count);
    return toFace(card, printing, count === 1 ? printing.print : `${printing.print}-${count}`);
  });
  const reprinted = new Set(all.filter((face) => face.edition === 'Unlimited').map((face) => face.setCode));
  return all.map((face) => (reprinted.has(face.setCode) ? face : { ...face, edition: null }));
}

function sortKey({ card, printing }: { card: Card; printing: Printing }): string {
  return [printing.print, card.cardIdentifier, ...(printing.treatments ?? [])].join('\n');
}

function toFace(card: Card, printing: Printing, print: string): Face {
  const { identifier } = printing;
  const setCode = /^([0-9]?[A-Z]+)[0-9]+$/.exec(identifier)?.[1];
  const finish = FINISH_OF.get(printing.foiling);
  if (setCode === undefined) throw new Error(`${print}: the identifier ${identifier} names no set`);
  if (finish === undefined) throw new Error(`${print}: unknown foiling ${printing.foiling}`);
  const edition = EDITION_OF.get(printing.edition) ?? null;
  const url = printing.tcgplayer?.url;
  const vendorName = url === undefined ? '' : (new URL(url).searchParams.get('Printing') ?? '');
  return {
    card,
    print,
    identifier,
    isBack: print.split('-').includes('Back'),
    vendorProductId: printing.tcgplayer?.productId ? Number(printing.tcgplayer.productId) : null,
    variantName: vendorName || (edition === null ? finish : `${edition} Edition ${finish}`),
    edition,
    finish,
    rarity: printing.rarity,
    isExpansionSlot: printing.isExpansionSlot ?? false,
    treatments: printing.treatments ?? [],
    artists: printing.artists,
    setCode,
    setName: printing.set,
    imageUrl: `${IMAGE_BASE}/${printing.image ?? identifier}.webp`,
  };
}

const releasesSchema = z.object({
  releases: z.array(z.object({ release: z.string(), releaseDate: z.string().regex(/^\d{4}-\d\d-\d\d/) })),
});

/** Release dates (`YYYY-MM-DD`) by the set's name, from the package of types that the cards' package brings. */
export function readReleaseDates(): Map<string, string> {
  const require = createRequire(createRequire(import.meta.url).resolve('@flesh-and-blood/cards'));
  const { releases } = releasesSchema.parse(require('@flesh-and-blood/types'));
  return new Map(releases.map(({ release, releaseDate }) => [release, releaseDate.slice(0, 10)]));
}
