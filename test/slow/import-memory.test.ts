import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/domain/dates.ts';
import { readEcbRates } from '../../src/importers/ecb-rates.ts';
import type { ByteSource } from '../../src/importers/import-file.ts';
import { readTcgcsv } from '../../src/importers/tcgcsv.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MEGABYTE = 1024 * 1024;

/** A file that is made as it is read; `peakBytes` is the most of the heap that was in use meanwhile. */
class Generated implements ByteSource {
  readonly name = 'generated';
  peakBytes = 0;
  size = 0;
  private readonly head: string;
  private readonly row: (index: number) => string;
  private readonly tail: string;
  private readonly count: number;

  constructor(head: string, row: (index: number) => string, tail: string, count: number) {
    this.head = head;
    this.row = row;
    this.tail = tail;
    this.count = count;
  }

  async *bytes() {
    this.size = 0;
    yield Buffer.from(this.head);
    const rowsInPiece = 500;
    for (let start = 0; start < this.count; start += rowsInPiece) {
      const length = Math.min(rowsInPiece, this.count - start);
      const piece = Buffer.from(Array.from({ length }, (_, i) => this.row(start + i)).join(''));
      this.size += piece.length;
      yield piece;
      if (start % (rowsInPiece * 20) > 0) continue;
      collectGarbage();
      this.peakBytes = Math.max(this.peakBytes, process.memoryUsage().heapUsed);
    }
    yield Buffer.from(this.tail);
  }
}

const price = (index: number) =>
  `{"productId":${index + 1},"lowPrice":1.25,"midPrice":1.5,"highPrice":null,"marketPrice":1.${index},"directLowPrice":null,"subTypeName":"Normal"}`;

const FORMATS: [
  name: string,
  rows: number,
  make: (count: number) => Generated,
  read: (file: Generated) => Promise<{ length: number }>,
][] = [
  [
    'prices as JSON',
    4_000,
    (count) =>
      new Generated('{"success":true,"results":[', (i) => (i === 0 ? price(i) : `,${price(i)}`), ']}', count),
    async (file) => (await readTcgcsv(file)).prices,
  ],
  [
    'prices as CSV',
    4_000,
    (count) =>
      new Generated(
        'productId,name,subTypeName,marketPrice\n',
        (i) => `${i + 1},Card ${i},Normal,1.${i}\n`,
        '',
        count,
      ),
    async (file) => (await readTcgcsv(file)).prices,
  ],
  [
    'exchange rates',
    1_000,
    (count) =>
      new Generated('Date,USD,JPY,NZD,\n', (i) => `${addDays('1999-01-04', i)},1.1,120.5,1.7,\n`, '', count),
    readEcbRates,
  ],
];

describe.each(FORMATS)('%s', (_, rows, make, read) => {
  it('take the same memory in a file ten times the size', async () => {
    const small = make(rows);
    await read(small);
    const large = make(rows * 10);
    const found = await read(large);
    expect(found.length % (rows * 10)).toBe(0);
    expect(large.size).toBeGreaterThan(small.size * 9);
    expect(large.peakBytes - small.peakBytes).toBeLessThan(4 * MEGABYTE);
  });
});
