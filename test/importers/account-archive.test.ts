import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ArchivedCollection } from '../../src/domain/account-archive.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { CSV_HEADER } from '../../src/domain/transaction-file.ts';
import {
  type ArchivePart,
  checksumLine,
  isUtf8InParts,
  readArchive,
} from '../../src/importers/account-archive.ts';
import { MOST_ROW_BYTES, sourceOfBytes } from '../../src/importers/import-file.ts';
import { atOnce } from '../../src/lib/parts.ts';
import { archiveWith, changed, NOTHING } from '../support/account-archives.ts';

async function read(name: string, text: string): Promise<ArchivePart[]> {
  const parts: ArchivePart[] = [];
  const archive = archiveWith(changed(NOTHING, { [name]: text }));
  for await (const part of readArchive(sourceOfBytes('archive', archive))) parts.push(part);
  return parts;
}

const COLLECTION = {
  ...{ collectionId: 'col_1', name: 'Binder', description: '', collectionKind: 'Collection', valued: true },
  ...{ pinned: false, image: 0, isGoalCollection: false, createdAt: '2026-01-01T00:00:00Z' },
  transactionCount: 0,
};

/** So many of what lacks all that it should have. */
const empty = (count: number) => `[${Array(count).fill('{}').join(',')}]`;

it('refuses a file with more values than a body may have before it is parsed', async () => {
  const file = 'collections-0001.json';
  // Each object stands behind a comma, and the list is a value, too.
  const most = LIMITS.bodyValues / 2;
  await expect(read(file, empty(most))).rejects.toThrow(`${file}: it is longer than an export writes it.`);
  await expect(read(file, empty(most - 1))).rejects.toThrow(`${file}: 0.collectionId is required.`);
  await expect(read('goal.json', '['.repeat(LIMITS.bodyDepth + 1))).rejects.toThrow(
    'goal.json: it is longer than an export writes it.',
  );
});

it('judges what a file lists one by one, and ends at the first breach', async () => {
  const judged = vi.spyOn(ArchivedCollection, 'safeParse');
  onTestFinished(() => judged.mockRestore());
  const text = JSON.stringify([COLLECTION, COLLECTION, { ...COLLECTION, image: -1 }, {}, {}, {}]);
  await expect(read('collections-0001.json', text)).rejects.toThrow(/: 2\.image must be/);
  expect(judged).toHaveBeenCalledTimes(3);
});

it('takes a file of as many collections as an export writes, with all that they may have', async () => {
  const description = 'x'.repeat(LIMITS.archiveJsonBytes / 2 / LIMITS.exportPageSize);
  const all = Array(LIMITS.exportPageSize).fill({ ...COLLECTION, description });
  const [, part] = await read('collections-0001.json', JSON.stringify(all));
  expect(part).toMatchObject({ kind: 'collections', content: { length: all.length } });
});

it('takes the goal of a set that is larger than any', async () => {
  const items = Array.from({ length: 6000 }, (_, i) => ({ variantId: `var_${i}`, quantity: 1 }));
  const goal = { match: 'Variant', targetCollectionId: null, items };
  const [, part] = await read('goal.json', JSON.stringify(goal));
  expect(part).toMatchObject({ kind: 'goal', content: goal });
});

it('tells UTF-8 in parts, wherever they end', () => {
  const part = 256 * 1024;
  const ofLargest = [...isUtf8InParts(Buffer.alloc(LIMITS.archiveFileBytes, 'x'))];
  expect(ofLargest).toHaveLength(LIMITS.archiveFileBytes / part);
  for (const text of ['é', '€', '𝄞']) {
    const bytes = Buffer.from(text);
    for (let before = 0; before <= bytes.length; before++) {
      const content = Buffer.concat([Buffer.alloc(part - before, 'x'), bytes, Buffer.from('x')]);
      expect(atOnce(isUtf8InParts(content))).toBe(true);
      const broken = Buffer.concat([Buffer.alloc(part - before, 'x'), bytes.subarray(0, -1)]);
      expect(atOnce(isUtf8InParts(broken))).toBe(isUtf8(broken));
    }
  }
  expect(atOnce(isUtf8InParts(Buffer.alloc(2 * part, 0x80)))).toBe(false);
});

it('has the same checksum as of the whole', async () => {
  const content = Buffer.alloc(600_000, 'abc');
  const digest = createHash('sha256').update(content).digest('hex');
  expect(await checksumLine([content], 'a.csv')).toBe(`${digest}  a.csv\n`);
});

it('refuses a row that is longer than any', async () => {
  const parts = async (cell: string) => {
    const rows: unknown[] = [];
    for (const part of await read(
      'transactions-0001.csv',
      `collectionId,${CSV_HEADER}"${cell}"${','.repeat(22)}\r\n`,
    ))
      if (part.kind === 'transactions') for await (const row of part.rows) rows.push(row);
    return rows;
  };
  expect(await parts('x'.repeat(MOST_ROW_BYTES - 1000))).toHaveLength(1);
  await expect(parts('x'.repeat(MOST_ROW_BYTES + 2))).rejects.toThrow(
    'a line or quoted text goes on for more than 64 KiB',
  );
});
