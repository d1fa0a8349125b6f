import { describe, expect, it } from 'vitest';
import {
  type CardClues,
  type CardVariant,
  closestVariants,
  isIdentified,
  matchedVariant,
} from '../../src/domain/card-match.ts';
import { readCatalogueFile } from '../../src/importers/catalogue-file.ts';
import { projectPath } from '../../src/paths.ts';

const { products } = await readCatalogueFile(projectPath('data/catalogue.json.gz'));
const variants = products.flatMap(({ variants, name, ...product }): CardVariant[] =>
  variants.map((variant) => ({ ...product, ...variant, productName: name })),
);
const NUMBERS = ['ARC159', 'ARC123', 'MST131', 'HNT016', 'DYN234', 'DTD007'];
const few = variants.filter(({ number, setName }, i) =>
  number === null ? setName === 'Welcome to Rathe' : NUMBERS.includes(number) || i % 1000 === 0,
);
const codeOf = (clues: CardClues) => matchedVariant(clues, few)?.fcId ?? null;

describe('the variant that a file means', () => {
  it('is each one of the catalogue by its id or its code', () => {
    for (const { variantId, fcId } of few) {
      expect([codeOf({ variantId }), codeOf({ fcId })]).toEqual([fcId, fcId]);
    }
  });

  it.each<[CardClues, string | null]>([
    [{ number: 'ARC159', edition: '1st', finishes: ['Rainbow Foil'] }, 'ARC159-First-Rainbow'],
    [{ number: 'arc159', edition: 'Unlimited', finishes: ['Normal'] }, 'ARC159-Unlimited'],
    [{ number: 'ARC159', finishes: ['Normal'] }, null],
    [{ number: 'ARC159', edition: '1st' }, null],
    [{ number: 'MST131', finishes: ['Normal'] }, 'MST131'],
    // A set that was printed once is of any edition that a file names.
    [{ number: 'MST131', edition: '1st', finishes: ['Normal'] }, 'MST131'],
    [{ number: 'MST131', finishes: ['Cold Foil'] }, null],
    [{ number: 'HNT016', finishes: ['Rainbow Foil'] }, null],
    [{ number: 'HNT016', finishes: ['Rainbow Foil'], treatments: [] }, 'HNT016-Rainbow'],
    [
      { number: 'HNT016', finishes: ['Rainbow Foil'], treatments: ['Extended Art'] },
      'HNT016-Rainbow-Extended Art',
    ],
    [
      { number: 'DYN234', finishes: ['Cold Foil'], treatments: ['Extended Art', 'Alternate Border'] },
      'DYN234-Cold-Alternate Border-Extended Art',
    ],
    [{ vendorProductId: 614579, finishes: ['Rainbow Foil'] }, 'HNT016-Rainbow-Extended Art'],
    [
      { vendorProductId: 614579, number: 'MST131', finishes: ['Rainbow Foil'] },
      'HNT016-Rainbow-Extended Art',
    ],
    [{ vendorProductId: 1, number: 'MST131', finishes: ['Normal'] }, null],
    [{ number: 'MST131', name: '10,000 Year Reunion', finishes: ['Normal'] }, 'MST131'],
    [{ number: 'MST131', name: '10000 year reunion (Marvel)', finishes: ['Normal'] }, 'MST131'],
    [{ number: 'MST131', name: 'Command and Conquer', finishes: ['Normal'] }, null],
    [{ number: 'ARC123', name: 'Absorb in Aether', edition: '1st', finishes: ['Normal'] }, 'ARC123-First'],
    [{ number: 'DTD007', name: 'Aegis, Archangel of Protection', finishes: ['Normal'] }, 'DTD007'],
    [{ name: 'Welcome to Rathe Booster Box [Unlimited Edition]' }, 'WtrUnlimitedEdition-Box'],
    [{ name: 'Welcome to Rathe Booster Box' }, null],
    [{ name: 'Command and Conquer', finishes: ['Normal'] }, null],
    [
      { name: 'Command and Conquer', setName: 'Arcane Rising', edition: 'Unlimited', finishes: ['Normal'] },
      'ARC159-Unlimited',
    ],
    [{ variantId: 'var_atzw90sz174deze4', fcId: 'ARC159-Unlimited', name: 'another' }, 'ARC159-Unlimited'],
    [{ variantId: 'var_atzw90sz174deze4', fcId: 'ARC159-First' }, null],
    [{ finishes: ['Normal'] }, null],
    [{}, null],
  ])('of %j is %j', (clues, code) => {
    expect(codeOf(clues)).toBe(code);
  });

  it('is found for every printing of the catalogue as FaBrary names it, but for those that it names alike', () => {
    const editions = { Alpha: '1st', First: '1st', Unlimited: 'Unlimited' } as const;
    const wrong: string[] = [];
    const byNumber = new Map<string, CardVariant[]>();
    for (const variant of variants) {
      if (variant.number === null) continue;
      byNumber.set(variant.number, [...(byNumber.get(variant.number) ?? []), variant]);
    }
    for (const candidates of byNumber.values()) {
      for (const { fcId, finish, number } of candidates) {
        const parts = fcId.split('-').slice(1);
        const edition = Object.entries(editions).find(([name]) => parts.includes(name))?.[1];
        const known = ['Alpha', 'First', 'Unlimited', 'Rainbow', 'Cold', 'Gold', 'Back'];
        const treatments = parts.filter((part) => !known.includes(part));
        const clues = { number: number!, ...(edition && { edition }), finishes: [finish], treatments };
        if (matchedVariant(clues, candidates)?.fcId !== fcId) wrong.push(fcId);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('the closest variants', () => {
  it('are those of the number, then of the name, by edition and finish', () => {
    const clues = {
      number: 'ARC159',
      name: 'Command and Conquer',
      edition: 'Unlimited',
      finishes: ['Cold Foil'],
    } as const;
    expect(closestVariants(clues, few, 3).map(({ fcId }) => fcId)).toEqual([
      'ARC159-Unlimited',
      'ARC159-Unlimited-Rainbow',
      'ARC159-First',
    ]);
  });

  it('are as many as there are', () => {
    expect(closestVariants({ number: 'x' }, [], 3)).toEqual([]);
    expect(closestVariants({ number: 'x' }, variants.slice(0, 2), 3)).toHaveLength(2);
  });
});

const CARD: CardVariant = {
  variantId: 'var_1',
  variantName: 'Normal',
  fcId: 'TST001',
  edition: null,
  finish: 'Normal',
  productId: 'prd_1',
  productName: 'Razor Reflex (Red)',
  number: 'TST001',
  otherNumbers: [],
  setName: 'Test Rising',
  vendorProductId: 1,
};
const card = (fields: Partial<CardVariant>): CardVariant => ({ ...CARD, ...fields });

describe('closeness', () => {
  const other = card({
    fcId: 'OTH002-Cold-Extended Art',
    edition: 'Unlimited',
    finish: 'Cold Foil',
    productName: 'Snatch',
    number: 'OTH002',
    setName: 'Other',
    vendorProductId: 2,
  });
  const alike = (fields: Partial<CardVariant>) => ({ ...other, ...fields });
  const clues: CardClues = {
    vendorProductId: 1,
    number: 'tst001',
    name: 'razor reflex (red)',
    setName: 'Test Rising: Alpha',
    finishes: ['Normal', 'Rainbow Foil'],
    edition: '1st',
    treatments: ['Marvel'],
  };
  const byVendorId = alike({ vendorProductId: 1 });
  const byNumber = alike({ number: 'TST001' });
  const byName = alike({ productName: 'Razor Reflex (Red)' });
  const bySet = alike({ setName: 'Test Rising' });
  const byFinish = alike({ finish: 'Rainbow Foil' });
  const byEdition = alike({ edition: '1st' });
  const byTreatment = alike({ fcId: 'OTH002-Cold-Marvel' });

  it('is by the vendor, the number, the name, the set, the finish, then the edition or the treatment', () => {
    const candidates = [other, byTreatment, byEdition, byFinish, bySet, byName, byNumber, byVendorId];
    expect(closestVariants(clues, candidates, 8)).toEqual([
      byVendorId,
      byNumber,
      byName,
      bySet,
      byFinish,
      byTreatment,
      byEdition,
      other,
    ]);
    expect(closestVariants(clues, [other, byEdition, byTreatment], 2)).toEqual([byEdition, byTreatment]);
  });

  it('adds up', () => {
    const nameAndSet = alike({ productName: 'Razor Reflex (Red)', setName: 'Test Rising', finish: 'Normal' });
    const all = [byVendorId, byNumber, nameAndSet];
    expect(closestVariants(clues, all, 3)).toEqual([byVendorId, nameAndSet, byNumber]);
    const most = alike({ ...nameAndSet, number: 'TST001' });
    expect(closestVariants(clues, [byVendorId, most], 2)).toEqual([most, byVendorId]);
  });

  it('counts nothing that the file does not say', () => {
    const candidates = [
      other,
      card({ number: null, vendorProductId: null }),
      byVendorId,
      byNumber,
      byName,
      bySet,
      byFinish,
      byEdition,
      byTreatment,
    ];
    expect(closestVariants({}, candidates, 9)).toEqual(candidates);
    expect(closestVariants({ number: '' }, [other, card({ number: null })], 1)[0]!.number).toBeNull();
  });
});

describe('a match', () => {
  it('by name is of the set that the file names, however it goes on', () => {
    const sets = [card({ setName: 'Rising' }), card({ setName: 'Test Rising', variantId: 'var_2' })];
    const found = (setName: string) => matchedVariant({ name: CARD.productName, setName }, sets)?.variantId;
    expect(found('Test Rising')).toBe('var_2');
    expect(found('Test Rising - 1st Edition')).toBe('var_2');
    expect(found('Rising Stars')).toBe('var_1');
    expect(found('The Test Rising')).toBeUndefined();
  });

  it('takes a card without a number for none that has one', () => {
    expect(matchedVariant({ number: 'TST001' }, [card({ number: null })])).toBeNull();
    expect(matchedVariant({ number: 'stryker' }, [card({ number: null })])).toBeNull();
  });

  it('takes only the end of a name for its colour', () => {
    const named = card({ productName: 'Wounding (Red) Bull' });
    const number = 'TST001';
    expect(matchedVariant({ number, name: 'Wounding Bull' }, [named])).toBeNull();
    expect(matchedVariant({ number, name: 'Wounding Red Bull' }, [named])).toBe(named);
    expect(matchedVariant({ number, name: 'Razor Reflex' }, [CARD])).toBe(CARD);
    expect(matchedVariant({ number, name: 'Razor Reflex - Foil' }, [CARD])).toBe(CARD);
  });

  it('knows the parts of a code that are no treatment', () => {
    const code = 'TST001-Alpha-First-Unlimited-Rainbow-Cold-Gold-Back-Marvel';
    const variant = card({ fcId: code });
    const found = (treatments: string[]) => matchedVariant({ number: 'TST001', treatments }, [variant]);
    expect(found(['Marvel'])).toBe(variant);
    expect([found([]), found(['Marvel', 'Back']), found(['Marvels'])]).toEqual([null, null, null]);
  });
});

it('is identified by an id or a number', () => {
  for (const clue of [{ variantId: 'x' }, { fcId: 'x' }, { vendorProductId: 0 }, { number: '' }])
    expect(isIdentified({ name: 'x', ...clue })).toBe(true);
  expect(isIdentified({ name: 'x', setName: 'x', edition: '1st', finishes: [], treatments: [] })).toBe(false);
});
