import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../src/domain/cost-basis.ts';
import { addSalesByYear, salesAmong } from '../../src/domain/realized-gains.ts';
import { PART } from '../../src/lib/parts.ts';

/** In pairs: one card is bought, and sold. */
const entries = Array.from(
  { length: 4 * PART },
  (_, i): LedgerEntry => ({
    id: String(i).padStart(6, '0'),
    occurred: '2025-01-01',
    action: i % 2 === 0 ? 'Purchase' : 'Sale',
    quantity: 1,
    unitAmount: '1',
    charges: '0',
    rate: '1',
    isCostUnknown: false,
  }),
);

it.each(['Average', 'MovingAverage', 'Fifo'] as const)(
  '%s: the sales of a variant are made in parts',
  (basis) => {
    const parts = salesAmong(basis, entries, () => true);
    let count = 0;
    let part = parts.next();
    for (; !part.done; part = parts.next()) count++;
    expect(count).toBe(basis === 'Average' ? 8 : 4);
    expect(part.value).toHaveLength(2 * PART);
  },
);

it.each(['Average', 'Fifo'] as const)('%s: a sale of many purchases is made in parts', (basis) => {
  const purchases = entries.map((entry) => ({ ...entry, action: 'Purchase' as const }));
  const sale = { ...entries[0]!, id: 'sale', action: 'Sale' as const, quantity: purchases.length };
  const parts = salesAmong(basis, [...purchases, sale], () => true);
  let count = 0;
  let part = parts.next();
  for (; !part.done; part = parts.next()) count++;
  expect(count).toBeGreaterThanOrEqual(8);
  expect(part.value[0]!.lots).toHaveLength(4 * PART);
});

it('the sales of a variant are added to their years in parts', () => {
  const years = new Map();
  expect([...addSalesByYear(years, 'Fifo', entries)]).toHaveLength(4);
  expect(years.get(2025).sold).toBe(2 * PART);
});
