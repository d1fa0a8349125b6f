import { randomUUID } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { createApp } from '../src/app.ts';
import { type Config, loadConfig } from '../src/config.ts';
import type { OpenDatabase, Param, StatementListener } from '../src/db/client.ts';
import { createAccount } from '../src/services/accounts/create.ts';
import { createClient } from '../src/services/clients/create.ts';
import type { Context } from '../src/services/context.ts';
import { NOW } from './support/clock.ts';
import { throughContract } from './support/contract.ts';
import { isLeftToPostgres } from './support/left-to-postgres.ts';
import { loadedPglite, loadedPostgres } from './support/loaded-databases.ts';
import { oneShardListener } from './support/one-shard.ts';
import { oneSqlListener } from './support/one-sql-listener.ts';
import { asCallerOf, databaseOfCaller, tenancyListener } from './support/tenancy.ts';

export { NOW } from './support/clock.ts';

export type Kind = 'pglite' | 'postgres';
/** A run on Citus is of what runs there. */
const KINDS: readonly Kind[] = process.env.TEST_CITUS_URL ? ['postgres'] : ['pglite', 'postgres'];

/**
 * Runs the suite on each database that there is, loaded as a first start leaves it. `database()` is to be called within
 * tests and hooks. Each suite makes accounts of its own; the catalogue is shared and not to be changed.
 */
export function describeOnDatabases(
  name: string,
  suite: (database: () => OpenDatabase, kind: Kind) => void,
): void {
  describeOn(name, sharedDatabase, suite);
}

/** The same for suites of very many cases: on PGlite only where there is no PostgreSQL (support/left-to-postgres.ts). */
export function describeOnOneDatabase(
  name: string,
  suite: (database: () => OpenDatabase, kind: Kind) => void,
): void {
  describeOn(name, sharedDatabase, suite, isLeftToPostgres);
}

/** The same on databases of the suite's own, which it may change as it likes. */
export function describeOnOwnDatabases(
  name: string,
  suite: (database: () => OpenDatabase, kind: Kind) => void,
): void {
  describeOn(name, ownDatabase, (database, kind) => {
    afterAll(() => database().close());
    suite(database, kind);
  });
}

function describeOn(
  name: string,
  open: (kind: Kind) => Promise<OpenDatabase>,
  suite: (database: () => OpenDatabase, kind: Kind) => void,
  isLeftOut: (kind: Kind) => boolean = () => false,
): void {
  for (const kind of KINDS) {
    describe.skipIf(isLeftOut(kind) || (kind === 'postgres' && !inject('postgresUrl')))(
      `${name} (${kind})`,
      () => {
        let db: OpenDatabase;
        beforeAll(async () => {
          db = await open(kind);
        });
        suite(() => db, kind);
      },
    );
  }
}

const shared = new Map<Kind, Promise<OpenDatabase>>();

/** The database of this worker, shared by its suites. */
export function sharedDatabase(kind: Kind): Promise<OpenDatabase> {
  let database = shared.get(kind);
  if (!database) {
    database = ownDatabase(kind);
    shared.set(kind, database);
  }
  return database;
}

/** Where one database will do: PGlite takes three times as long. */
export function quickerKind(): Kind {
  return isLeftToPostgres('pglite') && !process.env.TEST_CITUS_URL ? 'postgres' : 'pglite';
}

/** A loaded database of the suite's own, for those that change the catalogue or the market; to be closed by it. */
export async function ownDatabase(kind: Kind): Promise<OpenDatabase> {
  const db = await (kind === 'pglite'
    ? loadedPglite(listener)
    : loadedPostgres(inject('postgresUrl')!, listener));
  // A timer that a request begins, as the event hub's, keeps the async context of its caller, and works for none.
  return { ...db, housekeeping: databaseOfCaller(db.housekeeping, null) };
}

export interface SentStatement {
  text: string;
  params: readonly Param[];
}

const listeners = new Set<StatementListener>([tenancyListener, oneSqlListener]);
if (process.env.TEST_CITUS_URL) listeners.add(oneShardListener);
const listener: StatementListener = (text, params) => {
  for (const listen of listeners) listen(text, params);
};

/** The statements that `work` sends. */
export async function statementsOf<T>(
  work: () => Promise<T>,
): Promise<{ result: T; statements: SentStatement[] }> {
  const statements: SentStatement[] = [];
  const listen: StatementListener = (text, params) => statements.push({ text, params });
  listeners.add(listen);
  try {
    return { result: await work(), statements };
  } finally {
    listeners.delete(listen);
  }
}

