import { CURRENCIES } from '../../domain/currencies.ts';
import { latestRate } from './exchange.ts';
import { parentCollections } from './parents.ts';

/**
 * Cards that a figure is made of, as SQL: `scope`, `variant_id` and `quantity`, which is above 0. A figure of several
 * collections is made in one statement, each collection being a scope. $1 is the account.
 */
export interface Items {
  sql: string;
  /** All scopes, also those that hold nothing. */
  scopes: string;
  /** Whether there is but one. */
  isWhole: boolean;
  /** How many parameters there are: $2 has the ids of collections as JSON, if anything. */
  params: 1 | 2;
}

/** The only scope of what is not of one collection. */
export const WHOLE = '';

/** What each collection ($2, ids as JSON) holds. */
export const OF_COLLECTIONS: Items = {
  sql: `
  select c.id as scope, h.variant_id, h.quantity from ${parentCollections(2)}
  join holding h on h.account_id = $1 and h.collection_id = c.id and h.quantity > 0`,
  scopes: `select jsonb_array_elements_text($2::jsonb) as scope`,
  isWhole: false,
  params: 2,
};

/** What the valued collections hold together. */
export const OF_VALUED: Items = {
  sql: `
  select '${WHOLE}' as scope, h.variant_id, sum(h.quantity)::bigint as quantity
  from collection c join holding h on h.account_id = $1 and h.collection_id = c.id and h.quantity > 0
  where c.account_id = $1 and c.valued and not c.deleted group by h.variant_id`,
  scopes: `select '${WHOLE}' as scope`,
  isWhole: true,
  params: 1,
};

/** The account $1 with the currency and the price source that it prefers. */
export const PREFERRED = `
  preferred as materialized (
    select preferred_currency as currency, preferred_price_source as source from account where account_id = $1
  )`;

/** The latest rate to the preferred currency from each, made once: prices are many. */
export const RATES = `
  rate as materialized (
    select known.currency, ${latestRate('known.currency', 'preferred.currency')} as rate
    from unnest('{${CURRENCIES.join()}}'::text[]) known(currency) cross join preferred
  )`;
