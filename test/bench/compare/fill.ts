import type { OpenDatabase } from '../../../src/db/client.ts';
import { LEDGER_SUMS } from '../../../src/db/queries/derived.ts';
import { createAccount } from '../../../src/services/accounts/create.ts';
import { type ClientCredentials, createClient } from '../../../src/services/clients/create.ts';
import { revalue } from '../../../src/services/collections/valued.ts';

/** How much the benchmark puts into the database; `scale` 1 is what the figures in docs/performance.md are for. */
export interface Sizes {
  accounts: number;
  collectionsPerAccount: number;
  transactionsPerCollection: number;
  variantsPerCollection: number;
  large: { transactions: number; variants: number };
  many: { collections: number; variants: number };
}

export function sizesOf(scale: number): Sizes {
  const scaled = (size: number) => Math.max(20, Math.round(size * scale));
  return {
    accounts: scaled(200) - 2,
    collectionsPerAccount: 10,
    transactionsPerCollection: 455,
    variantsPerCollection: 150,
    large: { transactions: scaled(100_000), variants: Math.max(1000, scaled(10_000)) },
    many: { collections: 200, variants: scaled(5_000) },
  };
}

export interface Owner extends ClientCredentials {
  accountId: string;
  collectionIds: string[];
}

export interface Stock {
  /** Ordinary accounts, of which some send requests. */
  owners: Owner[];
  /** One collection of 100,000 transactions over 10,000 variants. */
  large: Owner;
  /** 200 collections of 5,000 variants. */
  many: Owner;
}

/** Made-up ids, which sort by entry order as real ones do. */
const ID = (prefix: string, number: string) => `'${prefix}_' || lpad((${number})::text, 26, '0')`;

const TRANSACTIONS = `
  insert into transaction (account_id, id, collection_id, variant_id, occurred, action, quantity, unit_amount, currency, rate)
  select $1::uuid, ${ID('txn', '$3::bigint + t')}, ${ID('col', '$2::bigint + t % $4::integer')},
    vs.id, date '2024-01-01' + (t / $4::integer % 700)::integer,
    case when t / $4::integer % 5 = 4 then 'Sale' else 'Purchase' end, 1 + (t % 7)::integer,
    round((t % 900)::numeric / 100 + 0.25, 2), 'USD', 1
  from generate_series(0, $4::bigint * $5::bigint - 1) t
  join (select id, row_number() over (order by v.id) - 1 as n from variant v join price p on p.variant_id = v.id
    where p.amount is not null) vs on vs.n = ($3::bigint / 7 % 1000 + t / $4::integer % $6::bigint + t % $4::integer * 31) % 10000`;

const HOLDINGS = `
  insert into holding (account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds)
  select account_id, collection_id, variant_id, transaction_count, bought, cost, sold, proceeds from (${LEDGER_SUMS}) l`;

/** In the share of a collection (db/queries/shares.ts), as its writes leave it: a share is taken once in a thousand of them. */
const ROOM = 500;

/** Materialized: without statistics of what was just written, the planner would sum it up for each collection. */
const TOTALS = `
  with s as materialized (
    select collection_id, sum(transaction_count) as transaction_count, sum(quantity) as quantity, sum(invested) as invested,
      sum(profit) as profit, sum(cash_position) as cash_position
    from holding where account_id = $1 group by collection_id
  )
  update collection c set transaction_count = s.transaction_count, quantity = s.quantity, invested = s.invested,
    profit = s.profit, cash_position = s.cash_position, transaction_share = s.transaction_count + ${ROOM}
  from s where c.account_id = $1 and c.id = s.collection_id`;

export interface Part {
  collections: number;
  /** Of all of them together. */
  transactions: number;
  /** Of each. */
  variants: number;
}

/** Adds accounts with collections, filled by the set: what the ledger's own statements would have made of each row.
 * Collections are still to be valued. */
export class Filler {
  readonly #db: OpenDatabase;
  readonly #now = new Date();
  entries = 0;
  #collections = 0;

  constructor(db: OpenDatabase) {
    this.#db = db;
  }