export interface AccountOptions {
  now?: () => Date;
  /** Where the clock is set meanwhile; else by `now`. */
  elapsed?: () => number;
  currency?: string;
  maxCollections?: number;
  maxValuedCollections?: number;
  maxTransactions?: number;
  /** Below it: with more than 0 the account is a platform, and its token of that scope. */
  maxAccounts?: number;
}

/** A new account with no data, and the context of a caller of it. */
export async function newAccount(db: OpenDatabase, options: AccountOptions = {}): Promise<Context> {
  const { accountId } = await createAccount(db, { name: 'Test', now: NOW });
  await db.query(
    `update account set preferred_currency = $2, max_collections = $3, max_valued_collections = $4, max_transactions = $5,
       max_accounts = $6
     where account_id = $1`,
    [
      accountId,
      options.currency ?? 'USD',
      options.maxCollections ?? 200,
      options.maxValuedCollections ?? 20,
      options.maxTransactions ?? 2_000_000,
      options.maxAccounts ?? 0,
    ],
  );
  return {
    db: databaseOfCaller(db, accountId),
    caller: {
      accountId,
      clientId: `cli_${randomUUID()}`,
      ...(options.maxAccounts && { scope: 'platform' as const }),
    },
    now: options.now ?? (() => NOW),
  };
}

export interface TestApp {
  /** Sends a request with the account's token; a body that is no string, and no bytes, is sent as JSON. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  /** Executes a GraphQL operation and gives `data`; fails on errors. */
  graphql<Data>(query: string, variables?: Record<string, unknown>): Promise<Data>;
  token: string;
  accountId: string;
  fetch(request: Request): Promise<Response>;
}

export interface TestResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert on its shape
  body: any;
}

const ORIGIN = 'http://cardledger.test';

/** The whole app over the database, as a client of a new account sees it. Apps of one `base` share its settings. */
export async function newTestApp(
  db: OpenDatabase,
  options: AccountOptions & { config?: Partial<Config>; logger?: Logger } = {},
): Promise<TestApp> {
  const now = options.now ?? (() => NOW);
  const config = {
    ...loadConfig({}),
    rateLimitPerMinute: 0,
    platformRateLimitPerMinute: 0,
    workLimitPerMinute: 0,
    platformWorkLimitPerMinute: 0,
    tokenLimitPerMinute: 0,
    demo: false,
    ...options.config,
  };
  const app = createApp({
    config,
    db,
    now,
    elapsed: options.elapsed ?? (() => now().getTime()),
    logger: options.logger ?? pino({ level: 'silent' }),
  });
  return asNewAccount(
    db,
    throughContract(async (request) => app.fetch(request)),
    options,
  );
}

/** Another account's view of the same app. */
export async function asNewAccount(
  db: OpenDatabase,
  fetch: (request: Request) => Promise<Response>,
  options: AccountOptions = {},
): Promise<TestApp> {
  const { caller } = await newAccount(db, options);
  const { clientId, clientSecret } = await createClient(db, {
    accountId: caller.accountId,
    name: 'Test',
    now: NOW,
  });
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: options.maxAccounts ? 'platform' : 'default',
  });
  const answer = await fetch(new Request(`${ORIGIN}/oauth2/token`, { method: 'POST', body: form }));
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return bearing(fetch, token, caller.accountId);
}

/** An app as the holder of a token of an account (a uuid) sees it. */
export function bearing(fetch: TestApp['fetch'], token: string, accountId: string): TestApp {
  const send: TestApp['send'] = async (method, path, body, headers = {}) => {
    const isReady = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const text = isReady ? body : JSON.stringify(body);
    const request = new Request(`${ORIGIN}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        // As clients on a socket do.
        ...(text !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(text)),
        }),
        ...headers,
      },
      ...(text !== undefined && { body: text as BodyInit }),
    });
    return responseOf(await asCallerOf(accountId, () => fetch(request)));
  };
  return { send, graphql: graphqlBy(send), token, accountId, fetch };
}

export function graphqlBy(send: TestApp['send']): TestApp['graphql'] {
  return async <Data>(query: string, variables?: Record<string, unknown>) => {
    const { body } = await send('POST', '/graphql', { query, variables });
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data as Data;
  };
}

export async function responseOf(response: Response): Promise<TestResponse> {
  const type = response.headers.get('Content-Type') ?? '';
  if (type === 'application/gzip') {
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, body: bytes.length > 0 ? bytes : '' };
  }
  const text = await response.text();
  const isJson = /json/.test(type);
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  };
}

/** Variants of the catalogue that have a price, by id. */
export async function pricedVariants(db: OpenDatabase, count: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select v.id from variant v join price p on p.variant_id = v.id where p.amount is not null order by v.id limit ${count}`,
  );
  return rows.map(({ id }) => id);
}
