import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import {
  type ExportedTransaction,
  type TransactionFormat,
  transactionJson,
  transactionLine,
} from '../../src/domain/transaction-file.ts';
import { ImportFileError, MOST_ROW_BYTES } from '../../src/importers/import-file.ts';
import { readTransactionsFile } from '../../src/importers/transactions-file.ts';
import { worksFor } from '../../src/lib/processor-time.ts';
import { eventually } from '../support/eventually.ts';

const HEADER = 'occurredDate,action,quantity,unitAmount,currency,fcId,productName';
const ROW = '2026-01-31,Purchase,2,1.50,USD,MST131,"10,000 Year Reunion"';

const read = (text: string) => readTransactionsFile(text);
const entriesOf = async (text: string) =>
  (await read(text)).rows.map(({ line, row }) => [line, 'entry' in row ? row.entry.unitAmount : row]);

async function problemOf(text: string, format?: TransactionFormat) {
  try {
    await readTransactionsFile(text, { format });
  } catch (error) {
    if (error instanceof ImportFileError) return `line ${error.line}: ${error.problem}`;
    throw error;
  }
  return 'it was accepted';
}

describe('a file of transactions', () => {
  it.each([
    ['as it stands', `${HEADER}\n${ROW}\n`],
    ['without a last line break', `${HEADER}\n${ROW}`],
    ['with carriage returns', `${HEADER}\r\n${ROW}\r\n`],
    ['with a byte order mark', `\uFEFF${HEADER}\n${ROW}`],
    ['with tabs', `${HEADER}\n${ROW.replace('10,000', '10 000')}`.replaceAll(',', '\t')],
    [
      'with quotes around all',
      `${HEADER}\n${ROW}`.replace(/^.*$/m, (header) => `"${header.split(',').join('","')}"`),
    ],
    [
      'with columns in another order',
      'currency,unitAmount,quantity,action,occurredDate\nUSD,1.50,2,Sale,2026-01-31',
    ],
    ['with spaces around cells', `${HEADER.replaceAll(',', ' , ')}\n${ROW.replace(',1.50,', ', 1.50 ,')}`],
  ])('is read %s', async (_, text) => {
    expect(await entriesOf(text)).toEqual([[2, '1.50']]);
  });

  it.each(['sep=,', '"sep=,"', '\uFEFFsep=,'])("is read below Excel's %s", async (first) => {
    expect(await entriesOf(`${first}\r\n${HEADER}\r\n${ROW}\r\n`)).toEqual([[3, '1.50']]);
  });

  it('may be JSON, of which a line has what an export may write, and no more', async () => {
    const line = { occurredDate: '2026-01-31', action: 'Purchase', unitAmount: '1.50', number: 'ARC159' };
    const ofLength = (length: number) => {
      const text = JSON.stringify({ ...line, another: '' });
      return text.replace('""}', `"${'x'.repeat(length - text.length)}"}`);
    };
    const good = ofLength(MOST_ROW_BYTES);
    expect(await entriesOf(`${good}\n${good}`)).toEqual([
      [1, '1.50'],
      [2, '1.50'],
    ]);
    expect(await problemOf(`${good}\n${ofLength(MOST_ROW_BYTES + 1)}\n${good}`)).toBe(
      'line 2: a line goes on for more than 64 KiB; the file is damaged',
    );
  });

  it.each([
    ['a;\t', 'a;'],
    ['a;=1 ', 'a;=1'],
    ["\t'=1", "'=1"],
  ])('may be JSON, whose text %j is taken as it stands but for what is trimmed', async (notes, taken) => {
    const line = { occurredDate: '2026-01-31', action: 'Purchase', unitAmount: '1.50', number: 'ARC159' };
    const { rows } = await read(JSON.stringify({ ...line, notes }));
    expect(rows[0]!.row).toMatchObject({ details: { given: { notes: taken } } });
  });

  it('may have all that a transaction can say, as it is exported', async () => {
    const [sign, quote] = ['𝄞', '"'];
    const said = (text: string): ExportedTransaction => ({
      ...{ id: 'txn_1', occurred: '2026-01-31', action: 'Purchase', quantity: LIMITS.quantity },
      ...{ unitAmount: { currency: 'USD', amount: '1000000000' }, costUnknown: false },
      ...{ fees: null, shipping: null, variantId: 'var_1', fcId: 'ARC159', vendorProductId: 1 },
      ...{ number: 'ARC159', productName: text.repeat(200), variantName: text.repeat(100) },
      grade: {
        company: text.repeat(LIMITS.gradeCompanyCharacters),
        grade: text.repeat(LIMITS.gradeCharacters),
        certificate: text.repeat(LIMITS.certificateCharacters),
      },
      ...{ cardCondition: 'NearMint', language: 'EN', notes: text.repeat(LIMITS.notesCharacters) },
      tags: Array(LIMITS.tags).fill(text.repeat(LIMITS.tagCharacters)),
    });
    for (const text of [sign, quote, '\n', ';=']) {
      const name = text.repeat(LIMITS.nameCharacters);
      for (const line of [transactionLine(name, said(text)), transactionJson(name, said(text))])
        expect(Buffer.byteLength(line)).toBeLessThan(8 * 1024);
    }
  });

  it('may have semicolons, and then a decimal comma', async () => {
    const header = HEADER.replaceAll(',', ';');
    const rows = ['1,5', '1.5', '12,3456', '7', '1.234,50', '1,2,3'].map(
      (amount) => `2026-01-31;Sale;1;${amount};EUR;x;y`,
    );
    const amounts = (await entriesOf([header, ...rows].join('\n'))).map(([, amount]) => amount);
    expect(amounts).toEqual(['1.5', '1.5', '12.3456', '7', '1.234,50', '1,2,3']);
    expect(await entriesOf(`sep=;\n${header}\n${rows[0]}`)).toEqual([[3, '1.5']]);
  });

  it.each(['Comma', 'Point'] as const)(
    'has amounts as they stand where they are said to have a %s',
    async (sign) => {
      const text = `${HEADER.replaceAll(',', ';')}\n2026-01-31;Sale;1;1,500;EUR;x;y`;
      const { rows } = await readTransactionsFile(text, { decimalSign: sign });
      expect(rows).toMatchObject([{ row: { entry: { unitAmount: '1,500' } } }]);
    },
  );

  it('keeps a decimal comma where commas separate', async () => {
    expect(await entriesOf(`${HEADER}\n${ROW.replace('1.50', '"1,50"')}`)).toEqual([[2, '1,50']]);
  });

  it('counts lines through line breaks in quotes and empty lines', async () => {
    const name = '"Command\r\nand\nConquer"';
    const row = `2026-01-31,Purchase,1,2,USD,x,${name}`;
    const text = `${HEADER}\r\n${row}\r\n\r\n,,,,,,\r\n${row}\r\n${ROW}\r\n`;
    expect((await entriesOf(text)).map(([line]) => line)).toEqual([2, 7, 10]);
  });

  it('gives long texts whole, whatever stands where they are cut', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => ROW.replace('10,000', `${'😀'.repeat(i % 50)}é日`));
    const { rows: found } = await read([HEADER, ...rows].join('\n'));
    expect(found.map(({ row }) => ('card' in row ? row.card.name : row))).toEqual(
      rows.map((text) => /"(.*)"/.exec(text)![1]),
    );
  });

  it('is refused in rows that are shorter or longer than the header, not as a whole', async () => {
    const text = [HEADER, ROW, '2026-01-31,Purchase', `${ROW},more`, `${ROW},,`].join('\n');
    expect(await entriesOf(text)).toEqual([
      [2, '1.50'],
      [3, { detail: 'has 2 columns, and the header 7; put texts with a "," in quotes' }],
      [4, { detail: 'has 8 columns, and the header 7; put texts with a "," in quotes' }],
      [5, '1.50'],
    ]);
  });

  it.each([
    ['', 'line 1: the file is empty'],
    [' \n\n', 'line 1: there is no header'],
    ['\uFEFF', 'line 1: the file is empty'],
    [
      'name,price\nx,1',
      /^line 1: the header is of none of cardledger, FaBrary, .*; it begins with name, price\. Say by columns what each column holds$/,
    ],
    ['\n\nname;price\nx;1', /^line 3: .* it begins with name, price\. Say/],
    [HEADER.replace('quantity,', ''), /\. Of the columns of cardledger it lacks quantity\. Say by columns/],
    [`${HEADER},quantity\n${ROW},2`, 'line 1: the header has the column quantity twice'],
    [`${HEADER}\n${ROW}\n2026-01-31,"Purchase`, /^line \d: a quoted text does not end/],
    [`${HEADER}\n2026"-01-31,Purchase`, /^line 2: it is not well-formed CSV/],
    [`${HEADER}\n${ROW}\nM\uFFFDnchen`, /^line 3: it is not UTF-8 text/],
    [`${HEADER}\n${ROW}\nM\0`, /^line 3: it is not UTF-8 text/],
    [
      `${HEADER}\n${ROW}\n"${'x'.repeat(64 * 1024)}\nx",${ROW}`,
      /^line \d: a line or quoted text goes on for more than 64 KiB/,
    ],
  ])('is refused: %j', async (text, problem) => {
    expect(await problemOf(text)).toEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    );
  });

  it('says what a header lacks for the format that is named', async () => {
    expect(await problemOf(HEADER, 'DragonShield')).toBe(
      'line 1: the header has no column Quantity, Card Name, Set Code, Set Name, Card Number, Printing, Price Bought, Date Bought',
    );
    expect(await problemOf('Quantity,Name,Set,Card Number,Set Code,Printing', 'Tcgplayer')).toBe(
      'line 1: the header has no column Product ID',
    );
  });
});

