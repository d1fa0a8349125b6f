/**
 * Statements on the transactions that an account may have. $1 is always the account.
 *
 * Each collection has a share of them, and one that has room in its share is written without a look at the account: writers
 * of different collections never wait for each other. A share that is used up is made larger under the lock of the account's
 * row, without which no share grows: so all of them together are never more than the account may have.
 */

/** How many more than are needed a collection is given, so that few writes have to ask. */
const SPARE = 1000;

const ROOM = `
  select a.max_transactions - coalesce(sum(greatest(o.transaction_share, o.transaction_count)), 0)::bigint as room
  from account a left join collection o on o.account_id = $1 and not o.deleted and o.id <> $2
  where a.account_id = $1 group by a.account_id`;

/**
 * $2 collection, $3 how many it is to have room for; the account is locked. No row comes back where the shares of others
 * leave too little.
 */
export const TAKE_SHARE = `
  with c as (
    select id, transaction_count from collection
    where account_id = $1 and id = $2 and not deleted for no key update
  )
  update collection set transaction_share = least(c.transaction_count + $3::bigint + ${SPARE}, room.room)
  from c, (${ROOM}) room
  where collection.account_id = $1 and collection.id = c.id and c.transaction_count + $3::bigint <= room.room
  returning 1 as one`;

/** What the collections do not use of their shares; the account and they are locked. */
export const GIVE_SHARES_BACK = `
  update collection set transaction_share = transaction_count
  where account_id = $1 and not deleted and transaction_share > transaction_count`;

/**
 * Moves the room of $4 transactions with them, from the collection $2 to $3; the account and both are locked. What is set aside for
 * both together stays the same.
 */
export const MOVE_SHARE = `
  update collection set
    transaction_share = greatest(transaction_share, transaction_count) + case when id = $3 then 1 else -1 end * $4::bigint
  where account_id = $1 and id in ($2, $3)`;

/** What the account may have, and has. */
export const TRANSACTION_COUNT = `
  select a.max_transactions as "limit", coalesce(sum(c.transaction_count), 0)::bigint as current
  from account a left join collection c on c.account_id = $1 and not c.deleted
  where a.account_id = $1 group by a.account_id`;
