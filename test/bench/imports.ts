import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { OpenDatabase } from '../../src/db/client.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { pageByKey } from '../../src/domain/pagination.ts';
import { createAccount } from '../../src/services/accounts/create.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import type { Context } from '../../src/services/context.ts';
import { exportTransactions } from '../../src/services/transactions/export.ts';
import { importTransactions } from '../../src/services/transactions/import.ts';
import {
  countImportRows,
  IMPORT_ROW_ORDER,
  importPreviewed,
  listImportRows,
  previewImport,
} from '../../src/services/transactions/import-preview.ts';
import { NOW } from '../support/clock.ts';
import { loadedPglite, loadedPostgresUrl } from '../support/loaded-databases.ts';
import { startPostgres } from '../support/postgres-server.ts';

/**
 * Files in the form of what five programs export, of 1,400 rows of the shipped catalogue each, and that of FaBrary with a row for each
 * printing and more, of 1.5 MB: rows in, what they are, those that are mended by the first variant that each may mean, seconds to the
 * preview and for the import, whether what is exported and imported again is the same, and how long the event loop was held
 * at most: by the clock, and in time of the processor that its thread had (on Linux), which other programs do not lengthen.
 * `npx tsx test/bench/imports.ts [--embedded]`
 */
const ROWS = 1400;
const LARGE_BYTES = 1.5e6;

interface Card {
  name: string;
  number: string;
  setCode: string;
  setName: string;
  edition: string | null;
  finish: string;
  variantName: string;
  fcId: string;
  vendorProductId: number | null;
}

const quoted = (...cells: unknown[]) =>
  cells.map((cell) => `"${String(cell ?? '').replaceAll('"', '""')}"`).join(',');

const NO_TREATMENTS = new Set(['Alpha', 'First', 'Unlimited', 'Rainbow', 'Cold', 'Gold', 'Back']);
const treatmentsOf = ({ fcId }: Card) =>
  fcId
    .split('-')
    .slice(1)
    .filter((part) => !NO_TREATMENTS.has(part))
    .join(', ');

const fabraryRow = (card: Card, have: number) =>
  quoted(
    ...['x', card.name.replace(/ \((Red|Yellow|Blue)\)$/, ''), '', card.setName, card.number],
    ...[card.edition === '1st' ? 'First' : card.edition, card.finish.replace(/ ?Foil|Normal/, '')],
    ...[treatmentsOf(card), have, '', '', 0, ''],
  );
const FABRARY =
  'Identifier,Name,Pitch,Set,Set number,Edition,Foiling,Treatment,Have,Want in trade,Want to buy,Extra for trade,Extra to sell';

const FILES: Record<string, [header: string, row: (card: Card, i: number) => string]> = {
  FaBrary: [FABRARY, (card) => fabraryRow(card, 2)],
  Collectr: [
    'Portfolio Name,Category,Set,Product Name,Card Number,Rarity,Variance,Average Cost Paid,Quantity,Watchlist,Date Added',
    (card) =>
      quoted(
        ...['Main', 'Flesh and Blood TCG', card.setName, card.name, card.number, '', card.variantName],
        ...['1.2500', 1, 'false', '2025-06-08'],
      ),
  ],
  'TCGplayer (app)': [
    'Quantity,Name,Simple Name,Set,Card Number,Set Code,Printing,Condition,Language,Rarity,Product ID,SKU',
    (card) =>
      quoted(
        ...[3, card.name, card.name, card.setName, card.number, card.setCode, card.variantName],
        ...['Near Mint', 'English', '', card.vendorProductId, 1],
      ),
  ],
  'Dragon Shield': [
    'Folder Name,Quantity,Trade Quantity,Card Name,Set Code,Set Name,Card Number,Condition,Printing,Language,Price Bought,Date Bought',
    (card) =>
      quoted(
        ...[
          'Binder',
          2,
          0,
          card.name,
          card.edition ? `${card.setCode}-${card.edition[0] === 'U' ? 'U' : 'F'}` : card.setCode,
        ],
        ...[card.setName, card.number, 'NearMint', card.finish, 'English', '0.20', '2024-02-17'],
      ),
  ],
  ManaBox: [
    'Name,Set code,Set name,Collector number,Foil,Rarity,Quantity,Purchase price,Purchase price currency',
    (card) =>
      quoted(card.name, card.setCode, card.setName, card.number, card.variantName, '', 4, '3.50', 'EUR'),
  ],
};

function fileOf(cards: readonly Card[], [header, row]: (typeof FILES)[string]): string {
  return [header, ...Array.from({ length: ROWS }, (_, i) => row(cards[(i * 7) % cards.length]!, i))].join(
    '\n',
  );
}

/** The whole catalogue again and again, of which 1,400 are held. */
function largeFile(cards: readonly Card[]): string {
  const lines = [FABRARY];
  let bytes = FABRARY.length;
  for (let i = 0; bytes < LARGE_BYTES; i++) {
    lines.push(fabraryRow(cards[i % cards.length]!, i < ROWS ? 1 : 0));
    bytes += lines.at(-1)!.length + 1;
  }
  return lines.join('\n');
}

