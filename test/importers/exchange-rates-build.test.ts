import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildRates } from '../../scripts/build-exchange-rates.ts';
import { addDays } from '../../src/domain/dates.ts';
import { type ExchangeRateRow, readEcbRates } from '../../src/importers/ecb-rates.ts';
import { projectPath } from '../../src/paths.ts';

const source = (content: string) => ({ name: 'file', bytes: () => Readable.from([Buffer.from(content)]) });

let content: string;
const shipped = new Map<string, ExchangeRateRow[]>();

beforeAll(async () => {
  content = gunzipSync(await readFile(projectPath('data/exchange-rates.csv.gz'))).toString();
  for await (const row of await readEcbRates(source(content))) {
    if (!('day' in row)) throw new Error(`rejected: ${row.reason}`);
    shipped.set(row.day, [...(shipped.get(row.day) ?? []), row]);
  }
});

describe('the shipped exchange rates', () => {
  it.each([
    ['2018-12-31', 'USD', '1.145'],
    ['2019-01-02', 'GBP', '0.90165'],
    ['2021-03-01', 'USD', '1.2053'],
    ['2022-07-15', 'USD', '1.0059'],
    ['2026-04-13', 'ZAR', '19.3849'],
  ])('has those that the bank published: %s, %s', (day, currency, perEuro) => {
    expect(shipped.get(day)).toContainEqual({ day, currency, per_euro: perEuro });
  });

  it('has each day from the last of 2018 on, but for weekends and holidays', () => {
    const days = [...shipped.keys()].sort();
    expect([days[0], days.at(-1)]).toEqual(['2018-12-31', '2026-04-13']);
    const missing = days
      .slice(1)
      .flatMap((day, i) => daysBetween(days[i]!, day).filter((between) => !isWeekend(between)));
    // Those on which the bank's payment system rests: New Year's Day, Good Friday, Easter Monday, 1 May, 25 and 26 December.
    expect(missing.length).toBeLessThan(6 * 8);
    expect(missing).toContain('2021-04-02');
    for (const day of missing) expect(day).toMatch(/-(01-01|12-25|12-26|05-01|03-\d\d|04-\d\d)$/);
  });

  it('follow from the history of the bank, and from themselves', async () => {
    expect(await buildRates(source(content))).toBe(content);
    const history =
      'Date,USD,EEK,RUB,JPY,\n2019-01-02,1.1397,N/A,N/A,124.4,\n2018-12-31,1.145,N/A,N/A,N/A,\n2018-12-28,1.1454,N/A,79.3,126.3,\n';
    expect(await buildRates(source(history))).toBe(
      'Date,USD,JPY,\n2019-01-02,1.1397,124.4,\n2018-12-31,1.145,,\n',
    );
  });
});

function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = addDays(first, 1); day < last; day = addDays(day, 1)) days.push(day);
  return days;
}

function isWeekend(day: string): boolean {
  return [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay());
}
