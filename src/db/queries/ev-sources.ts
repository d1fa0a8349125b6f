import { latestRate } from './exchange.ts';
import { upsert } from './upsert.ts';

/** What expected values are computed from. */

export const UPSERT_PULL_RATES = upsert('pull_rate_set', 'set_type', [
  ['set_type', 'text'],
  ['rates', 'jsonb'],
]);

export const PULL_RATES = 'select rates from pull_rate_set order by set_type';

/** Prices of cards in US dollars, with what decides the pull-rate category; null where none is known. */
export const CARD_PRICES = `
  select v.set_code as "setCode", v.edition, v.finish, v.rarity, v.is_expansion_slot as "isExpansionSlot",
    (p.amount * ${latestRate('p.currency', `'USD'`)})::text as price
  from variant v join product pr on pr.id = v.product_id and pr.sealed_set_type is null
  left join price p on p.variant_id = v.id and p.source = 'VendorMarket'
  where v.set_code in (select jsonb_array_elements_text($1::jsonb))
  order by v.id`;

/** Prices in US dollars by what decides the pull-rate category. They are converted once for each currency of a group, not one by one. */
export const PRICE_GROUPS = `
  select set_code as "setCode", edition, finish, rarity, is_expansion_slot as "isExpansionSlot",
    sum(cards)::bigint as cards, sum(priced)::bigint as priced,
    coalesce(sum(amount * ${latestRate('prices.currency', `'USD'`)}), 0) as "priceSum"
  from (
    select v.set_code, v.edition, v.finish, v.rarity, v.is_expansion_slot, p.currency,
      count(*) as cards, count(p.amount) as priced, sum(p.amount) as amount
    from variant v join product pr on pr.id = v.product_id
    left join price p on p.variant_id = v.id and p.source = 'VendorMarket'
    where pr.sealed_set_type is null
    group by v.set_code, v.edition, v.finish, v.rarity, v.is_expansion_slot, p.currency
  ) prices
  group by set_code, edition, finish, rarity, is_expansion_slot`;

/** Sealed products, with their price in US dollars. */
export const SEALED_PRODUCTS = `
  select pr.id as "productId", pr.sealed_set_type as "setType", pr.sealed_product_type as "productType",
    min(p.amount * ${latestRate('p.currency', `'USD'`)}) as "marketPrice"
  from product pr join variant v on v.product_id = pr.id
  left join price p on p.variant_id = v.id and p.source = 'VendorMarket'
  where pr.sealed_set_type is not null
  group by pr.id`;
