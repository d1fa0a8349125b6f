import type { Database, OpenDatabase, StopListening } from '../db/client.ts';
import type { CacheUse } from '../lib/cache-use.ts';
import { workFor, worksFor } from '../lib/processor-time.ts';
import { HeldAccess } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import { ageOf, Clock, TRUSTED_MILLIS } from './clock.ts';
import { HeldIdentityProviders } from './identity-providers.ts';
import { HeldLedgers } from './ledgers.ts';
import { HeldPreferences } from './preferences.ts';
import { isSame, type Market, readMarket, readRevisions } from './read.ts';
import { HeldRealizedYears } from './realized.ts';
import { HeldSearch, type Searchable } from './search.ts';

/** From this age on the database is asked again, beside the requests. */
const CHECKED_AFTER_MILLIS = 300;
/** That are told of while the market cannot be read; what follows is more of the same. */
const MOST_FAILURES = 20;

/** What has more is not held: at some 1.5 kB each, products and search included, this is 400 MB. */
export const MAX_VARIANTS = 250_000;

/** Where nodes tell each other that the market has changed. */
export const MARKET_CHANNEL = 'market';
const PREFERENCES_CHANNEL = 'preferences';
const ACCESS_CHANNEL = 'access';
const IDENTITY_PROVIDERS_CHANNEL = 'identity_providers';

export type { AccountAccess } from './access.ts';

/** Who reads. */
export interface Reader {
  db: Database;
  now: () => Date;
}

/** What a node knows of the market, and of the accounts that look at it: one for each database. */
export class Memory {
  readonly access = new HeldAccess();
  readonly identityProviders = new HeldIdentityProviders();
  readonly preferences = new HeldPreferences();
  readonly search = new HeldSearch();
  #ledgers = new HeldLedgers();
  #realizedYears = new HeldRealizedYears();
  readonly #maxVariants: number;
  readonly #clock = new Clock();
  /** Undefined before the first reading. */
  #market: Market | undefined;
  /** Whether readers wait for the first reading; else statements serve in its place. */
  #isAwaited = true;
  /** When the database was last seen to have nothing newer. */
  #confirmedAtMillis = -Infinity;
  #checking: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #tellTooLarge: (variantCount: number) => void = () => {};
  #tellFailure: (error: unknown) => void = () => {};
  /** What it was told since the market was last known to be good. */
  readonly #toldFailures = new Set<string>();
  /** That of the service itself, where this is kept beside the requests. */
  #own: OpenDatabase | undefined;

  constructor(maxVariants = MAX_VARIANTS) {
    this.#maxVariants = maxVariants;
  }

  /** To be asked for before what is to be kept is read: once they are forgotten, they are others. */
  get ledgers(): HeldLedgers {
    return this.#ledgers;
  }

  /** The same. */
  get realizedYears(): HeldRealizedYears {
    return this.#realizedYears;
  }

  /**
   * What is told apart by the states of ledgers. A standby that was promoted without the last changes counts on from before
   * them: another change gets the same revision and the same number of its transaction, so the same state.
   */
  forgetLedgers(): void {
    this.#ledgers = new HeldLedgers();
    this.#realizedYears = new HeldRealizedYears();
  }

