/** The best SQL that we know for each workload: the floor's, and the peers' where they take SQL. */

/** What holdings `h` are worth: prices are in the account's currency, and a variant has one. */
const PRICED = `left join price pr on pr.variant_id = h.variant_id and pr.source = 'VendorMarket'`;
const MARKET_VALUE = 'coalesce(greatest(h.quantity, 0) * pr.amount, 0)';

/** The value of collections is kept by difference, as the create below does. */
export const NESTED = `
  select c.id, c.name, c.market_value as "collectionValue", h.quantity, round(h.invested, 2) as invested,
    round(h.market_value, 2) as "marketValue", h.variant_id as "variantId", v.name as "variantName", v.fc_id as "fcId",
    p.id as "productId", p.name as "productName", p.number, p.image_url as "imageUrl", h.amount as price
  from (
    select account_id, id, name, round(market_value, 2) as market_value from collection
    where account_id = $1 and not deleted order by id limit 10
  ) c cross join lateral (
    select h.variant_id, h.quantity, h.invested, pr.amount, ${MARKET_VALUE} as market_value
    from holding h ${PRICED}
    where h.account_id = $1 and h.collection_id = c.id and h.transaction_count > 0
    order by market_value desc, h.variant_id desc limit 10
  ) h
  join variant v on v.id = h.variant_id join product p on p.id = v.product_id
  order by c.id, h.market_value desc, h.variant_id desc`;

export const PRODUCT = `
  select p.id, p.name, p.number, p.image_url as "imageUrl", p.description, p.class, p.rarity, v.id as "variantId",
    v.name as "variantName", v.fc_id as "fcId", pr.amount as price
  from product p join variant v on v.product_id = p.id
  left join price pr on pr.variant_id = v.id and pr.source = 'VendorMarket'
  where p.id = $1 order by v.position`;

export const SUMMARIES = `
  select h.variant_id as "variantId", v.name as "variantName", p.id as "productId", p.name as "productName",
    h.quantity, p.image_url as "imageUrl", p.number, round(h.cash_position, 2) as "cashPosition",
    round(h.invested, 2) as invested, round(h.profit, 2) as profit,
    round(greatest(h.quantity, 0) * pr.amount - h.invested, 2) as gain,
    round(${MARKET_VALUE}, 2) as "marketValue", v.fc_id as "fcId", c.currency
  from collection c join holding h on h.account_id = c.account_id and h.collection_id = c.id
  join variant v on v.id = h.variant_id join product p on p.id = v.product_id ${PRICED}
  where c.account_id = $1 and c.id = $2 and not c.deleted and h.transaction_count > 0
  order by p.name, v.name, h.variant_id limit 51`;

export const SEARCH = `
  select id as "productId", name, image_url as "imageUrl", number from product
  where to_tsvector('simple', name) @@ to_tsquery('simple', $1)
  order by ts_rank(to_tsvector('simple', name), to_tsquery('simple', $1)) desc, id limit 51`;

/** One ledger row, its holding and the collection's totals, by one statement. */
export const CREATE = `
  with col as (
    select c.id, c.currency, a.preferred_price_source as source from collection c join account a on a.account_id = c.account_id
    where c.account_id = $1 and c.id = $2 and not c.deleted for no key update of c
  ),
  new as (
    insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
    select $1, $3, col.id, v.id, $5, $6, $7, $8, $9, exchange_rate($9, col.currency, $5)
    from col join variant v on v.id = $4
    returning *
  ),
  delta as (
    select variant_id, case action when 'Purchase' then quantity else 0 end as bought,
      case action when 'Purchase' then quantity * unit_amount * rate else 0 end as cost,
      case action when 'Sale' then quantity else 0 end as sold,
      case action when 'Sale' then quantity * unit_amount * rate else 0 end as proceeds
    from new
  ),
  hold as (
    insert into holding as h (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
    select $1, col.id, d.variant_id, 1, d.bought, d.cost, d.sold, d.proceeds from delta d, col
    on conflict (account_id, collection_id, variant_id) do update set
      transaction_count = h.transaction_count + 1, bought = h.bought + excluded.bought, cost = h.cost + excluded.cost,
      sold = h.sold + excluded.sold, proceeds = h.proceeds + excluded.proceeds
    returning h.*
  ),
  total as (
    update collection c set revision = c.revision + 1, transaction_count = c.transaction_count + 1,
      quantity = c.quantity + d.bought - d.sold,
      invested = c.invested + h.invested - b.invested, profit = c.profit + h.profit
        - profit(h.bought - d.bought, h.cost - d.cost, h.sold - d.sold, h.proceeds - d.proceeds),
      cash_position = c.cash_position + d.proceeds - d.cost,
      market_value = c.market_value + coalesce(more.market_value, 0),
      gain = c.gain + coalesce(more.market_value - h.invested + b.invested, 0)
    from hold h join delta d using (variant_id) cross join lateral (
      select invested(h.bought - d.bought, h.cost - d.cost, h.sold - d.sold) as invested,
        h.quantity - d.bought + d.sold as quantity
    ) b cross join lateral (
      select (greatest(h.quantity, 0) - greatest(b.quantity, 0)) * (
        select p.amount * latest_exchange_rate(p.currency, col.currency) from col, price p
        where p.variant_id = d.variant_id and p.source = col.source) as market_value
    ) more, col
    where c.account_id = $1 and c.id = col.id
  )
  select t.id as "transactionId", t.variant_id as "variantId", p.id as "productId", t.occurred, t.action, t.quantity,
    t.unit_amount as "unitAmount", t.currency, v.name as "variantName", p.name as "productName", p.number,
    p.image_url as "imageUrl", v.fc_id as "fcId"
  from new t join variant v on v.id = t.variant_id join product p on p.id = v.product_id`;
