import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { OpenDatabase, PoolUse, ReadUse, ReplicaUse } from '../db/client.ts';
import type { CacheUse } from '../lib/cache-use.ts';
import { Durations } from './durations.ts';

/** What is measured beside the requests, read when the metrics are. */
export interface MetricSources {
  /** Of PostgreSQL's connections. */
  pools?: OpenDatabase['pools'];
  /** Where there are replicas. */
  readUse?: ReadUse | undefined;
  /** Seconds since the last import of each kind of market data. */
  importAges: () => Promise<readonly { kind: string; seconds: number }[]>;
  /** Seconds for which the oldest work for a webhook has waited. */
  webhookBacklogAge: () => Promise<number>;
}

/** The Prometheus metrics of one process. */
export interface Metrics {
  readonly registry: Registry;
  request(method: string, route: string, status: number, seconds: number): void;
  operation(
    accountId: string | undefined,
    kind: string,
    name: string | undefined,
    failed: boolean,
    seconds: number,
  ): void;
  /** @param source whether one request needed it, or the service itself */
  statement(source: 'request' | 'service', failed: boolean, seconds: number): void;
  /** An attempt to deliver something to a webhook. */
  webhookAttempt(outcome: 'delivered' | 'failed'): void;
  /** Adds a cache, by its name. */
  watchCaches(caches: Readonly<Record<string, CacheUse>>): void;
  /** Adds the number of open subscriptions by field, read when the metrics are. */
  watchSubscriptions(read: () => Readonly<Record<string, number>>): void;
}

/** Clients choose the names of operations: beyond this many, and where one is longer, all count as `other`. */
const MAX_OPERATIONS = 100;
/** Or the names that one account makes up would leave none for those of all others. */
const MAX_OPERATIONS_OF_ACCOUNT = 25;
const MAX_NAME_CHARACTERS = 64;

/** `node:http` knows more methods than this service. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];

  const requests = new Durations({
    name: 'cardledger_http_request_duration_seconds',
    help: 'Time from the head of a request to the head of its answer, by route and status.',
    labelNames: ['method', 'route', 'status'],
    registry,
  });
  const operations = new Durations({
    name: 'cardledger_graphql_operation_duration_seconds',
    help: 'Time in which a GraphQL operation was executed. Names beyond the first 25 of an account, and 100 of all, count as "other".',
    labelNames: ['kind', 'operation', 'outcome'],
    registry,
  });
  const statements = new Durations({
    name: 'cardledger_db_statement_duration_seconds',
    help: 'Time from the sending of an SQL statement to its result, with the wait for a connection.',
    labelNames: ['source', 'outcome'],
    registry,
  });
  addPools(registers, sources.pools);
  addReplicas(registers, sources.readUse);
  addImportAges(registers, sources.importAges);
  addWebhookBacklog(registers, sources.webhookBacklogAge);
  const webhookAttempts = new Counter({
    name: 'cardledger_webhook_attempts_total',
    help: 'Attempts to deliver something to a webhook, by how they ended.',
    labelNames: ['outcome'],
    registers,
  });
  // What is 0 is to be there, too.
  for (const outcome of ['delivered', 'failed']) webhookAttempts.inc({ outcome }, 0);
  const nameOf = boundedNames();
  return {
    registry,
    request: (method, route, status, seconds) =>
      requests.observe(seconds, METHODS.has(method) ? method : 'other', route, status),
    operation: (accountId, kind, name, failed, seconds) =>
      operations.observe(seconds, kind, nameOf(accountId, name), failed ? 'error' : 'ok'),
    statement: (source, failed, seconds) => statements.observe(seconds, source, failed ? 'error' : 'ok'),
    webhookAttempt: (outcome) => webhookAttempts.inc({ outcome }),
    watchCaches: cacheMetrics(registers),
    watchSubscriptions: (read) => addSubscriptions(registers, read),
  };
}

function boundedNames(): (accountId: string | undefined, name: string | undefined) => string {
  const known = new Set<string>();
  /** How many of them an account was the first to use. */
  const counts = new Map<string | undefined, number>();
  return (accountId, name) => {
    if (name === undefined) return 'anonymous';
    if (known.has(name)) return name;
    const count = counts.get(accountId) ?? 0;
    if (known.size >= MAX_OPERATIONS || count >= MAX_OPERATIONS_OF_ACCOUNT) return 'other';
    if (name.length > MAX_NAME_CHARACTERS) return 'other';
    known.add(name);
    counts.set(accountId, count + 1);
    return name;
  };
}

/** Reads each of the entries, under its name, when the metrics are: prom-client's counters would count by themselves. */
function readFrom<Use, Label extends string>(
  label: Label,
  entries: () => Iterable<[string, Use]>,
  read: (use: Use) => number,
) {
  return function (this: Gauge<Label> | Counter<Label>) {
    this.reset();
    for (const [name, use] of entries()) this.inc({ [label]: name } as Record<Label, string>, read(use));
  };
}