  /** The catalogue where it is at hand and not too old, or null. Never sends a statement. */
  catalogue({ db, now }: Reader): Catalogue | null {
    if (db.isTransaction || this.#age(now) >= TRUSTED_MILLIS) return null;
    return this.#market?.catalogue ?? null;
  }

  /** How many variants the catalogue has, also where they are too many, as it was read last; undefined before that. */
  get variantCount(): number | undefined {
    return this.#market?.variantCount;
  }

  /** Sees to it that the catalogue is checked in time; what is to be waited for before it can be used, if anything. */
  untilChecked(reader: Reader): Promise<void> | undefined {
    if (reader.db.isTransaction) return undefined;
    const age = this.#age(reader.now);
    // While a newer one is read, nobody waits: what is needed is asked of the database.
    if (age < CHECKED_AFTER_MILLIS || (this.#reading && !this.#isFirst)) return undefined;
    const checked = this.#check(reader);
    return age < TRUSTED_MILLIS ? undefined : checked;
  }

  /** The products and the search over them, as they are now or were within the last second, however long that takes. */
  async searchable(reader: Reader): Promise<Searchable> {
    for (;;) {
      const { revisions, catalogue } = await this.#current(reader);
      const searchable = await this.search.of(this.#ownOr(reader.db), revisions, catalogue);
      if (searchable) return searchable;
      this.#confirmedAtMillis = -Infinity;
    }
  }

  /** What was read before is not used any more. */
  forgetMarket(): void {
    this.#confirmedAtMillis = -Infinity;
    this.#clock.change();
  }

  /** Reads the market beside the requests, and again what has changed as soon as a node says so. */
  keep(db: OpenDatabase, now: () => Date, { tooLarge, failed }: CatalogueListener): StopListening {
    this.#isAwaited = false;
    if (tooLarge) this.#tellTooLarge = tooLarge;
    if (failed) this.#tellFailure = failed;
    this.#toldFailures.clear();
    this.#own = db;
    const look = () => void this.#check({ db, now });
    look();
    db.onLost(() => this.forgetLedgers());
    const { access, identityProviders, preferences } = this;
    const forgetProviders = () => identityProviders.forget();
    const stops = [
      db.listen(MARKET_CHANNEL, look, look),
      db.listen(
        PREFERENCES_CHANNEL,
        (accountId) => preferences.forget(accountId),
        () => preferences.forgetAll(),
      ),
      db.listen(
        ACCESS_CHANNEL,
        (accountId) => access.forget(accountId),
        () => access.forgetAll(),
      ),
      db.listen(IDENTITY_PROVIDERS_CHANNEL, forgetProviders, forgetProviders),
    ];
    return async () => {
      for (const stop of stops) await stop();
    };
  }

  /** What all readers need is not read at the expense of the one who comes first. */
  #ownOr(db: Database): Database {
    return db.isTransaction ? db : (this.#own ?? db).housekeeping;
  }

  get #isFirst(): boolean {
    return this.#isAwaited && this.#market === undefined;
  }

  #age(now: () => Date): number {
    return ageOf(this.#confirmedAtMillis, now);
  }

  async #current(reader: Reader): Promise<Pick<Market, 'revisions' | 'catalogue'>> {
    const { db, now } = reader;
    if (db.isTransaction) {
      const revisions = await readRevisions(db);
      const isHeld = this.#market?.revisions.names === revisions.names;
      return { revisions, catalogue: isHeld ? this.#market!.catalogue : null };
    }
    await this.untilChecked(reader);
    // What is being read may be of before this call, and then is read again.
    if (this.#age(now) >= TRUSTED_MILLIS) await this.#reading?.catch(() => {});
    if (!this.#market || this.#age(now) >= TRUSTED_MILLIS) await this.#renew(reader);
    return this.#market!;
  }

  /** Never fails: where it cannot be read, the catalogue grows too old to be used. */
  #check(reader: Reader): Promise<void> {
    this.#checking ??= this.#confirm(reader)
      .catch((error) => this.#failed(error))
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  #failed(error: unknown): void {
    const { message } = error as Error;
    if (this.#toldFailures.has(message) || this.#toldFailures.size >= MOST_FAILURES) return;
    this.#toldFailures.add(message);
    this.#tellFailure(error);
  }

  async #confirm(reader: Reader): Promise<void> {
    const confirmed = this.#clock.reading(reader.now);
    const newest = await readRevisions((this.#own ?? reader.db).urgent);
    if (this.#market && isSame(this.#market.revisions, newest)) {
      this.#confirmedAtMillis = confirmed() ?? this.#confirmedAtMillis;
      this.#toldFailures.clear();
      return;
    }
    const reading = this.#renew(reader);
    // Only who comes first waits for the reading; later the old one serves until it is too old, and then statements do.
    if (this.#isFirst) await reading;
    else reading.catch((error) => this.#failed(error));
  }

  #renew(reader: Reader): Promise<void> {
    this.#reading ??= this.#read(reader).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read({ db, now }: Reader): Promise<void> {
    const confirmed = this.#clock.reading(now);
    const before = this.#market;
    this.#market = await readMarket(this.#ownOr(db), before, this.#maxVariants);
    this.#confirmedAtMillis = confirmed() ?? this.#confirmedAtMillis;
    this.#toldFailures.clear();
    const { catalogue, variantCount } = this.#market;
    if (catalogue === null && before?.catalogue !== null) this.#tellTooLarge(variantCount);
  }
}

const memories = new WeakMap<object, Memory>();

/** The only place where what a node holds of a database is found. */
export function memoryOf({ identity }: Database): Memory {
  let memory = memories.get(identity);
  if (!memory) {
    memory = new Memory();
    memories.set(identity, memory);
  }
  return memory;
}

/** The catalogue where it is at hand and not too old, or null. Never sends a statement. */
export function catalogueAtHand(reader: Reader): Catalogue | null {
  return memoryOf(reader.db).catalogue(reader);
}

/** The catalogue where it can be had without much waiting, or null: then what is needed is to be asked of the database. */
export async function heldCatalogue(reader: Reader): Promise<Catalogue | null> {
  const wait = untilChecked(reader);
  if (wait) await wait;
  return catalogueAtHand(reader);
}

/** Sees to it that the catalogue is checked in time; what is to be waited for before it can be used, if anything. */
export function untilChecked(reader: Reader): Promise<void> | undefined {
  const payer = worksFor();
  return memoryOf(reader.db)
    .untilChecked(reader)
    ?.then(() => workFor(payer));
}

/** The products and the search over them, as they are now or were within the last second. */
export function searchableCatalogue(reader: Reader): Promise<Searchable> {
  return memoryOf(reader.db).searchable(reader);
}

/** How often all was there that a search needs, and how many products it holds. */
export function searchCacheUse(db: Database): CacheUse {
  return memoryOf(db).search.use;
}

/** How often the access to an account was known. */
export function accessCacheUse(db: Database): CacheUse {
  return memoryOf(db).access.use;
}

/** What is held of each id, or else what `load` finds for those that are not. */
export async function heldOr<T>(
  ids: readonly string[],
  held: (id: string) => T | undefined,
  load: (missing: readonly string[]) => Promise<(id: string) => T>,
): Promise<T[]> {
  const found = ids.map(held);
  if (!found.includes(undefined)) return found as T[];
  const missing = [...new Set(ids.filter((_, i) => found[i] === undefined))];
  const loaded = await load(missing);
  return found.map((value, i) => (value === undefined ? loaded(ids[i]!) : value));
}

/** For the process that has changed the market: who reads after the commit sees it. All others are told. */
export function marketChanged(db: Database): void {
  db.afterCommit(() => memoryOf(db).forgetMarket());
  db.notify(MARKET_CHANNEL, 'changed');
}

/** For the process that has changed an account's preferences: who reads after the commit sees it. All others are told. */
export function preferencesChanged(db: Database, accountId: string): void {
  db.afterCommit(() => memoryOf(db).preferences.forget(accountId));
  db.notify(PREFERENCES_CHANNEL, accountId);
}

/** For the process that has suspended, resumed or deleted an account: whoever asks after the commit hears of it. All others are told. */
export function accessChanged(db: Database, accountId: string): void {
  db.afterCommit(() => memoryOf(db).access.forget(accountId));
  db.notify(ACCESS_CHANNEL, accountId);
}

/** For the process that has changed the identity provider of a platform: whoever asks after the commit hears of it. All others are told. */
export function identityProvidersChanged(db: Database): void {
  db.afterCommit(() => memoryOf(db).identityProviders.forget());
  db.notify(IDENTITY_PROVIDERS_CHANNEL, 'changed');
}

interface CatalogueListener {
  /** Told once of a catalogue that has too many variants to be held. */
  tooLarge?: (variantCount: number) => void;
  /** Told once of each reason that it cannot be read for, until it is good again; statements serve then. */
  failed?: (error: unknown) => void;
}

/** Keeps what a node knows up to date, beside the requests, which do not wait for it. */
export function keepCatalogue(
  db: OpenDatabase,
  now: () => Date,
  listener: CatalogueListener = {},
): StopListening {
  return memoryOf(db).keep(db, now, listener);
}
