import { AsyncLocalStorage } from 'node:async_hooks';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import type { Database, How, Param, StatementListener } from '../../src/db/client.ts';
import { ALL_ACCOUNTS } from '../../src/db/queries/accounts.ts';
import { CLIENT_SECRET, IS_OPEN } from '../../src/db/queries/auth.ts';
import { DELETED_COLLECTIONS } from '../../src/db/queries/collections.ts';
import { ACCOUNTS } from '../../src/db/queries/doctor.ts';
import { CHANGED_STREAMS, PURGE_EVENTS } from '../../src/db/queries/events.ts';
import { PURGE_KEYS } from '../../src/db/queries/idempotency.ts';
import { IDENTITY_PROVIDERS } from '../../src/db/queries/identity-providers.ts';
import { PURGE_PREVIEW } from '../../src/db/queries/import-previews.ts';
import { RECORD_IMPORT } from '../../src/db/queries/market-data.ts';
import { ACCOUNTS_WITH_DUE_ALERTS } from '../../src/db/queries/price-alerts.ts';
import { LEDGERS_TO_RATE, NOTE_LEDGERS_TO_RATE } from '../../src/db/queries/rates.ts';
import {
  ACCOUNT_ACCESS,
  CREATE_SUB_ACCOUNT,
  DELETED_ACCOUNTS,
  PURGE_FORMER_SUB_ACCOUNTS,
} from '../../src/db/queries/sub-accounts.ts';
import { STALE_FOLLOWED } from '../../src/db/queries/valuation.ts';
import {
  BACKLOG_AGE,
  DUE_WEBHOOKS,
  FAIL_OF_DISABLED,
  PURGE_DELETED_WEBHOOKS,
  PURGE_FINISHED,
  PURGE_OF_DELETED,
  SWITCH_OFF_FULL,
} from '../../src/db/queries/webhook-deliveries.ts';
import { ACTIVE_SINCE, FEED_WEBHOOKS } from '../../src/db/queries/webhook-feed.ts';
import * as tables from '../../src/db/tables/index.ts';
import { FUNCTIONS_OF_ACCOUNT } from './written-statements.ts';

/** The first wall between accounts: every statement on a tenant table has the caller's account bound to it. */

/** Tables with an account that are read before the account is known. */
const FOUND_BY_ID = new Set(['client']);

export const TENANT_TABLES = Object.values(tables)
  .filter((table) => is(table, PgTable))
  .filter((table) => Object.values(getTableColumns(table)).some(({ name }) => name === 'account_id'))
  .map(getTableName)
  .filter((name) => !FOUND_BY_ID.has(name));

const WEBHOOK_PURGES: readonly string[] = [
  SWITCH_OFF_FULL,
  FAIL_OF_DISABLED,
  PURGE_OF_DELETED,
  PURGE_DELETED_WEBHOOKS,
  PURGE_FINISHED,
];

/**
 * Statements of the operator, or of work on all accounts, that name no account, with the reason: on Citus all nodes are asked. Each goes
 * on with one at a time.
 */
export const EXCEPTIONS: [reason: string, isIt: (text: string) => boolean][] = [
  ['new rates concern the ledgers of any account', (text) => text === NOTE_LEDGERS_TO_RATE],
  ['whoever comes first looks for ledgers of any accounts', (text) => text === LEDGERS_TO_RATE],
  ['whoever comes first looks for alerts of any accounts', (text) => text === ACCOUNTS_WITH_DUE_ALERTS],
  ['a node values afresh what is followed on it', (text) => text === STALE_FOLLOWED],
  ['the doctor goes through all accounts', (text) => text === ACCOUNTS],
  ['the purge looks for deleted collections of any account', (text) => text === DELETED_COLLECTIONS],
  ['a node looks for new events of all who follow some on it', (text) => text === CHANGED_STREAMS],
  ['the purge removes old events of all accounts', (text) => text === PURGE_EVENTS],
  ['the purge removes expired idempotency keys of all accounts', (text) => text === PURGE_KEYS],
  ['the purge removes old previews of imports of all accounts', (text) => text === PURGE_PREVIEW],
  ['the purge looks for deleted accounts', (text) => text === DELETED_ACCOUNTS],
  ['the purge forgets deleted accounts', (text) => text === PURGE_FORMER_SUB_ACCOUNTS],
  ['an import is told of under the account of nobody', (text) => text === RECORD_IMPORT],
  ['what happened to all accounts is told together', (text) => text === FEED_WEBHOOKS],
  ['a process looks whether any account has a webhook', (text) => text === ACTIVE_SINCE],
  ['whoever comes first looks for webhooks of any accounts', (text) => text === DUE_WEBHOOKS],
  ['the purge looks for what webhooks of any account left', (text) => WEBHOOK_PURGES.includes(text)],
  ['the operator lists the accounts', (text) => text === ALL_ACCOUNTS],
];

/** What finds out who asks, and may name an account that is another one. */
const WHO_ASKS: readonly string[] = [CLIENT_SECRET, IS_OPEN, ACCOUNT_ACCESS, IDENTITY_PROVIDERS];

/** A figure of all accounts in the metrics, whoever asks for those. */
export const METRICS: readonly string[] = [BACKLOG_AGE];

/** The accounts that others are below, as they are made. */
const parents = new Map<Param, Param>();

