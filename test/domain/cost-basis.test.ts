import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amountOf,
  type CostState,
  costOf,
  type LedgerEntry,
  OpenLots,
  type OrderedBasis,
  partOf,
  RunningCost,
} from '../../src/domain/cost-basis.ts';
import { fixedText } from '../../src/domain/fixed-point.ts';
import { derivedMoney } from '../../src/domain/money.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { naiveCost } from '../support/naive-cost.ts';
import { decimal, textOf } from '../support/ratio.ts';

type Deal = [
  action: 'buy' | 'sell',
  quantity: number,
  unitAmount: string,
  rate?: string,
  charges?: string,
  isCostUnknown?: boolean,
];

const entriesOf = (deals: readonly Deal[]): LedgerEntry[] =>
  deals.map(([action, quantity, unitAmount, rate = '1', charges = '0', isCostUnknown = false], i) => ({
    id: `txn_${String(i).padStart(6, '0')}`,
    occurred: `2024-01-${String(Math.min(i + 1, 28)).padStart(2, '0')}`,
    action: action === 'buy' ? 'Purchase' : 'Sale',
    quantity,
    unitAmount: isCostUnknown && action === 'buy' ? '0' : unitAmount,
    charges,
    rate,
    isCostUnknown: isCostUnknown && action === 'buy',
  }));

function run(basis: OrderedBasis, deals: readonly Deal[]) {
  const running = new RunningCost(basis);
  const costs = entriesOf(deals).map((entry) => fixedText(running.record(entry).cost));
  const { held, heldCost } = running.state;
  return { costs, held, heldCost: fixedText(heldCost) };
}

const cents = (exact: string) => derivedMoney('EUR', exact).amount;

