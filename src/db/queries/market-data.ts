import { randomInt } from 'node:crypto';
import { MARKET_ACCOUNT } from './events.ts';

/** What was imported, and when: a row for each kind of market data, with its revision. */

/**
 * What a revision grows by: by chance, so that a dump that is restored under a running service is not taken for the state
 * that has the same number of imports. The sum of all stays below 2^53 for millions of them.
 */
export const revisionStep = () => 1 + randomInt(1e9);

const isOf = (kinds: readonly MarketKind[]) => `kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})`;

/** The sum of the revisions of these kinds, as SQL: a statement of its own … */
const revisionOf = (...kinds: readonly MarketKind[]) =>
  `select coalesce(sum(revision), 0)::bigint from market_data where ${isOf(kinds)}`;

/** … and one of several sums over `market_data`, which costs less than a statement for each. */
export const revisionAmong = (...kinds: readonly MarketKind[]) =>
  `coalesce(sum(revision) filter (where ${isOf(kinds)}), 0)::bigint`;

/** What decides what a card is worth in some currency. */
export const PRICING_KINDS = ['prices', 'rates'] as const;

/** Grows with each of those. */
export const PRICING_REVISION = revisionOf(...PRICING_KINDS);

/** Grows with the prices of the past that are imported on their own. */
export const HISTORY_REVISION = revisionOf('price-history');

/** Grows with what expected values follow from beside prices. */
export const PULL_RATES_REVISION = revisionOf('pull-rates');

/** Grows whenever the days of the market indexes are made again. */
export const INDEX_REVISION = revisionOf('market-index');

/** `price-history` is there once prices of the past were imported on their own; `market-index` says what the indexes were made of. */
export type MarketKind =
  | 'catalogue'
  | 'prices'
  | 'price-history'
  | 'sales'
  | 'rates'
  | 'pull-rates'
  | 'market-index';

export interface MarketDataRow {
  kind: MarketKind;
  version: string;
  isSample: boolean;
  newestDay: string | null;
  /** In UTC. */
  importedDay: string;
}

export const MARKET_DATA = `
  select kind, version, is_sample as "isSample", newest_day::text as "newestDay",
    (imported_at at time zone 'UTC')::date::text as "importedDay"
  from market_data order by kind`;

/** $1 kind, $2 version, $3 whether it is made up, $4 the newest day that it covers, or null. Days never go back. */
export const RECORD_IMPORT = `
  with recorded as (
    insert into market_data as m (kind, version, is_sample, newest_day, revision)
    values ($1, $2, $3::boolean, $4::date, 1 + floor(random() * 1e9)::bigint)
    on conflict (kind) do update set version = excluded.version, is_sample = excluded.is_sample,
      newest_day = case when m.is_sample and not excluded.is_sample then excluded.newest_day
        else greatest(m.newest_day, excluded.newest_day) end,
      revision = m.revision + excluded.revision, imported_at = excluded.imported_at
    returning m.kind, m.revision
  )
  insert into event (account_id, stream, sequence, kind)
  select '${MARKET_ACCOUNT}', kind, revision, 'MarketImported' from recorded where kind <> 'market-index'`;

export interface ImportAgeRow {
  kind: MarketKind;
  seconds: number;
}

/** Seconds since the last import of each kind. */
export const IMPORT_AGES = `
  select kind, extract(epoch from now() - imported_at)::float8 as seconds from market_data
  where kind <> 'market-index' order by kind`;

/** One import at a time, to the end of its transaction. */
export const TAKE_IMPORT_TURN = 'select pg_advisory_xact_lock(7201104)';
export const IS_IMPORT_TURN_FREE = 'select pg_try_advisory_xact_lock(7201104) as free';

/**
 * $1 kind, $2 `revisionStep`: nodes that hold products look at that of the catalogue, which an import of prices may link, and those
 * that hold expected values at that of the pull rates, since they may change without an import.
 */
export const RECORD_CHANGE = 'update market_data set revision = revision + $2::bigint where kind = $1';