const NO_ALIAS =
  /^(where|set|on|for|order|group|limit|values|select|returning|using|join|left|cross|full|inner|union|default|$)/;

const REFERENCE = new RegExp(
  `(?:\\b(?:from|join|update|into|using) |, )(${TENANT_TABLES.join('|')})\\b(?! ?\\.)(?: as)? ?(\\w*)`,
  'g',
);

/** The call of a function that is worked for one account, with its account. */
const CALL = new RegExp(`\\b(?:${[...FUNCTIONS_OF_ACCOUNT.keys()].join('|')})\\((?:\\$(\\d+))?`, 'g');

/** What a statement says of accounts, whoever sends it; null where it has to do with none. */
interface Said {
  isException: boolean;
  /** What is wrong with it for all but exceptions. */
  breach: string | null;
  /** The places of the parameters that are accounts. */
  accounts: number[];
}

function saidBy(sent: string): Said | null {
  if (WHO_ASKS.includes(sent) || METRICS.includes(sent)) return null;
  const text = sent.replaceAll('"', '').replace(/\s+/g, ' ').trim();
  const references = [...text.matchAll(REFERENCE)].map(([, table, word]) => ({
    table: table!,
    alias: NO_ALIAS.test(word!) ? null : word!,
  }));
  const calls = [...text.matchAll(CALL)].map(([, number]) => Number(number) - 1);
  if (references.length === 0 && calls.length === 0) return null;
  const named = [...text.matchAll(/\baccount_id = \$(\d+)/g)].map(([, number]) => Number(number) - 1);
  const bound = [...calls, ...named];
  const inserted = /insert into \w+( as \w+)? \(account_id\b/.test(text) ? [0] : [];
  return {
    isException: EXCEPTIONS.some(([, isIt]) => isIt(sent) || isIt(text)),
    breach: unnamed(text, references),
    accounts: bound.length > 0 ? bound : inserted,
  };
}

function unnamed(text: string, references: { table: string; alias: string | null }[]): string | null {
  for (const { table, alias } of references) {
    const named =
      alias === null
        ? `(?<![\\w.])(${table}\\.)?account_id\\b`
        : `(?<![\\w.])(${alias}\\.)account_id\\b|insert into ${table} as ${alias} \\(account_id\\b`;
    if (!new RegExp(named).test(text)) return `names no account_id for ${table}${alias ? ` ${alias}` : ''}`;
  }
  return null;
}

/** Of the statements sent so far: the same ones come again and again. */
const known = new Map<string, Said | null>();
const MOST_KNOWN = 2000;

/** What is wrong with the statement for a caller of the account; null for none, who may name any one account. */
export function breachOfTenancy(
  sent: string,
  params: readonly Param[],
  accountId: string | null,
): string | null {
  let said = known.get(sent);
  if (said === undefined) {
    said = saidBy(sent);
    if (known.size === MOST_KNOWN) known.clear();
    known.set(sent, said);
  }
  if (said === null || (accountId === null && said.isException)) return null;
  if (said.breach !== null) return said.breach;
  if (said.accounts.length === 0) return 'binds no account';
  const isForeign = (account: Param) => account !== accountId && parents.get(account) !== accountId;
  if (accountId !== null && said.accounts.some((place) => isForeign(params[place] ?? null)))
    return 'binds another account';
  return null;
}

const caller = new AsyncLocalStorage<string | null>();

/** Runs `work` on behalf of a caller of the account. */
export function asCallerOf<T>(accountId: string | null, work: () => T): T {
  return caller.run(accountId, work);
}

/** The database as a caller's context has it; of null, as what works for no account has it. */
export function databaseOfCaller<Db extends Database>(db: Db, accountId: string | null): Db {
  return {
    ...db,
    query: (text: string, params?: readonly Param[], how?: How) =>
      asCallerOf(accountId, () => db.query(text, params, how)),
    hot: (text: string, params?: readonly Param[]) => asCallerOf(accountId, () => db.hot(text, params)),
    transaction: (work: (tx: Database) => Promise<unknown>, how?: How) =>
      asCallerOf(accountId, () => db.transaction((tx) => work(databaseOfCaller(tx, accountId)), how)),
    forOperation: () => databaseOfCaller(db.forOperation(), accountId),
  } as Db;
}

const breaches = new Set<string>();

/** Collects the breaches of the product's own statements; what tests send to arrange things is theirs. */
export const tenancyListener: StatementListener = (text, params) => {
  const accountId = caller.getStore() ?? null;
  if (text === CREATE_SUB_ACCOUNT) parents.set(params[1]!, params[0]!);
  const breach = breachOfTenancy(text, params, accountId);
  if (breach !== null && isOfProduct()) breaches.add(`${breach}: ${text.replace(/\s+/g, ' ').trim()}`);
};

/** Whether the statement that is told of at the moment was sent from `src`. */
export function isOfProduct(): boolean {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const stack = new Error().stack!.split('\n').slice(1);
  Error.stackTraceLimit = limit;
  const sender = stack.find(
    (line) =>
      /\/(src|test)\//.test(line) &&
      !/src\/db\/(database-on|postgres-database|pglite-database)|support\/(tenancy|one-sql)|oneShardListener|harness/.test(
        line,
      ),
  );
  return sender === undefined || sender.includes('/src/');
}

/** The breaches since the last call. */
export function takeBreaches(): string[] {
  const taken = [...breaches];
  breaches.clear();
  return taken;
}