describe('the rows of dialects', () => {
  const SELLER =
    'TCGplayer Id,Product Line,Set Name,Product Name,Title,Number,Rarity,Condition,Total Quantity,Add to Quantity';
  const seller = (condition: string, total = '1', add = '0', line = 'Flesh & Blood TCG') =>
    `${SELLER}\n1,${line},Arcane Rising,Spark of Genius,,ARC009,Majestic,${condition},${total},${add}`;
  const rowOf = async (text: string) => {
    const { rows, skipped } = await read(text);
    return rows[0]?.row ?? { reason: [...skipped.keys()][0] };
  };

  it.each([
    ['Near Mint', {}, ['Normal']],
    ['Near Mint 1st Edition', { edition: '1st' }, ['Normal']],
    ['Lightly Played Unlimited Edition Rainbow Foil', { edition: 'Unlimited' }, ['Rainbow Foil']],
    ['Damaged Cold Foil', {}, ['Cold Foil']],
    ['Near Mint Foil', {}, ['Rainbow Foil', 'Cold Foil', 'Gold Foil']],
  ])('takes the condition %s of a seller', async (condition, edition, finishes) => {
    const row = await rowOf(seller(condition));
    expect(row).toMatchObject({ card: { number: 'ARC009', ...edition, finishes }, entry: { quantity: '1' } });
    expect(row).not.toHaveProperty('problem');
  });

  it.each([
    ['2', '0', '2'],
    ['0', '3', '3'],
    ['', '4', '4'],
  ])('takes the quantity %j of a seller, or else what is added: %j', async (total, add, quantity) => {
    expect(await rowOf(seller('Near Mint', total, add))).toMatchObject({ entry: { quantity } });
  });

  it('does not guess which of two quantities is held', async () => {
    expect(await rowOf(seller('Near Mint', '2', '3'))).toMatchObject({
      problem: { column: 'Total Quantity', detail: expect.stringContaining('Add to Quantity is too') },
    });
  });

  it('leaves out other games', async () => {
    expect(await rowOf(seller('Near Mint', '1', '0', 'Magic'))).toEqual({ reason: 'of another game' });
  });

  it("prefers a seller's product id and printing", async () => {
    const row = await rowOf(
      `Product ID,${SELLER},Printing\n225559,1,Flesh and Blood TCG,Arcane Rising,Spark of Genius,,ARC009,Majestic,Near Mint,1,0,1st Edition Normal`,
    );
    expect(row).toMatchObject({ card: { vendorProductId: 225559, edition: '1st', finishes: ['Normal'] } });
  });

  const SHIELD =
    'Folder Name,Quantity,Trade Quantity,Card Name,Set Code,Set Name,Card Number,Condition,Printing,Language,Price Bought,Date Bought';
  const shield = (setCode: string, setName: string, number: string, printing: string) =>
    `${SHIELD}\nBinder,1,0,Anothos,${setCode},${setName},${number},NearMint,${printing},English,1.00,2024-02-17`;

  it.each([
    ['WTR-A', 'Welcome to Rathe', 'WTR040', '1st'],
    ['ARC-F', 'Arcane Rising', 'WTR040', '1st'],
    ['ARC-U', 'Arcane Rising', 'WTR040', 'Unlimited'],
    ['WTR', 'Welcome to Rathe Alpha', '40', '1st'],
    ['WTR', 'Welcome to Rathe Unlimited', '040', 'Unlimited'],
    ['WTR', 'Welcome to Rathe', '40', undefined],
  ])('takes the edition of the set %s %s', async (setCode, setName, number, edition) => {
    const row = await rowOf(shield(setCode, setName, number, 'Cold Foil'));
    expect('card' in row && row.card.edition).toBe(edition);
    expect(row).toMatchObject({ card: { number: 'WTR040', finishes: ['Cold Foil'] } });
  });

  it('names a printing that is not known', async () => {
    expect(await rowOf(shield('WTR', 'Welcome to Rathe', 'WTR040', 'Etched'))).toMatchObject({
      problem: {
        column: 'Printing',
        detail: expect.stringMatching(/^is not a known printing: "Etched"/),
      },
    });
  });

  it('shields no text of our own format twice', async () => {
    const row = await rowOf(`${HEADER}\n2026-01-31,Sale,1,1,USD,,"'=1+1"`);
    expect(row).toMatchObject({ card: { name: '=1+1' } });
  });

  it('takes 1,000 columns, and no more', async () => {
    const wide = (count: number) => `${HEADER}${','.repeat(count - 7)}\n${ROW}${','.repeat(count - 7)}`;
    expect((await read(wide(1000))).rows).toHaveLength(1);
    expect(await problemOf(wide(1001))).toBe(
      'line 1: the row has 1001 columns, more than 1000; the file is damaged',
    );
  });

  it('refuses a file of which no row fits the header, letting others take their turn', async () => {
    const ragged = (count: number) => `${HEADER}\n${'x\n'.repeat(count)}`;
    expect((await readTransactionsFile(ragged(1000))).rows).toHaveLength(1000);
    let turns = 0;
    const counting = setInterval(() => turns++);
    const large = readTransactionsFile(ragged(500_000));
    await expect(large).rejects.toThrow('line 1002: more than 1000 rows do not have as many columns');
    await expect(readTransactionsFile(`${HEADER}\n${',\n'.repeat(1001)}`)).rejects.toThrow('line 1002');
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
  });

  describe('that is read as it comes', () => {
    const payer = { pay() {}, recentMillis: 0 };

    it('is work for who it is read for, after each time that it was waited for', async () => {
      const workers: unknown[] = [];
      async function* arriving() {
        for (const text of [HEADER, '\n', ROW, '\n', ROW]) {
          // In which the process has worked for nobody.
          await sleep(5);
          yield Buffer.from(text);
          workers.push(worksFor());
        }
      }
      expect((await readTransactionsFile(arriving(), {}, payer)).rows).toHaveLength(2);
      expect(workers).toEqual(Array(5).fill(payer));
    });

    it('is left where its beginning is wrong', async () => {
      let isLeft = false;
      async function* arriving() {
        try {
          for (;;) yield Buffer.from('Dear,Sir,or,Madam\n'.repeat(1000));
        } finally {
          isLeft = true;
        }
      }
      await expect(readTransactionsFile(arriving(), {}, payer)).rejects.toThrow('the header is of none of');
      await eventually(() => expect(isLeft).toBe(true));
    });
  });
});

it('takes of a clue no more than a card has', async () => {
  const { rows } = await read(`${HEADER}\n${ROW.replace('"10,000 Year Reunion"', 'é'.repeat(30_000))}`);
  const row = rows[0]!.row as { card: { name: string } };
  expect(row.card.name).toBe('é'.repeat(200));
});

it('takes a grade with many spaces for what it is', async () => {
  const details = async (grade: string) => {
    const { rows } = await read(`${HEADER},grade\n${ROW},"${grade}"`);
    return rows[0]!.row;
  };
  expect(await details(`PSA${' '.repeat(60)}9`)).toMatchObject({
    details: { given: { grade: { company: 'PSA', grade: '9' } } },
  });
  expect(JSON.stringify(await details(`a${' '.repeat(60_000)}\nb`))).toContain('"grade"');
});
