import { z } from 'zod';
import { closest, didYouMean } from './domain/did-you-mean.ts';
import { PULL_TIMES, type PullTimes } from './domain/pull-times.ts';
import { parseNetworks } from './lib/networks.ts';
import { serverName, serverUrls } from './lib/server-urls.ts';

/** Every setting of the service (docs/decisions.md#settings); the only reader of the environment. */
export interface Config {
  port: number;
  host: string;
  /** A PostgreSQL; null for the embedded database in `dataDir`. */
  databaseUrl: string | null;
  /** Its standbys, an address of one server each, which operations that only read may be answered by; null for none. */
  databaseReplicaUrls: readonly string[] | null;
  dataDir: string;
  logLevel: (typeof LOG_LEVELS)[number];
  /** Requests of one client; 0 for no limit. */
  rateLimitPerMinute: number;
  /** Requests of all accounts below one; 0 for no limit. */
  platformRateLimitPerMinute: number;
  /** Token requests for one client id at one address; 0 for no limit. */
  tokenLimitPerMinute: number;
  /** Work of the database and of the processor for one account, in milliseconds; 0 for no limit. */
  workLimitPerMinute: number;
  /** The same for all accounts below one; 0 for no limit. */
  platformWorkLimitPerMinute: number;
  /** Connections of one address to a process; 0 for no limit. */
  connectionsPerAddress: number;
  trustProxy: string;
  /** Manifest of the only GraphQL documents that are taken; null where all are. */
  persistedDocuments: string | null;
  /** Processes that share the port. */
  workers: number;
  /** An OTLP/HTTP receiver of traces; null for none. */
  otelExporterOtlpEndpoint: string | null;
  /** Loads the sample data and makes the demo account. */
  demo: boolean;
  /** Host names at which the pages are signed in as the demo account, with commas between them. */
  demoHosts: string;
  /** The public address, which tokens name as their issuer. */
  publicUrl: string;
  /** Whether the page at `/` shows the vendor's pictures of cards, which the browser asks the vendor for. */
  cardPictures: boolean;
  /** Whether assistants are served: `/mcp` and `/llms.txt`. */
  assistants: boolean;
  /** Origins whose pages may call the service, with commas between them; `*` for all, empty for none. */
  corsOrigins: string;
  /** Networks that are not public, and may be asked all the same where an account names an address, with commas between them. */
  outboundNetworks: string;
  /** When market prices are pulled; null for never. */
  pullPrices: PullTimes | null;
  /** When exchange rates are pulled; null for never. */
  pullRates: PullTimes | null;
  /** What has the paths of TCGCSV. */
  pullPricesUrl: string;
  /** What has the ECB's files of exchange rates. */
  pullRatesUrl: string;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const LOOPBACK_HOSTS = 'localhost,127.0.0.1,[::1]';
const HOST_NAMES = /^([a-z0-9.-]+|\[[\da-f:.]+\])(, *([a-z0-9.-]+|\[[\da-f:.]+\]))*$/;

const wholeNumber = (fallback: number, max: number, min = 0) => {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule)
    .default(fallback);
};

const pullTimes = z
  .string()
  .regex(PULL_TIMES, 'must be daily, or a time of the day (UTC) such as 06:00')
  .optional();

function isDatabaseUrl(text: string): boolean {
  try {
    return serverUrls(text).every((url) => /^postgres(ql)?:\/\/[^/]/.test(url) && !hasMore(url));
  } catch {
    return false;
  }
}

/** Where another sign than a comma stands between two addresses, the second is read as a part of the first. */
function hasMore(url: string): boolean {
  const { pathname, search } = new URL(url);
  return pathname.includes('/', 1) || search.includes('://');
}

/** PostgreSQL's. The driver takes any other word for `verify-full`, and fails at the certificate. */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const SSL_RULE = `must have one of ${SSL_MODES.join(', ')} as its sslmode, or none`;

const hasKnownSslMode = (text: string) =>
  !isDatabaseUrl(text) ||
  serverUrls(text).every((url) => {
    const mode = new URL(url).searchParams.get('sslmode');
    return mode === null || SSL_MODES.includes(mode);
  });

