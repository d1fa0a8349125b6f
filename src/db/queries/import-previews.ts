import { LIMITS } from '../../domain/limits.ts';
import { IMPORT_ROW_STATES, type ImportRowState } from '../../domain/transaction-file.ts';
import type { List } from './page.ts';
import { ascending } from './page.ts';

/** Statements on kept previews of imports. $1 is the account where nothing else is said. */

const KEPT = `interval '${LIMITS.importPreviewHours} hours'`;

/** Of a collection that is there still. */
const FROM_KEPT = `
  import_preview p join collection c on c.account_id = $1 and c.id = p.collection_id and not c.deleted`;

export interface PreviewRow {
  id: string;
  collectionId: string;
  createdAt: string;
  file: unknown;
}

const PREVIEW_COLUMNS = `
  p.id, p.collection_id as "collectionId", p.created_at as "createdAt", p.file`;

/** $2 ids as JSON, $3 now. */
export const PREVIEWS_BY_ID = `
  select ${PREVIEW_COLUMNS} from ${FROM_KEPT}
  where p.account_id = $1 and p.id in (select jsonb_array_elements_text($2::jsonb))
    and p.created_at > $3::timestamptz - ${KEPT}`;

/** $2 id, $3 now. Others wait who import it, too; its collection is locked first, as by who takes a larger share for it. */
export const LOCK_PREVIEW = `
  with col as (
    select c.id from collection c
    where c.account_id = $1 and not c.deleted
      and c.id = (select i.collection_id from import_preview i where i.account_id = $1 and i.id = $2)
    for no key update
  )
  select ${PREVIEW_COLUMNS} from import_preview p
  where p.account_id = $1 and p.id = $2 and p.created_at > $3::timestamptz - ${KEPT}
    and p.collection_id = (select id from col)
  for no key update`;

/** $2 id, $3 collection, $4 now, $5 bytes, $6 file as JSON. */
export const INSERT_PREVIEW = `
  insert into import_preview (account_id, id, collection_id, created_at, bytes, file)
  values ($1, $2, $3, $4::timestamptz, $5::bigint, $6::jsonb)`;

/** $2 preview, $3 rows as JSON. */
export const INSERT_PREVIEW_ROWS = `
  insert into import_preview_row (account_id, preview_id, line, state, row, cells)
  select $1, $2, r.line, r.state, r.row, r.cells
  from jsonb_to_recordset($3::jsonb) as r(line integer, state text, row jsonb, cells jsonb)
  returning 1 as one`;

/** $2 the new preview, which stays. Takes the oldest away that are more, or take more, than an account may keep. */
export const DELETE_PREVIEWS_BEYOND = `
  delete from import_preview p using (
    select id, row_number() over newest as number, sum(bytes) over newest as bytes
    from import_preview where account_id = $1
    window newest as (order by created_at desc, id desc)
  ) kept
  where p.account_id = $1 and p.id = kept.id and p.id <> $2
    and (kept.number > ${LIMITS.importPreviews} or kept.bytes > ${LIMITS.importPreviewsBytes})`;

export interface PreviewedRow<Row> {
  line: number;
  state: ImportRowState;
  row: Row;
}

/** By the lines of the file. */
export const PREVIEWED_ROW_ORDER = ascending('import-rows', ['r.line', 'position']);

/** $2 preview; $3 a state, where there is one. */
export function previewedRows(hasState: boolean): List {
  return {
    columns: 'r.line, r.state, r.row',
    from: 'import_preview_row r',
    where: `r.account_id = $1 and r.preview_id = $2${hasState ? ' and r.state = $3' : ''}`,
    order: PREVIEWED_ROW_ORDER,
  };
}

/** $2 previews as JSON. */
export const COUNT_PREVIEWED_ROWS = `
  select r.preview_id as "previewId", r.state, count(*) as count from import_preview_row r
  where r.account_id = $1 and r.preview_id in (select jsonb_array_elements_text($2::jsonb))
  group by r.preview_id, r.state`;

/** $2 preview, $3 the line behind which it goes on, $4 rows at most: those that are to be transactions, or cannot be. */
export const ROWS_TO_IMPORT = `
  select r.line, r.row from import_preview_row r
  where r.account_id = $1 and r.preview_id = $2 and r.state <> 'Skipped' and r.line > $3::integer
  order by r.line limit $4::integer`;

/** The lines that a function gives. As a list, they are looked up by the key; joined, each row of a preview may be compared with each of them. */
const amongLines = (given: string) =>
  `line = any(array(select given.line::integer from ${given} as given(line)))`;
/** $3 lines as JSON. */
const AMONG_LINES = amongLines('jsonb_array_elements_text($3::jsonb)');

/** $2 preview, $3 lines as JSON. */
export const DELETE_IMPORTED_ROWS = `
  delete from import_preview_row where account_id = $1 and preview_id = $2 and ${AMONG_LINES}`;

/** $2 preview, $3 lines as JSON, $4 the problems of the row as JSON. */
export const SKIP_ROWS = `
  update import_preview_row
  set state = 'Skipped', row = row - 'left'::text || $4::jsonb
  where account_id = $1 and preview_id = $2 and ${AMONG_LINES}`;

/** $2 preview, $3 as JSON by line why an import left it. */
export const LEAVE_ROWS = `
  update import_preview_row r
  set row = jsonb_set(r.row, '{left}', $3::jsonb -> r.line::text)
  where r.account_id = $1 and r.preview_id = $2
    and r.${amongLines('jsonb_object_keys($3::jsonb)')}`;

/** $2 preview, $3 the line behind which it goes on, $4 rows at most: those that an import has left, or that would not be imported as they are. */
export const REST_OF_PREVIEW = `
  select r.line, r.row, r.cells from import_preview_row r
  where r.account_id = $1 and r.preview_id = $2 and (r.state <> '${IMPORT_ROW_STATES[0]}' or r.row->>'left' is not null)
    and r.line > $3::integer
  order by r.line limit $4::integer`;

/** Takes the oldest of the previews away that are no longer kept, with their rows. Gives how many. */
export const PURGE_PREVIEW = `
  with expired as (
    select account_id, id from import_preview where created_at < now() - ${KEPT} order by created_at limit 1
  ),
  gone as (
    delete from import_preview p using expired e where p.account_id = e.account_id and p.id = e.id returning 1
  )
  select count(*) as count from gone`;
