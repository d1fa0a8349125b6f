import { expect, it } from 'vitest';
import { Sale } from '../../src/services/collections/sales.ts';
import { salesLines } from '../../src/services/collections/sales-csv.ts';
import type { RecordedEntry } from '../../src/services/transactions/costs.ts';

const LOTS = 1000;

const entry = (id: string, action: RecordedEntry['action'], quantity: number): RecordedEntry => ({
  id,
  occurred: '2025-01-01',
  action,
  quantity,
  unitAmount: '2',
  currency: 'USD',
  charges: '0',
  rate: '1',
  isCostUnknown: false,
});

const LABEL = {
  variantId: 'var_1',
  variantName: 'Regular',
  fcId: 'WTR001',
  productId: 'prd_1',
  productName: 'Heart of Fyendal',
  number: 'WTR001',
  imageUrl: '',
};

it('the rows of one sale of many purchases are made in as many parts', () => {
  const lots = Array.from({ length: LOTS }, (_, i) => ({
    purchase: entry(`txn_${i}`, 'Purchase', 1),
    before: i,
    quantity: 1,
    cost: 0n,
  }));
  const sold = { sale: entry('txn_sale', 'Sale', LOTS + 1), cost: 0n, lots, uncovered: 1, unknownCost: 0 };
  const parts = salesLines([new Sale('var_1', sold, 'USD')], new Map([['var_1', LABEL]]));
  let count = 0;
  let part = parts.next();
  for (; !part.done; part = parts.next()) count++;
  expect(count).toBe(LOTS + 1);
  expect(part.value).toHaveLength(LOTS + 1);
  expect(part.value[1]).toMatch(
    /^txn_sale,2025-01-01,var_1,WTR001,WTR001,Heart of Fyendal,Regular,1,2\.00,USD,1,txn_1,/,
  );
});
