/** Who pulls market data, and when: a row for each kind (docs/decisions.md#fresh-market-data). */

export type PullKind = 'prices' | 'rates';

/** So long nobody else pulls, unless it is said again; a process that died leaves it to others then. */
const LEASE = `interval '5 minutes'`;

/**
 * $1 kind, $2 when it was due: gives the number of this try, or nothing where another has it, or none is due. What is due is said by the
 * clock of a process, which may be ahead of the database's by any time: so there is an hour between two. The database's
 * may have been ahead, too: what it then wrote is not waited for.
 */
export const TAKE_PULL = `
  insert into market_pull as p (kind, tries, not_before) values ($1, 1, now() + ${LEASE})
  on conflict (kind) do update set tries = p.tries + 1, not_before = excluded.not_before
  where (p.not_before <= now() or p.not_before > now() + interval '1 day')
    and (p.pulled_at is null or p.pulled_at < least($2::timestamptz, now() - interval '1 hour') or p.pulled_at > now())
  returning tries`;

/** $1 kind */
export const KEEP_PULL = `update market_pull set not_before = now() + ${LEASE} where kind = $1`;

/** $1 kind, $2 milliseconds until the next try. */
export const PUT_OFF_PULL = `
  update market_pull set not_before = now() + $2::float8 * interval '1 millisecond' where kind = $1`;

/** $1 kind; whoever looks next may begin, as if this try had not been. */
export const LEAVE_PULL = `
  update market_pull set not_before = now(), tries = greatest(tries - 1, 0) where kind = $1`;

/** $1 kind */
export const RECORD_PULL = `
  insert into market_pull (kind, pulled_at, tries, not_before) values ($1, now(), 0, now())
  on conflict (kind) do update set pulled_at = now(), tries = 0, not_before = now()`;