  async add(name: string, part: Part): Promise<Owner> {
    const { accountId } = await createAccount(this.#db, { name, now: this.#now });
    const client = await createClient(this.#db, { accountId, name, now: this.#now });
    await this.#db.transaction(async (tx) => {
      await tx.liftTimeouts();
      // The rows are made of what is there: looking up each reference again would take most of the time.
      await tx.query('set local session_replication_role = replica');
      await tx.query(
        `insert into collection (account_id, id, name, created_at, currency)
         select $1, ${ID('col', '$2::bigint + n')}, $3 || ' ' || n, now(), 'USD' from generate_series(0, $4::integer - 1) n`,
        [accountId, this.#collections, name, part.collections],
      );
      const transactionsEach = Math.round(part.transactions / part.collections);
      const size = [part.collections, transactionsEach, part.variants];
      await tx.query(TRANSACTIONS, [accountId, this.#collections, this.entries, ...size]);
      await tx.query(HOLDINGS, [accountId]);
      await tx.query(TOTALS, [accountId]);
      await tx.query('update account set collection_count = $2 where account_id = $1', [
        accountId,
        part.collections,
      ]);
    });
    const rows = await this.#db.query<{ id: string }>(
      'select id from collection where account_id = $1 order by id',
      [accountId],
    );
    this.entries += part.transactions;
    this.#collections += part.collections;
    return { ...client, accountId, collectionIds: rows.map(({ id }) => id) };
  }
}

/** $1 platform, $2 how many: as many statements would have made them. */
const ACCOUNTS = [
  `insert into sub_account (account_id, id, external_id)
   select $1::uuid, ('019d8648-' || lpad(to_hex(n >> 12), 4, '0') || '-7' || lpad(to_hex(n & 4095), 3, '0') || '-a000-' || left(md5($1::uuid::text || n), 12))::uuid, 'user-' || n
   from generate_series(1, $2::integer) n`,
  `insert into account (account_id, parent_id, name, preferred_currency, preferred_price_source, max_collections, max_valued_collections, created_at)
   select s.id, $1, s.external_id, 'USD', 'VendorMarket', 200, 20, now() from sub_account s where s.account_id = $1 and $2::integer > 0`,
  'update account set account_count = $2::integer where account_id = $1',
];

/** Adds so many accounts below a platform (a uuid), which the app calls `user-1` and so on, and gives their ids. */
export async function fillAccounts(db: OpenDatabase, platformId: string, count: number): Promise<string[]> {
  await db.transaction(async (tx) => {
    await tx.liftTimeouts();
    for (const statement of ACCOUNTS) await tx.query(statement, [platformId, count]);
  });
  const list = 'select id from sub_account where account_id = $1 order by id';
  const rows = await db.query<{ id: string }>(list, [platformId]);
  return rows.map(({ id }) => `acc_${id}`);
}

/** The stock of the comparison. */
export async function fill(db: OpenDatabase, sizes: Sizes, say: (line: string) => void): Promise<Stock> {
  const filler = new Filler(db);
  const { accounts, collectionsPerAccount, transactionsPerCollection, variantsPerCollection } = sizes;
  const owners: Owner[] = [];
  for (let i = 0; i < accounts; i++) {
    owners.push(
      await filler.add(`Account ${i}`, {
        collections: collectionsPerAccount,
        transactions: collectionsPerAccount * transactionsPerCollection,
        variants: variantsPerCollection,
      }),
    );
  }
  const large = await filler.add('Large', { collections: 1, ...sizes.large });
  say(`${accounts + 1} accounts with ${filler.entries} transactions`);
  const many = await filler.add('Many', {
    ...sizes.many,
    transactions: sizes.many.collections * sizes.many.variants,
  });
  say(`one account with ${sizes.many.collections} collections of ${sizes.many.variants} variants`);
  await db.transaction(async (tx) => {
    await tx.liftTimeouts();
    await tx.query('analyze');
    for (const { accountId } of [...owners, large, many])
      await revalue({ db: tx, caller: { accountId, clientId: '' }, now: () => new Date() }, 'all');
  });
  return { owners, large, many };
}
