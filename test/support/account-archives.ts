import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ARCHIVE_FOLDER, CHECKSUMS_FILE } from '../../src/domain/account-archive.ts';
import { TAR_END, tarFile, tarFiles } from '../../src/lib/tar.ts';
import { exportAccountTo } from '../../src/services/accounts/export.ts';
import type { Context } from '../../src/services/context.ts';
import { NOW } from '../harness.ts';

/** The archives of accounts, taken apart and put together. */

/** The contents by the names within the folder, in their order. */
export type Files = Map<string, string>;

/** The archive of an account that has nothing. */
export const NOTHING: Files = new Map([
  [
    'account.json',
    JSON.stringify({
      ...{ format: 'cardledger-account', version: 1, exportedAt: NOW.toISOString() },
      ...{ accountId: 'acc_00000000-0000-7000-8000-000000000000', name: 'Ada', createdAt: NOW.toISOString() },
      preferences: { preferredCurrency: 'USD', preferredPriceSource: 'VendorMarket', costBasis: 'Average' },
      ...{ collectionCount: 0, priceAlertCount: 0, transactionCount: 0 },
    }),
  ],
]);

export function accountIdOf({ caller }: Context): string {
  return `acc_${caller.accountId}`;
}

export async function archiveOf(ctx: Context, id = accountIdOf(ctx)): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await exportAccountTo(ctx, id, async (archive) => {
    for await (const piece of archive) pieces.push(piece);
  });
  return Buffer.concat(pieces);
}

export async function filesOf(archive: Uint8Array): Promise<Files> {
  const files: Files = new Map();
  async function* bytes() {
    yield gunzipSync(archive);
  }
  for await (const { name, content } of tarFiles(bytes(), 2 ** 30))
    files.set(name.slice(ARCHIVE_FOLDER.length + 1), content.toString());
  return files;
}

/** With the checksums of what is there, unless they are among the files. */
export function archiveWith(files: Files): Buffer {
  const sums = [...files].map(
    ([name, text]) => `${createHash('sha256').update(text).digest('hex')}  ${name}\n`,
  );
  const all = new Map([
    ...files,
    ...(files.has(CHECKSUMS_FILE) ? [] : [[CHECKSUMS_FILE, sums.join('')] as const]),
  ]);
  return packed([...all].map(([name, text]) => tarEntry(`${ARCHIVE_FOLDER}/${name}`, Buffer.from(text))));
}

/** One file of a tar archive. */
export function tarEntry(name: string, content: Buffer): Buffer {
  return Buffer.concat(tarFile(name, [content], NOW));
}

/** Files of a tar archive, with its end. */
export function packed(files: readonly Uint8Array[]): Buffer {
  return gzipSync(Buffer.concat([...files, TAR_END]));
}

/** The same files but for what is changed; undefined takes one away. The checksums are made anew. */
export function changed(files: Files, changes: Record<string, string | undefined>): Files {
  const all = new Map<string, string | undefined>([...files, ...Object.entries(changes)]);
  if (!(CHECKSUMS_FILE in changes)) all.delete(CHECKSUMS_FILE);
  return new Map([...all].filter((file): file is [string, string] => file[1] !== undefined));
}
