/** The collections that lists belong to. $1 is always the account. */

/**
 * The state of a collection's ledger, as a text that no other state of it has, not even after a dump was restored under
 * running nodes: the revision, and the database transaction that wrote the row.
 */
export const LEDGER_STATE = `concat_ws(' ', c.revision, c.xmin)`;

/** The same of the event `e` of the write that gave a ledger its state. */
export const LOGGED_STATE = `concat_ws(' ', e.sequence, e.xmin)`;

/** The revision in a state (SQL). */
export const revisionIn = (state: string) => `split_part(${state}, ' ', 1)::bigint`;

/**
 * Whether the revision is one of those of the parameter, as JSON, or that is null (SQL). Not by `to_jsonb`, which is not immutable,
 * as Citus wants of what chooses the rows to be changed.
 */
export const isOneOf = (param: string, revision: string) =>
  `(${param}::jsonb is null or ${param}::jsonb @> ${revision}::text::jsonb)`;

/**
 * The collections of $1 that are the parents. By `offset 0` each is looked up once, not for each of its holdings, and the
 * planner finds one plan to be good for all accounts, rather than to plan anew for each.
 */
export function parentCollections(idsParam: number): string {
  return `jsonb_array_elements_text($${idsParam}::jsonb) as x(parent)
    cross join lateral (${parentCollection('x.parent')}) c`;
}

/** One of them; the id is SQL. */
export const parentCollection = (id: string) => `
  select c.account_id, c.id, c.currency, c.cost_basis, c.transaction_count, ${LEDGER_STATE} as ledger_state from collection c
  where c.account_id = $1 and c.id = ${id} and not c.deleted offset 0`;

/**
 * Whether any amount of the collection `c` was converted to its currency. In the order of the index `transaction_converted`, which alone
 * knows at once: the planner, where many amounts of others are converted, would go through all transactions for the first.
 */
export const IS_CONVERTED = `(
    select converted.currency from transaction converted where converted.account_id = $1 and converted.collection_id = c.id and converted.rate <> 1
    order by converted.variant_id, converted.currency, converted.occurred limit 1) is not null`;