describe('published cases', () => {
  // Portfolio Performance has totals of purchases, whole shares and euros: here they are amounts of one "card" each.
  it('Portfolio Performance: a purchase, a sale, two purchases', () => {
    const deals: Deal[] = [
      ['buy', 109, '3149.20', ratio(109)],
      ['sell', 15, '35.4333'],
      ['buy', 52, '1684.92', ratio(52)],
      ['buy', 32, '959.30', ratio(32)],
    ];
    expect(cents(run('Fifo', deals).heldCost)).toBe('5360.04');
    expect(cents(run('MovingAverage', deals).heldCost)).toBe('5360.04');
  });

  it('Portfolio Performance: two purchases, a sale', () => {
    const deals: Deal[] = [
      ['buy', 109, '3149.20', ratio(109)],
      ['buy', 52, '1684.92', ratio(52)],
      ['sell', 15, '35.4333'],
    ];
    expect(cents(run('Fifo', deals).heldCost)).toBe('4400.74');
    expect(cents(run('MovingAverage', deals).heldCost)).toBe('4383.74');
  });

  it.each(['Fifo', 'MovingAverage'] as const)(
    'Portfolio Performance: nothing is left of what was sold in parts (%s)',
    (basis) => {
      const parts = run(basis, [
        ['buy', 10, '0.01', ratio(10)],
        ['sell', 3, '0.01'],
        ['sell', 3, '0.01'],
        ['sell', 4, '0.01'],
      ]);
      expect(parts).toMatchObject({ held: 0, heldCost: '0' });
      const twice = run(basis, [
        ['buy', 100, '31.492'],
        ['sell', 100, '5.315'],
        ['buy', 50, '33.6984'],
        ['sell', 50, '10.63'],
      ]);
      expect(twice).toMatchObject({ held: 0, heldCost: '0' });
    },
  );

  it('rotki: a sale takes the first purchase, and a part of the second', () => {
    const { costs, held } = run('Fifo', [
      ['buy', 5, '268.1'],
      ['buy', 15, '612.45'],
      ['buy', 3, '603.415'],
      ['sell', 8, '1'],
    ]);
    expect(costs.at(-1)).toBe('3177.85');
    expect(held).toBe(15);
  });

  it('rotki: two sales share a purchase', () => {
    const { costs, held, heldCost } = run('Fifo', [
      ['buy', 5, '268.1'],
      ['sell', 3, '1'],
      ['sell', 2, '1'],
    ]);
    expect(costs).toEqual(['0', '804.3', '536.2']);
    expect({ held, heldCost }).toEqual({ held: 0, heldCost: '0' });
  });

  it('rotki: what was sold beyond what is held cost nothing', () => {
    const { costs, held, heldCost } = run('Fifo', [
      ['buy', 1, '268.1'],
      ['buy', 1, '612.45'],
      ['sell', 3, '1'],
    ]);
    expect(costs.at(-1)).toBe('880.55');
    expect({ held, heldCost }).toEqual({ held: 0, heldCost: '0' });
  });

  it('rotki: purchases after that are there in full, and the next sale has their cost', () => {
    const { costs, held } = run('Fifo', [
      ['sell', 1, '1'],
      ['buy', 2, '1'],
      ['sell', 3, '1'],
      ['buy', 2, '1'],
      ['sell', 3, '1'],
    ]);
    expect(costs).toEqual(['0', '0', '2', '0', '2']);
    expect(held).toBe(0);
  });

  it('rotki, after adjustedcostbase.ca: the average moves with each purchase', () => {
    const { costs, held, heldCost } = run('MovingAverage', [
      ['buy', 100, '50'],
      ['sell', 50, '120'],
      ['buy', 50, '130'],
      ['sell', 40, '90'],
    ]);
    expect(costs).toEqual(['0', '2500', '0', '3600']);
    expect({ held, heldCost }).toEqual({ held: 60, heldCost: '5400' });
  });

  it('rotki: two purchases, a part, one more (halves of a coin are cards here)', () => {
    const first = run('MovingAverage', [
      ['buy', 2, '50'],
      ['buy', 2, '100'],
      ['sell', 1, '1'],
    ]);
    expect(first).toMatchObject({ costs: ['0', '0', '75'], held: 3, heldCost: '225' });
    const { held, heldCost } = run('MovingAverage', [
      ['buy', 2, '50'],
      ['buy', 2, '100'],
      ['sell', 1, '1'],
      ['buy', 1, '250'],
    ]);
    expect({ held, heldCost }).toEqual({ held: 4, heldCost: '475' });
  });

  /** One in so many, as a rate turns a total into the amount of one card: to the digits that rates have. */
  function ratio(quantity: number): string {
    return (Math.round(1e15 / quantity) / 1e15).toFixed(15);
  }
});

const dealOf = ({ action, quantity, unitAmount, charges, rate, isCostUnknown }: LedgerEntry) => ({
  isCostUnknown,
  action,
  quantity,
  unitAmount: decimal(unitAmount),
  charges: decimal(charges),
  rate: decimal(rate),
});

const deal: fc.Arbitrary<Deal> = fc.tuple(
  fc.constantFrom('buy' as const, 'sell' as const),
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 0, max: 2_000_000 }).map((n) => (n / 10_000).toFixed(4)),
  fc.constantFrom('1', '1.10430000000000000001', '0.00821355236139630390', '162.3399999999'),
  fc.constantFrom('0', '0', '0.0001', '4.99', '1000000000'),
  fc.boolean(),
);
const deals = fc.array(deal, { minLength: 1, maxLength: 40 });
const basis = fc.constantFrom('Fifo' as const, 'MovingAverage' as const);

