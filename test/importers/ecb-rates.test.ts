import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readEcbRates } from '../../src/importers/ecb-rates.ts';
import { onlyFileOfZip } from '../../src/importers/zip.ts';
import {
  brokenVariants,
  drained,
  fixture,
  gigabyteLine,
  problemOf,
  sourceWith,
  textOfFixture,
} from './support.ts';

const HISTORY = textOfFixture('ecb/eurofxref-hist.csv');
const read = async (text: string) => drained(await readEcbRates(sourceWith(text)));
const problem = (text: string) => problemOf(readEcbRates(sourceWith(text)));

describe('the ECB’s history', () => {
  it('gives a rate for each day and currency, and rejects a currency that is not known once', async () => {
    const rates = await readEcbRates(fixture('ecb/eurofxref-hist.csv'));
    const { rows, rejected } = await drained(rates);
    expect(rates).toHaveLength(8);
    expect(rows).toHaveLength(8);
    expect(rows[0]).toEqual({ currency: 'USD', day: '2019-01-04', per_euro: '1.1403' });
    expect(rows.at(-1)).toEqual({ currency: 'NZD', day: '2019-01-02', per_euro: '1.7045' });
    expect(rows.filter(({ currency }) => currency === 'JPY')).toHaveLength(2);
    expect(rejected).toMatchObject([
      { place: { line: 2 }, kind: 'unknown currency', reason: expect.stringMatching(/^HRK /) },
    ]);
  });

  it('has no day after today', async () => {
    const rates = (day: string) =>
      readEcbRates(sourceWith(`Date,USD,\n${day},1.1,\n2026-04-10,1.2,\n`), '2026-04-13');
    expect((await drained(await rates('2026-04-13'))).rows).toHaveLength(2);
    expect(await problemOf(rates('2026-04-14'))).toBe('file, line 2: 2026-04-14 has not come yet.');
  });

  it('reads a mark at the start, the oldest day first, and no trailing comma', async () => {
    expect((await read(`\uFEFF${HISTORY}`)).rows).toHaveLength(8);
    expect((await read('Date,USD\r\n2019-01-02,1.1\r\n2019-01-03,1.2\r\n')).rows).toHaveLength(2);
    expect((await read('Date, USD, JPY, \n2019-01-02, 1.1, 120, \n')).rows).toHaveLength(2);
  });

  it.each([
    ['Datum,USD,\n', 'file, line 1: expected the ECB\'s header "Date,USD,JPY,…".'],
    ['Date,JPY,\n', 'file, line 1: expected the ECB'],
    ['Date,USD,Yen,\n', 'file, line 1: expected the ECB'],
    ['Date,USD,JPY,USD,\n', 'file, line 1: the header has the column USD twice.'],
    [
      'Date,USD,\n2019-02-30,1.1,\n',
      'file, line 2: expected a date of the form YYYY-MM-DD, found "2019-02-30".',
    ],
    ['Date,USD,\n2019-01-03,1.1,\n2019-01-03,1.2,\n', 'file, line 3: 2019-01-03 is there twice.'],
    [
      'Date,USD,\n2019-01-03,1.1,\n2019-01-02,1.2,\n2019-01-03,1.2,\n',
      'file, line 4: 2019-01-03 is out of order, or there twice.',
    ],
    ['Date,USD,\n2019-01-03,1.1,\n2019-01-02,1,2,\n', 'file, line 3: the row does not have as many columns'],
    [
      'Date,USD,JPY,\n2019-01-03,1.1,120,\n2019-01-02,1.1',
      'file, line 3: the row does not have as many columns',
    ],
    ...['0', '-1', '1e3', 'NaN', '1.1.1', 'n/a'].map((rate): [string, string] => [
      `Date,USD,\n2019-01-03,${rate},\n`,
      `file, line 2: expected a rate above 0 for USD, found "${rate}".`,
    ]),
  ])('refuses %j', async (text, message) => {
    expect(await problem(text)).toContain(message);
  });

  it.each(brokenVariants(HISTORY))('refuses %s', async (_, source, message) => {
    expect(await problemOf(readEcbRates(source))).toMatch(message);
  });

  it('refuses a line of a gigabyte', async () => {
    const source = gigabyteLine(HISTORY);
    expect(await problemOf(readEcbRates(source))).toMatch(/^gigabyte, line 5: .*damaged/);
    expect(source.bytesRead).toBeLessThan(8 * 1024 * 1024);
  });
});

describe('the archive that the ECB offers', () => {
  const zip = (content: Buffer, method: 0 | 8) => {
    const packed = method === 0 ? content : deflateRawSync(content);
    const name = Buffer.from('eurofxref-hist.csv');
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt32LE(content.length, 24);
    central.writeUInt16LE(name.length, 28);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(1, 10);
    end.writeUInt32LE(local.length + name.length + packed.length, 16);
    return Buffer.concat([local, name, packed, central, name, end]);
  };

  it('is unpacked', async () => {
    for (const method of [0, 8] as const) {
      const archive = sourceWith(zip(Buffer.from(HISTORY), method));
      expect((await drained(await readEcbRates(archive))).rows).toHaveLength(8);
    }
  });

  it('is refused where it is cut off, damaged or too large', async () => {
    const archive = zip(Buffer.from(HISTORY), 8);
    expect(await problemOf(readEcbRates(sourceWith(archive.subarray(0, -30))))).toContain(
      'no ZIP archive, or it was cut off',
    );
    const damaged = Buffer.from(archive);
    damaged.fill(0xff, 60, 80);
    expect(await problemOf(readEcbRates(sourceWith(damaged)))).toMatch(/^file, line 1: /);
    await expect(onlyFileOfZip(zip(Buffer.alloc(2000), 8), 1000)).rejects.toThrow();
  });
});