/** Of this thread, in milliseconds; NaN where the system does not tell. */
function threadMillis(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

async function measured<T>(work: () => Promise<T>): Promise<{ result: T; seconds: string; turn: string }> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  let longest = 0;
  let before = threadMillis();
  const ticks = setInterval(() => {
    const now = threadMillis();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1);
  const start = performance.now();
  const result = await work();
  const seconds = ((performance.now() - start) / 1000).toFixed(2);
  loop.disable();
  clearInterval(ticks);
  return { result, seconds, turn: `${(loop.max / 1e6).toFixed(0)} ms, ${longest.toFixed(0)} of processor` };
}

/** For each row that is not clear the first of the variants that it may mean. */
async function firstCandidates(
  ctx: Context,
  previewId: string,
): Promise<{ line: number; variantId: string }[]> {
  const request = pageByKey({ first: LIMITS.pageSize }, IMPORT_ROW_ORDER);
  const { items } = await listImportRows(ctx, previewId, 'Unclear', request);
  return items.flatMap(({ line, candidates: [first] }) =>
    first ? [{ line, variantId: first.variantId }] : [],
  );
}

/** Whether an export that is imported into an empty collection comes out the same again, but for ids of transactions. */
async function comesOutTheSame(ctx: Context, collectionId: string, name: string): Promise<boolean> {
  const { id: copy } = await createCollection(ctx, { name });
  const contents = async (id: string) => {
    let csv = '';
    for await (const piece of exportTransactions(ctx, id)) csv += piece;
    return csv;
  };
  const csv = await contents(collectionId);
  await importTransactions(ctx, copy, { csv });
  const withoutIds = (text: string) =>
    text
      .replaceAll(/^txn_[^,]*/gm, '')
      .split('\r\n')
      .sort()
      .join('\n');
  return withoutIds(await contents(copy)) === withoutIds(csv);
}

/** As a socket gives it. */
async function* asSent(bytes: Buffer): AsyncGenerator<Uint8Array> {
  const step = 64 * 1024;
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
}

async function measure(ctx: Context, name: string, text: string): Promise<void> {
  const { id: collectionId } = await createCollection(ctx, { name });
  const bytes = Buffer.from(text);
  const csv = asSent(bytes);
  const read = await measured(() => previewImport(ctx, collectionId, { csv, currency: 'USD' }));
  const preview = read.result;
  const [counts] = await countImportRows(ctx, [preview.id]);
  const choices = await firstCandidates(ctx, preview.id);
  const given = { occurredDate: '2026-02-01', unitAmount: { currency: 'USD', value: 1 }, choices };
  const done = await measured(() => importPreviewed(ctx, preview.id, given));
  const skipped = preview.skipped.reduce((sum, { count }) => sum + count, 0);
  const same = (await comesOutTheSame(ctx, collectionId, name)) ? 'the same' : 'NOT THE SAME';
  // biome-ignore lint/suspicious/noConsole: the result of the program
  console.log(
    `${name}: ${(bytes.length / 1e6).toFixed(2)} MB, ${preview.rowCount} rows, ${counts!.Matched} matched, ` +
      `${counts!.Unclear} unclear, ${choices.length} mended, ${counts!.Wrong} wrong, ${skipped} skipped; preview ${read.seconds} s (turn ${read.turn}), ` +
      `import of ${done.result.transactionCount} ${done.seconds} s (turn ${done.turn}), exported and imported again ${same}`,
  );
}

async function cardsOf(db: OpenDatabase): Promise<Card[]> {
  return db.query<Card>(
    `select p.name, p.number, p.set_code as "setCode", p.set_name as "setName", v.edition, v.finish,
       v.name as "variantName", v.fc_id as "fcId", p.vendor_product_id as "vendorProductId"
     from variant v join product p on p.id = v.product_id
     where p.number is not null and p.vendor_product_id is not null order by p.number, v.position`,
  );
}

const server = process.argv.includes('--embedded') ? null : await startPostgres();
const db = server ? postgresDatabase((await loadedPostgresUrl(server.url)).url) : await loadedPglite();
try {
  const { accountId } = await createAccount(db, { name: 'Bench', now: NOW });
  const caller = { accountId, clientId: 'bench' };
  const ctx: Context = { db: db.forAccount(accountId), caller, now: () => NOW };
  const cards = await cardsOf(db);
  const all = [...Object.entries(FILES).map(([name, form]) => [name, fileOf(cards, form)] as const)];
  // The first one makes the index of the search.
  for (const [name, text] of [['warm-up', all[0]![1]] as const, ...all]) await measure(ctx, name, text);
  await measure(ctx, 'FaBrary, whole', largeFile(cards));
} finally {
  await db.close();
  await server?.stop();
}