describe('any history', () => {
  it('costs what rational arithmetic says, to the cent', () => {
    fc.assert(
      fc.property(basis, deals, (method, history) => {
        const entries = entriesOf(history);
        const running = new RunningCost(method);
        const naive = naiveCost(method, entries.map(dealOf));
        for (const [i, entry] of entries.entries()) {
          const { cost, unknown } = running.record(entry);
          const { held, heldCost, heldUnknown } = running.state;
          const wanted = naive[i]!;
          expect([held, heldUnknown, unknown]).toEqual([wanted.held, wanted.unknown, wanted.soldUnknown]);
          for (const [found, exact] of [
            [cost, wanted.cost],
            [heldCost, wanted.heldCost],
          ] as const)
            expect(cents(fixedText(found))).toBe(textOf(exact, 2));
        }
      }),
      { numRuns: fuzzRuns(600) },
    );
  });

  it('goes on from any state to the same digit', () => {
    fc.assert(
      fc.property(basis, deals, fc.nat(), (method, history, at) => {
        const entries = entriesOf(history);
        const split = at % (entries.length + 1);
        const [before, after] = [entries.slice(0, split), entries.slice(split)];
        const whole = new RunningCost(method);
        const lots = new OpenLots();
        for (const entry of before) {
          whole.record(entry);
          if (entry.action === 'Purchase') lots.add(entry);
          else lots.take(entry.quantity);
        }
        const state: CostState = whole.state;
        const goingOn = new RunningCost(method, state);
        const open = method === 'Fifo' ? [...lots.all] : [];
        goingOn.addLots(open.splice(0, 1));
        expect(goingOn.state).toEqual(state);
        for (const entry of after) {
          while (goingOn.needsLots(entry)) {
            expect(open).not.toEqual([]);
            goingOn.addLots(open.splice(0, 1));
          }
          expect(goingOn.record(entry)).toEqual(whole.record(entry));
        }
        expect(goingOn.state).toEqual(whole.state);
      }),
      { numRuns: fuzzRuns(300) },
    );
  });

  it('leaves cards of all that was bought, but for what sales had cost', () => {
    fc.assert(
      fc.property(basis, deals, (method, history) => {
        const entries = entriesOf(history);
        const running = new RunningCost(method);
        let left = 0n;
        for (const entry of entries) {
          left -= running.record(entry).cost;
          if (entry.action === 'Purchase')
            left +=
              ((costOf(entry.unitAmount) * BigInt(entry.quantity) + costOf(entry.charges)) *
                costOf(entry.rate)) /
              costOf('1');
        }
        expect(running.state.heldCost).toBe(left);
      }),
      { numRuns: fuzzRuns(200) },
    );
  });
});

describe('fees and shipping', () => {
  it('are part of what a purchase cost, and what does not divide is left to the last card', () => {
    const deals: Deal[] = [
      ['buy', 3, '10', '1', '1'],
      ['sell', 1, '20'],
      ['sell', 1, '20'],
      ['sell', 1, '20'],
    ];
    const third = `10.${'3'.repeat(30)}`;
    expect(run('Fifo', deals).costs).toEqual(['0', third, third, `10.${'3'.repeat(29)}4`]);
    expect(run('MovingAverage', deals).heldCost).toBe('0');
  });

  it('are taken from what a sale brought, below 0 where they are more', () => {
    const [sale] = entriesOf([['sell', 2, '10', '1.5', '25']]);
    expect(fixedText(amountOf(sale!))).toBe('-7.5');
  });

  it('of an amount, all parts add up to it, whichever they are', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), parts, (amount, sizes) => {
        const all = sizes.reduce((sum, size) => sum + size, 0);
        let before = 0;
        let sum = 0n;
        for (const size of sizes) {
          sum += partOf(amount, all, before, size);
          before += size;
        }
        expect(sum).toBe(amount);
      }),
    );
  });
});

describe('costs as texts', () => {
  it.each(['0', '1', '0.000000000000000000000000000001', '123456789.1', '20.05'])('%s', (text) => {
    expect(fixedText(costOf(text))).toBe(text);
  });

  it('have no trailing zeros, and a sign where they are below 0', () => {
    expect(fixedText(costOf('10.500'))).toBe('10.5');
    expect(fixedText(-costOf('10.50'))).toBe('-10.5');
  });

  it('have 30 decimals at most', () => {
    expect(() => costOf(`0.${'1'.repeat(31)}`)).toThrow(RangeError);
  });
});