function addPools(registers: Registry[], pools: OpenDatabase['pools']): void {
  if (!pools) return;
  const add = (
    Kind: typeof Gauge | typeof Counter,
    name: string,
    help: string,
    read: (use: PoolUse) => number,
  ) =>
    new Kind({
      name: `cardledger_db_pool_${name}`,
      help,
      labelNames: ['pool'],
      registers,
      collect: readFrom('pool', () => Object.entries(pools), read),
    });
  add(
    Gauge,
    'size',
    'How much may be under way: on connections of its own, or on shared ones.',
    (use) => use.size,
  );
  add(Gauge, 'in_use', 'Statements and transactions that are under way.', (use) => use.inUse);
  add(Gauge, 'waiting', 'Statements that wait for a connection.', (use) => use.waiting);
  add(Counter, 'waits_total', 'How often a statement had to wait.', (use) => use.waits);
  add(Counter, 'wait_seconds_total', 'How long they waited in all.', (use) => use.waitedSeconds);
  add(Counter, 'refusals_total', 'How often the wait was in vain.', (use) => use.refusals);
}

function addReplicas(registers: Registry[], use: ReadUse | undefined): void {
  if (!use) return;
  const labelNames = ['server'] as const;
  const { replicas } = use;
  const entries = (read: (replica: ReplicaUse) => number) =>
    replicas.map((replica): [string, number] => [replica.server, read(replica)]);
  new Counter({
    name: 'cardledger_db_reads_total',
    help: 'Operations that only read, by the server that was to answer them.',
    labelNames,
    registers,
    collect: readFrom(
      'server',
      () => [['primary', use.primaryReads] as [string, number], ...entries(({ reads }) => reads)],
      Number,
    ),
  });
  new Counter({
    name: 'cardledger_db_reads_repeated_total',
    help: 'Those of them that a replica could not answer to their end, and the primary did.',
    labelNames,
    registers,
    collect: readFrom('server', () => entries(({ leftReads }) => leftReads), Number),
  });
  // Each process sees for itself; one that cannot read is to be seen.
  const aggregator = 'max';
  new Gauge({
    name: 'cardledger_db_replica_lag_seconds',
    help: 'For how long the primary has had changes that a replica has not.',
    labelNames,
    registers,
    aggregator,
    collect: readFrom('server', () => entries(({ lagMillis }) => lagMillis / 1000), Number),
  });
  new Gauge({
    name: 'cardledger_db_replica_left_out',
    help: '1 where nobody reads from a replica, as it is gone, lags, or is of another database; else 0.',
    labelNames,
    registers,
    aggregator,
    collect: readFrom('server', () => entries(({ isLeftOut }) => Number(isLeftOut)), Number),
  });
}

function addImportAges(registers: Registry[], importAges: MetricSources['importAges']): void {
  new Gauge({
    name: 'cardledger_import_age_seconds',
    help: 'Time since the last import of each kind of market data.',
    labelNames: ['kind'],
    registers,
    // All workers read the same.
    aggregator: 'max',
    async collect() {
      this.reset();
      // The other metrics matter most when the database does not answer.
      const ages = await importAges().catch(() => []);
      for (const { kind, seconds } of ages) this.set({ kind }, Math.round(seconds));
    },
  });
}

function addWebhookBacklog(registers: Registry[], age: MetricSources['webhookBacklogAge']): void {
  new Gauge({
    name: 'cardledger_webhook_backlog_age_seconds',
    help: 'For how long the oldest work for a webhook that nobody does has been due; 0 where there is none.',
    registers,
    aggregator: 'max',
    async collect() {
      this.remove();
      const seconds = await age().catch(() => undefined);
      // 0 would say that all is well.
      if (seconds !== undefined) this.set(seconds);
    },
  });
}

function addSubscriptions(registers: Registry[], read: () => Readonly<Record<string, number>>): void {
  new Gauge({
    name: 'cardledger_graphql_subscriptions',
    help: 'Subscriptions that are open, by field.',
    labelNames: ['field'],
    registers,
    collect() {
      for (const [field, count] of Object.entries(read())) this.set({ field }, count);
    },
  });
}

function cacheMetrics(registers: Registry[]): Metrics['watchCaches'] {
  const watched = new Map<string, CacheUse>();
  const labelNames = ['cache'] as const;
  const collectFrom = (read: (use: CacheUse) => number) => readFrom('cache', () => watched, read);
  new Counter({
    name: 'cardledger_cache_hits_total',
    help: 'How often a cache had what was asked for.',
    labelNames,
    registers,
    collect: collectFrom(({ hits }) => hits),
  });
  new Counter({
    name: 'cardledger_cache_misses_total',
    help: 'How often a cache did not have what was asked for.',
    labelNames,
    registers,
    collect: collectFrom(({ misses }) => misses),
  });
  new Gauge({
    name: 'cardledger_cache_entries',
    help: 'How much a cache holds.',
    labelNames,
    registers,
    collect: collectFrom(({ size }) => size),
  });
  return (caches) => {
    for (const [name, use] of Object.entries(caches)) watched.set(name, use);
  };
}