/** Of one server each. */
const replicaUrlsIn = (text: string) => text.split(',').map((url) => url.trim());

function namesEachOnce(text: string): boolean {
  const urls = replicaUrlsIn(text);
  if (!urls.every(isDatabaseUrl)) return true;
  const places = urls.map((url) => serverName(url) + new URL(url).pathname);
  return new Set(places).size === places.length;
}

const isForChanges = (text: string) =>
  !isDatabaseUrl(text) ||
  ['read-write', 'primary', null].includes(
    new URL(serverUrls(text)[0]!).searchParams.get('target_session_attrs'),
  );

const httpAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

const Settings = z.object({
  PORT: wholeNumber(4000, 65_535),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .refine(
      isDatabaseUrl,
      'must be an address such as postgres://user:password@host/database, or with several hosts, host,other:5433',
    )
    .refine(hasKnownSslMode, SSL_RULE)
    .refine(
      isForChanges,
      'must have target_session_attrs=read-write, or nothing of it: the service needs a server that takes changes',
    )
    .optional(),
  DATABASE_REPLICA_URLS: z
    .string()
    .refine(
      (text) => replicaUrlsIn(text).every(isDatabaseUrl),
      'must be addresses such as postgres://user:password@host/database with commas between them, each of one server',
    )
    .refine((text) => replicaUrlsIn(text).every(hasKnownSslMode), SSL_RULE)
    .refine(namesEachOnce, 'must have each server once, and has the same host, port and database twice')
    .optional(),
  DATA_DIR: z.string().default('./data'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, {
      error: ({ input }) => `must be one of ${LOG_LEVELS.join(', ')}${didYouMean(String(input), LOG_LEVELS)}`,
    })
    .default('info'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(3000, 1_000_000),
  PLATFORM_RATE_LIMIT_PER_MINUTE: wholeNumber(60_000, 100_000_000),
  TOKEN_LIMIT_PER_MINUTE: wholeNumber(10, 1_000_000),
  WORK_LIMIT_PER_MINUTE: wholeNumber(30_000, 100_000_000),
  PLATFORM_WORK_LIMIT_PER_MINUTE: wholeNumber(120_000, 100_000_000),
  CONNECTIONS_PER_ADDRESS: wholeNumber(256, 100_000),
  TRUST_PROXY: z.string().default(''),
  PERSISTED_DOCUMENTS: z.string().optional(),
  WORKERS: wholeNumber(1, 64, 1),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress.optional(),
  DEMO: z.enum(['0', '1'], 'must be 0 or 1').optional(),
  DEMO_HOSTS: z
    .string()
    .toLowerCase()
    .regex(
      HOST_NAMES,
      'must be host names without ports such as localhost,demo.example with commas between them',
    )
    .optional(),
  CARD_PICTURES: z.enum(['0', '1'], 'must be 0 or 1').default('1'),
  ASSISTANTS: z.enum(['0', '1'], 'must be 0 or 1').default('0'),
  PUBLIC_URL: httpAddress.optional(),
  CORS_ORIGINS: z
    .string()
    .refine(
      (list) => list.split(',').every((origin) => origin.trim() === '*' || isOrigin(origin.trim())),
      'must be origins such as https://app.example with commas between them, or *',
    )
    .default(''),
  OUTBOUND_NETWORKS: z
    .string()
    .refine(areNetworks, 'must be networks such as 10.1.0.0/16 with commas between them')
    .default(''),
  PULL_PRICES: pullTimes,
  PULL_RATES: pullTimes,
  PULL_PRICES_URL: httpAddress.default('https://tcgcsv.com'),
  PULL_RATES_URL: httpAddress.default('https://www.ecb.europa.eu/stats/eurofxref'),
});

/** The settings, with an empty text counting as none. Throws an error that names every one that is wrong. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Settings.safeParse(given);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new Error(`The configuration is wrong: ${wrong.join('; ')}.`);
  }
  const settings = parsed.data;
  if (settings.WORKERS > 1 && settings.DATABASE_URL === undefined) {
    throw new Error(
      'The configuration is wrong: WORKERS above 1 needs DATABASE_URL, since the embedded database takes one process.',
    );
  }
  if (settings.DATABASE_REPLICA_URLS !== undefined && settings.DATABASE_URL === undefined) {
    throw new Error(
      'The configuration is wrong: DATABASE_REPLICA_URLS needs DATABASE_URL, the server that its replicas follow.',
    );
  }
  const publicUrl =
    settings.PUBLIC_URL?.replace(/\/$/, '') ?? `http://${hostInUrl(settings.HOST)}:${settings.PORT}`;
  return {
    port: settings.PORT,
    host: settings.HOST,
    databaseUrl: settings.DATABASE_URL ?? null,
    databaseReplicaUrls:
      settings.DATABASE_REPLICA_URLS === undefined ? null : replicaUrlsIn(settings.DATABASE_REPLICA_URLS),
    dataDir: settings.DATA_DIR,
    logLevel: settings.LOG_LEVEL,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    platformRateLimitPerMinute: settings.PLATFORM_RATE_LIMIT_PER_MINUTE,
    tokenLimitPerMinute: settings.TOKEN_LIMIT_PER_MINUTE,
    workLimitPerMinute: settings.WORK_LIMIT_PER_MINUTE,
    platformWorkLimitPerMinute: settings.PLATFORM_WORK_LIMIT_PER_MINUTE,
    connectionsPerAddress: settings.CONNECTIONS_PER_ADDRESS,
    trustProxy: settings.TRUST_PROXY,
    persistedDocuments: settings.PERSISTED_DOCUMENTS ?? null,
    workers: settings.WORKERS,
    otelExporterOtlpEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    demo: settings.DEMO === undefined ? settings.DATABASE_URL === undefined : settings.DEMO === '1',
    demoHosts: settings.DEMO_HOSTS ?? (isOfThisMachine(settings.HOST, publicUrl) ? LOOPBACK_HOSTS : ''),
    publicUrl,
    cardPictures: settings.CARD_PICTURES === '1',
    assistants: settings.ASSISTANTS === '1',
    corsOrigins: settings.CORS_ORIGINS,
    outboundNetworks: settings.OUTBOUND_NETWORKS,
    pullPrices: settings.PULL_PRICES ?? null,
    pullRates: settings.PULL_RATES ?? null,
    pullPricesUrl: settings.PULL_PRICES_URL,
    pullRatesUrl: settings.PULL_RATES_URL,
  };
}

/** Shorter names, such as `PORT`, are too near to other programs' variables. */
const SHORTEST_MISSPELT = 6;

/** A sentence for each variable that looks like a setting whose name is misspelt, and which is not set itself. */
export function misspeltSettings(environment: NodeJS.ProcessEnv = process.env): string[] {
  const names = Object.keys(Settings.shape);
  return Object.keys(environment).flatMap((given) => {
    const meant = names.includes(given) ? undefined : closest(given, names);
    if (meant === undefined || meant.length < SHORTEST_MISSPELT || environment[meant] !== undefined)
      return [];
    // Longer by words, it is another name, as `DATA` is one.
    if (Math.abs(given.length - meant.length) > 2) return [];
    return [`${given} is set, and is no setting. Did you mean ${meant}?`];
  });
}

function areNetworks(text: string): boolean {
  try {
    parseNetworks(text);
    return true;
  } catch {
    return false;
  }
}

/** Written as browsers write it: no path, no slash at its end. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Nobody from elsewhere reaches it: neither by its own address nor, as far as is known, through a proxy. */
function isOfThisMachine(host: string, publicUrl: string): boolean {
  // Not every host to listen at is one of a URL, such as an address with a zone.
  const isLoopback = (url: string) =>
    URL.canParse(url) && LOOPBACK_HOSTS.split(',').includes(new URL(url).hostname);
  return isLoopback(`http://${bracketed(host)}`) && isLoopback(publicUrl);
}

function hostInUrl(host: string): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? host;
  return bracketed(reachable);
}

/** As it stands in a URL. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
