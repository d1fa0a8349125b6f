import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CSV_HEADER,
  csvLine,
  type ExportedTransaction,
  shielded,
  transactionLine,
  withoutShield,
} from '../../src/domain/transaction-file.ts';

import { NO_DETAILS, type TransactionDetails } from '../../src/domain/transactions.ts';

/** All that a shield has to do with, and some that it has not. */
const ODD =
  '\'=+-@＝＋－＠﹦﹢﹣﹫\t\r\n",; \v\f\u0085\u00A0\u2003\u200B\u202E\u202F\u2060\u00AD\u180E\u3000\u3164\uFEFFabé';

const TRANSACTION: ExportedTransaction = {
  id: 'txn_1',
  occurred: '2026-01-31',
  action: 'Sale',
  quantity: 3,
  unitAmount: { currency: 'NZD', amount: '1.2345' },
  costUnknown: false,
  fees: { currency: 'NZD', amount: '0.5' },
  shipping: null,
  variantId: 'var_2',
  fcId: 'ARC159-First',
  vendorProductId: 123,
  number: 'ARC159',
  productName: 'Command and Conquer',
  variantName: '1st Edition Normal',
  ...NO_DETAILS,
};

const line = (collection: string, fields: Partial<ExportedTransaction> = {}) =>
  transactionLine(collection, { ...TRANSACTION, ...fields });
const nameCell = (productName: string) =>
  (parse(line('x', { productName })) as string[][])[0]![CSV_HEADER.split(',').indexOf('productName')]!;

describe('a line of the file', () => {
  it('has the columns of the header, in their order', () => {
    expect(CSV_HEADER).toBe(
      'transactionId,collection,occurredDate,action,quantity,unitAmount,currency,variantId,fcId,vendorProductId,number,productName,variantName,fees,shipping,cardCondition,language,gradeCompany,grade,certificate,notes,tags\r\n',
    );
    expect(line('My binder')).toBe(
      'txn_1,My binder,2026-01-31,Sale,3,1.2345,NZD,var_2,ARC159-First,123,ARC159,Command and Conquer,1st Edition Normal,0.5,,,,,,,,\r\n',
    );
  });

  it('has what is said of the cards', () => {
    const said: TransactionDetails = {
      cardCondition: 'HeavilyPlayed',
      language: 'JA',
      grade: { company: 'PSA', grade: '9.5', certificate: '0012' },
      notes: 'a\n"b"',
      tags: ['for trade', '=1'],
    };
    expect(line('x', said)).toContain(',0.5,,HeavilyPlayed,JA,PSA,9.5,0012,"a\n""b""","for trade, =1"\r\n');
    const grade = { company: 'BGS', grade: '10', certificate: null };
    expect(line('x', { grade })).toContain(',0.5,,,,BGS,10,,,\r\n');
  });

  it('has nothing for what a card lacks', () => {
    expect(line('x', { vendorProductId: null, number: null })).toContain(',ARC159-First,,,Command');
    expect(line('x', { vendorProductId: 0, number: '' })).toContain(',ARC159-First,0,,Command');
  });

  it.each([
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['a\rb', '"a\rb"'],
    ['a\nb', '"a\nb"'],
    ["it's; plain", "it's; plain"],
  ])('quotes %j where it must', (name, cell) => {
    expect(line(name)).toContain(`txn_1,${cell},2026`);
  });

  it.each([
    ['a;=1', "a;'=1"],
    ['=1;+2', "'=1;'+2"],
    ['a; @x', "a; '@x"],
    ["a;'=1", "a;''=1"],
    ['a\t-1', "a\t'-1"],
    ['a;"=1', 'a;"\'=1'],
    ['a\n=1', "a\n'=1"],
    ['\u00A0=1', "\u00A0'=1"],
    ['\uFEFF@x', "\uFEFF'@x"],
    ['a;\u3000＝1', "a;\u3000'＝1"],
    ['\u2003=1', "\u2003'=1"],
    ['x;\u202F\u0085\u200B\v-1', "x;\u202F\u0085\u200B\v'-1"],
  ])('shields what follows another separator, or a space, in %j', (text, cell) => {
    expect(nameCell(text)).toBe(cell);
    expect(withoutShield(cell)).toBe(text);
  });

  it('takes nothing for plain that needs a shield or quotes', () => {
    const quoted = (cell: string, delimiter: string) =>
      cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
    const text = fc.string({
      unit: fc.constantFrom(...`${ODD}|1`),
      maxLength: 6,
    });
    fc.assert(
      fc.property(text, fc.constantFrom(',', ';', '\t', '|'), (cell, delimiter) => {
        expect(csvLine([cell], delimiter)).toBe(`${quoted(shielded(cell), delimiter)}\r\n`);
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['-1', '-13.54', '0'])('leaves the number %s to be added up', (text) => {
    expect(csvLine([text])).toBe(`${text}\r\n`);
    expect(withoutShield(text)).toBe(text);
  });

  it.each(['=1+1', '+1', '-1+1', '-1.', '-', '@x', '＝1', '＋1', '－1', '＠x', '\tx', '\rx', "'=1", "''-"])(
    'shields %j from spreadsheets',
    (text) => {
      expect(nameCell(text)).toBe(`'${text}`);
      expect(withoutShield(`'${text}`)).toBe(text);
    },
  );

  it.each(['1+1', 'a=b', "'tis", '', "'", 'x\t', "a'=b", 'a;b', "a;'b", 'a;b=c', 'a,=1'])(
    'leaves %j as it is',
    (text) => {
      expect(nameCell(text)).toBe(text);
      expect(withoutShield(text)).toBe(text);
    },
  );

  it('takes no longer for a run of what may stand before a sign than for any other text', () => {
    const run = [...ODD]
      .filter((character) => /[^\t\r\n;]/.test(character))
      .join('')
      .repeat(1000);
    for (const character of ODD) {
      for (const text of [character.repeat(20_000), `a;${character.repeat(20_000)}x`, `${run}x`]) {
        expect(withoutShield(shielded(text))).toBe(text);
        csvLine([text]);
      }
    }
  });

  it('reads back as it was, whatever it holds', () => {
    const text = fc.string({ unit: fc.constantFrom(...ODD), maxLength: 6 });
    fc.assert(
      fc.property(text, (productName) => {
        const cell = nameCell(productName);
        expect(cell).not.toMatch(/(^|[;\n])[ \v\f"\u0085\p{Z}\p{Cf}\p{DI}]*[=+\-@＝＋－＠﹦﹢﹣﹫\t\r]/u);
        expect(withoutShield(cell)).toBe(productName);
      }),
    );
  });
});
