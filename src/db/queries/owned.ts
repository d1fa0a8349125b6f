/**
 * How many cards an account ($1) holds of each of some products or variants ($2, ids as JSON), over all its collections or in
 * one ($3, or null), but for wish lists. What is sold beyond what was bought is no card. By `offset 0` each is looked up: the planner, left to
 * itself, reads all that is held.
 */
const owned = (holdings: string) => `
  select x.id, owned.quantity
  from jsonb_array_elements_text($2::jsonb) as x(id) cross join lateral (
    select coalesce(sum(greatest(h.quantity, 0)), 0)::bigint as quantity
    from ${holdings} join collection c on c.account_id = $1 and c.id = h.collection_id
    where h.account_id = $1 and not c.deleted
      and case when $3::text is null then c.kind = 'Collection' else h.collection_id = $3 end offset 0
  ) owned`;

export const OWNED = {
  Variant: owned('(select * from holding where account_id = $1 and variant_id = x.id) h'),
  Product: owned(`(select id from variant where product_id = x.id offset 0) v
    cross join lateral (select * from holding where account_id = $1 and variant_id = v.id offset 0) h`),
} as const;

export interface OwnedRow {
  id: string;
  quantity: number;
}
