import { describe, expect, it } from 'vitest';
import { csvRecords, csvRows } from '../../src/importers/csv-file.ts';
import { type ByteSource, sourceOf } from '../../src/importers/import-file.ts';
import { jsonItems } from '../../src/importers/json-items.ts';
import { gigabyteLine, problemOf, sourceWith } from './support.ts';

const MEGABYTE = 1024 * 1024;

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const records = (source: ByteSource) => all(csvRecords(source, { delimiter: ',' }));
const items = (text: string, piece?: number) => all(jsonItems(sourceWith(text, 'file', piece), 'results'));

describe('CSV', () => {
  it('gives records with the line where each begins', async () => {
    const text = '\uFEFFa,b\r\n1,"x\r\ny ""z"""\r\n\r\n2,é\r\n';
    for (const piece of [1, 2, 3, 1000]) {
      expect(await records(sourceWith(text, 'file', piece))).toEqual([
        { line: 1, fields: ['a', 'b'] },
        { line: 2, fields: ['1', 'x\ny "z"'] },
        { line: 5, fields: ['2', 'é'] },
      ]);
    }
  });

  it.each(['utf16le', 'utf16be'])('may be %s with its mark', async (encoding) => {
    const bytes = Buffer.from('\uFEFFa,b\n1,é🃏\n', 'utf16le');
    const source = sourceWith(encoding === 'utf16le' ? bytes : bytes.swap16(), 'file', 6);
    expect(await records(source)).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: ['1', 'é🃏'] },
    ]);
  });

  it('finds columns by their names, wherever they stand', async () => {
    const rows = csvRows(sourceWith('x,b,a\n1,2,3\n'), {
      delimiter: ',',
      required: ['a', 'b'],
      optional: ['none'],
    });
    expect(await all(rows)).toEqual([{ line: 2, values: { a: '3', b: '2', none: '' } }]);
  });

  it.each([
    [
      'a,b\n1,2\n3',
      'file, line 3: the row does not have as many columns as the header; the file may have been cut off here.',
    ],
    ['a,b\n1,2,3\n', 'file, line 2: the row does not have as many columns'],
    ['a,b\n1,"2\n', 'a quoted text does not end; the file may have been cut off here.'],
    ['a,b\n1,"2"x\n', 'file, line 2: it is not well-formed CSV (Invalid Closing Quote'],
    ['\n\n', 'file, line 1: there is no header.'],
    ['a,a,b\n', 'file, line 1: the header has the column a twice.'],
    ['a\n', 'file, line 1: the header has no column b.'],
  ])('refuses %j', async (text, message) => {
    const reading = all(csvRows(sourceWith(text), { delimiter: ',', required: ['a', 'b'] }));
    expect(await problemOf(reading)).toContain(message);
  });

  it('refuses a line of a gigabyte after a few megabytes', async () => {
    const source = gigabyteLine('a,b\n1,2\n3,');
    expect(await problemOf(records(source))).toMatch(
      /^gigabyte, line 3: .* more than 1024 KiB; the file is damaged\.$/,
    );
    expect(source.bytesRead).toBeLessThan(8 * MEGABYTE);
  });

  it('tells of a file that is not there', async () => {
    await expect(records(sourceOf('/none/there.csv'))).rejects.toThrow('/none/there.csv');
  });
});

describe('JSON', () => {
  it('gives the items of the list, and their lines, however the text is cut', async () => {
    const text =
      '{"success": true,\n "errors": ["results"],\n"results": [\n{"a": "]}\\"", "b": [{"c": 1}]},\n{}\n], "n": {"results": 1}}\n';
    for (const piece of [1, 2, 5, 1000]) {
      const read = await items(text, piece);
      expect(read.map(({ line }) => line)).toEqual([4, 5]);
      expect(JSON.parse(JSON.stringify(read.map(({ value }) => value)))).toMatchObject([{ a: ']}"' }, {}]);
    }
    expect(await items('{"results":[]}')).toEqual([]);
  });

  it('keeps numbers exactly', async () => {
    const [item] = await items('{"results":[{"price":123456789.123456789012345}]}');
    expect(String((item!.value as { price: unknown }).price)).toBe('123456789.123456789012345');
  });

  it('gives what is around the list to the check', async () => {
    const checked: unknown[] = [];
    await all(
      jsonItems(sourceWith('{"ok":false,"results":[{"a":1}]}'), 'results', (envelope) =>
        checked.push(envelope),
      ),
    );
    expect(checked).toEqual([{ ok: false, results: [] }]);
  });

  it.each([
    [
      '{"results": [{"a": 1},\n{"a": 2',
      'file, line 2: the file ends in the middle of its JSON; it was cut off.',
    ],
    ['{"results": [{"a": 1},\n', 'file, line 2: the file ends in the middle of its JSON; it was cut off.'],
    ['{"results": [{"a": 1}]', 'file, line 1: the file ends in the middle of its JSON; it was cut off.'],
    ['{"results": [{"a": 1},]}', 'file, line 1: expected an object, found "]".'],
    ['{"results": [\n{"a": 1} {"a": 2}]}', 'file, line 2: expected "," or "]", found "{".'],
    ['{"results": [1]}', 'file, line 1: expected an object, found "1".'],
    ['{"results": [\n\n{"a": tru}]}', 'file, line 3: it is not well-formed JSON'],
    ['{"results": [\n{"a": 1, "a": 2}]}', "file, line 2: it is not well-formed JSON (Duplicate key 'a')"],
    ['{"results": [], "results": []}', 'file, line 1: the list is there twice.'],
    ['{"other": []}', 'file, line 1: expected a JSON object with a list "results".'],
    ['[{"results": []}]', 'file, line 1: expected a JSON object with a list "results".'],
    ['<html></html>', 'file, line 1: it is not well-formed JSON'],
  ])('refuses %j', async (text, message) => {
    expect(await problemOf(items(text))).toContain(message);
  });

  it.each([
    ['{"results": [{"a": 1},\n{"a": "', 2],
    ['{"other": "', 1],
    ['', 1],
  ])('refuses a gigabyte after %j at its line', async (start, line) => {
    const source = gigabyteLine(start);
    const problem = await problemOf(all(jsonItems(source, 'results')));
    expect(problem).toContain(`gigabyte, line ${line}: a JSON object goes on for more than 1024 KiB`);
    expect(source.bytesRead).toBeLessThan(8 * MEGABYTE);
  });

  it('refuses brackets without end', async () => {
    const deep = `{"results": [{"a": ${'['.repeat(500_000)}${']'.repeat(500_000)}}]}`;
    expect(await problemOf(items(deep, 65_536))).toContain('it is not well-formed JSON');
  });
});
