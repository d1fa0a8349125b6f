import { LIMITS } from '../../domain/limits.ts';

/** The log of what happened, for those who follow it. $1 is the account where nothing else is said. */

export type EventKind =
  | 'Created'
  | 'Updated'
  | 'Deleted'
  | 'TransactionsCreated'
  | 'TransactionUpdated'
  | 'TransactionDeleted'
  | 'Revalued'
  | 'AlertTriggered'
  /** Of an account below: under that of its platform, with its own id as the stream. */
  | 'AccountDeleted'
  /** Under `MARKET_ACCOUNT`, with the kind of data as the stream. */
  | 'MarketImported';

export const ALERTS_STREAM = 'alerts';

/** Stands for the account of what is no account's: nobody has this id. */
export const MARKET_ACCOUNT = '00000000-0000-0000-0000-000000000000';

/** A collection whose revision a statement has raised. */
export interface ChangedCollection {
  id: string;
  revision: number;
}

/** The event of each of the collections ($2, `ChangedCollection`s as JSON): $3 its kind, $4 the variants concerned as JSON, null for any. */
export const LOG_CHANGES = `
  insert into event (account_id, stream, sequence, kind, variant_ids)
  select $1::uuid, x.id, x.revision, $3, $4::jsonb from jsonb_to_recordset($2::jsonb) as x(id text, revision bigint)
  returning sequence`;

/** $2 alerts, ids as JSON in the order of their events. The row that counts is locked after everything else. */
export const LOG_TRIGGERED_ALERTS = `
  with triggered as (
    select t.id, t.number from jsonb_array_elements_text($2::jsonb) with ordinality as t(id, number)
  ),
  counted as (
    insert into event_stream as s (account_id, stream, sequence)
    select $1::uuid, '${ALERTS_STREAM}', jsonb_array_length($2::jsonb)
    on conflict (account_id, stream) do update set sequence = s.sequence + excluded.sequence
    returning s.sequence
  ),
  logged as (
    insert into event (account_id, stream, sequence, kind, alert_id)
    select $1::uuid, '${ALERTS_STREAM}', c.sequence - jsonb_array_length($2::jsonb) + t.number, 'AlertTriggered', t.id
    from triggered t cross join counted c
    returning sequence
  )
  select count(*) as count from logged`;

export interface EventRow {
  sequence: number;
  kind: EventKind;
  transactionIds: string[] | null;
  variantIds: string[] | null;
  alertId: string | null;
}

/**
 * $2 stream, $3 the sequence of the last event that is known, $4 rows at most, $5 ids: no row follows those that have as many
 * together, so that the last of them alone may go beyond.
 */
export const EVENTS_AFTER = `
  select sequence, kind, transaction_ids as "transactionIds", variant_ids as "variantIds", alert_id as "alertId"
  from (
    select e.*, coalesce(sum(coalesce(jsonb_array_length(transaction_ids), 0) + coalesce(jsonb_array_length(variant_ids), 0))
      over (order by sequence rows between unbounded preceding and 1 preceding), 0) as ids_before
    from (
      select * from event where account_id = $1 and stream = $2 and sequence > $3::bigint
      order by sequence limit $4::integer
    ) e
  ) e
  where ids_before < $5::integer order by sequence`;

/** Where a stream stands, by each of what counts; null where there is none. */
export interface StreamPosition {
  /** Of the collection, unless it is deleted. */
  revision: number | null;
  /** Of a stream that counts for itself. */
  counted: number | null;
  /** Of the newest event that is kept. */
  logged: number | null;
}

/** $2 stream. */
export const STREAM_POSITION = `
  select
    (select revision from collection where account_id = $1 and id = $2 and not deleted) as revision,
    (select sequence from event_stream where account_id = $1 and stream = $2) as counted,
    (select max(sequence) from event where account_id = $1 and stream = $2) as logged`;

/** $1 a list of `{accountId, stream, position}` as JSON: those of them with an event after the position. */
export const CHANGED_STREAMS = `
  select w."accountId", w.stream
  from jsonb_to_recordset($1::jsonb) as w("accountId" uuid, stream text, position bigint)
  join event e on e.account_id = w."accountId" and e.stream = w.stream and e.sequence = w.position + 1`;

/** From when on there may be events that webhooks are still to be told of; null where there is no webhook. */
export const UNTOLD_FROM = `(
  select greatest(f.read_from, w.since)
  from webhook_feed f, (select min(active_since) as since from webhook where status = 'Active') w
  where w.since is not null)`;

/** Takes the oldest events of all accounts away, some seconds of them at a time. Gives how many. */
export const PURGE_EVENTS = `
  with gone as (
    delete from event where created_at < least(
      now() - interval '${LIMITS.eventHours} hours', (select min(created_at) from event) + interval '10 seconds', ${UNTOLD_FROM})
    returning 1
  )
  select count(*) as count from gone`;
