import { createHash } from 'node:crypto';
import { RESTORE_ALERT, RESTORE_COLLECTION, THINGS_OF_ACCOUNT } from '../../db/queries/account-archive.ts';
import { LOCK_ACCOUNT, UPDATE_PREFERENCES } from '../../db/queries/accounts.ts';
import { SET_GOAL_COLLECTION } from '../../db/queries/collections.ts';
import type { ChangedCollection } from '../../db/queries/events.ts';
import { ADD_GOAL_ITEMS, SET_GOAL } from '../../db/queries/goals.ts';
import type { NewTransactionRow } from '../../db/queries/ledger.ts';
import { TRANSACTION_COUNT } from '../../db/queries/shares.ts';
import { LOCKS } from '../../db/turns.ts';
import type {
  ArchivedAccount,
  ArchivedAlert,
  ArchivedCollection,
  ArchivedGoal,
} from '../../domain/account-archive.ts';
import { dateOf } from '../../domain/dates.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { transactionRules } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { breachesOf } from '../../domain/parse-input.ts';
import { UNKNOWN_AMOUNT } from '../../domain/transaction-file.ts';
import {
  type ArchivedRow,
  ArchiveError,
  type ArchivePart,
  readArchive,
} from '../../importers/account-archive.ts';
import { type ByteSource, sourceOf } from '../../importers/import-file.ts';
import { preferencesChanged } from '../../memory/memory.ts';
import { createCollection } from '../collections/create.ts';
import type { Context } from '../context.ts';
import { logCollections } from '../events/announce.ts';
import { missingItem } from '../goals/set.ts';
import { idempotently } from '../idempotency.ts';
import { noProgress, type Progress } from '../market/progress.ts';
import { createPriceAlert } from '../price-alerts/create.ts';
import { recordInto, rowOf } from '../transactions/create.ts';
import { applyPreferences } from './apply-preferences.ts';
import { asAccount, ownOrBelow } from './own-or-below.ts';
import { inTransferPlace, spooled, takeArchivePlace } from './transfers.ts';

/** What was taken in. */
export interface ImportedAccount {
  collectionCount: number;
  transactionCount: number;
  priceAlertCount: number;
}

/**
 * Takes the archive of an account into one that has no collections and price alerts, the caller's own or one below it: with
 * new ids, all or nothing, in one database transaction, while other changes of the account wait. Throws `NotFound`,
 * `ValidationFailed` for an archive that is not as an export writes it, `LimitExceeded` where the account has things
 * or may not have as many, `RateLimited`, `Unavailable`.
 *
 * @param file its bytes as they come, or its path
 */
export async function importAccount(
  ctx: Context,
  id: string,
  file: AsyncIterable<Uint8Array> | string,
  progress: Progress = noProgress,
): Promise<ImportedAccount> {
  const account = await ownOrBelow(ctx, id);
  if (typeof file === 'string') return take(ctx, account, sourceOf(file), progress);
  const giveBack = takeArchivePlace(ctx);
  try {
    // At the pace of the client, for whom no transaction waits.
    const archive = await spooled(file);
    const source = { name: 'archive', bytes: archive.read };
    return await take(ctx, account, source, progress).finally(archive.close);
  } finally {
    giveBack();
  }
}

async function take(
  ctx: Context,
  account: string,
  archive: ByteSource,
  progress: Progress,
): Promise<ImportedAccount> {
  const input = { account, ...(ctx.idempotency && { sha256: await digestOf(archive) }) };
  // A platform's own row is not written, and is not to be waited for.
  const how = { writes: account === ctx.caller.accountId ? LOCKS.account : account };
  const write = (once: Context) =>
    once.db.transaction(async (tx) => {
      // The archive says how much there is to do, a part at a time.
      await tx.liftOperation();
      return asAccount(once, tx, account, (own) => new Restoring(own, progress).run(archive));
    }, how);
  const imported = await inTransferPlace(ctx, () => idempotently(ctx, 'importAccount', input, write, how));
  preferencesChanged(ctx.db, account);
  return imported;
}

async function digestOf(archive: ByteSource): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of archive.bytes()) hash.update(piece);
  return hash.digest('hex');
}

/** An account that is taken in, in a database transaction. */
class Restoring {
  readonly #ctx: Context;
  readonly #progress: Progress;
  #account: ArchivedAccount | undefined;
  /** The new ids of collections by those of the archive, and how many transactions of each are still to come. */
  readonly #collections = new Map<string, { id: string; missing: number }>();
  #goalId: string | null = null;
  #transactions = 0;
  #alerts = 0;

  constructor(ctx: Context, progress: Progress) {
    this.#ctx = ctx;
    this.#progress = progress;
  }

  async run(archive: ByteSource): Promise<ImportedAccount> {
    await this.#assertEmpty();
    // The account is locked. To read a part behind the work for all others may take seconds.
    await this.#ctx.db.liftTimeouts();
    try {
      for await (const part of readArchive(archive, this.#ctx.work)) await this.#take(part);
      const account = this.#account!;
      this.#assertComplete(account);
      await this.#setCostBasis(account);
    } catch (error) {
      throw error instanceof ArchiveError ? refused(error.message) : error;
    }
    return {
      collectionCount: this.#collections.size,
      transactionCount: this.#transactions,
      priceAlertCount: this.#alerts,
    };
  }

  async #assertEmpty(): Promise<void> {
    const { db, caller } = this.#ctx;
    await db.query(LOCK_ACCOUNT, [caller.accountId]);
    const [things] = await db.query<{ count: number }>(THINGS_OF_ACCOUNT, [caller.accountId]);
    if (!things) throw notFound('account');
    if (things.count === 0) return;
    throw new DomainError(
      'LimitExceeded',
      `An archive is taken into an account without collections and price alerts, and this one has ${things.count}; delete them first, or take another account.`,
      { limit: 0, current: things.count },
    );
  }

  async #take(part: ArchivePart): Promise<void> {
    switch (part.kind) {
      case 'account':
        return this.#begin(part.content);
      case 'collections':
        for (const collection of part.content) await this.#addCollection(part.file, collection);
        return;
      case 'goal':
        return this.#setGoal(part.file, part.content);
      case 'price-alerts':
        for (const alert of part.content) await this.#addAlert(part.file, alert);
        return;
      case 'transactions':
        return this.#addTransactions(part.file, part.rows);
    }
  }

  /** By the average at first: what the order of purchases makes of costs is made once, at the end. */
  async #begin(account: ArchivedAccount): Promise<void> {
    this.#account = account;
    const { preferredCurrency, preferredPriceSource } = account.preferences;
    const { db, caller } = this.#ctx;
    const [{ limit }] = (await db.query<{ limit: number }>(TRANSACTION_COUNT, [caller.accountId])) as [
      { limit: number },
    ];
    if (account.transactionCount > limit)
      throw new DomainError(
        'LimitExceeded',
        `The account may have ${limit} transactions, and the archive has ${account.transactionCount}.`,
        { limit, current: 0 },
      );
    await db.query(UPDATE_PREFERENCES, [
      caller.accountId,
      preferredCurrency,
      preferredPriceSource,
      'Average',
    ]);
  }

  async #addCollection(file: string, archived: ArchivedCollection): Promise<void> {
    const { collectionId, name, valued, collectionKind, isGoalCollection, transactionCount } = archived;
    if (this.#collections.has(collectionId))
      throw new ArchiveError(`${file}: ${collectionId} is there twice.`);
    const { id } = await asArchived(
      file,
      collectionId,
      createCollection(this.#ctx, { name, valued, collectionKind }),
    );
    const { db, caller } = this.#ctx;
    const { description, pinned, image, createdAt } = archived;
    const said = [description, pinned, image, this.#past(file, createdAt), transactionCount];
    await db.query(RESTORE_COLLECTION, [caller.accountId, id, ...said]);
    this.#collections.set(collectionId, { id, missing: transactionCount });
    if (!isGoalCollection) return;
    const isFirst = this.#goalId === null;
    const params = [caller.accountId, id, false];
    const changed = isFirst ? await db.query<ChangedCollection>(SET_GOAL_COLLECTION, params) : [];
    if (changed.length === 0)
      throw new ArchiveError(`${file}: ${collectionId} cannot be the goal collection.`);
    await logCollections(db, caller.accountId, 'Updated', changed);
    this.#goalId = id;
  }

  async #setGoal(file: string, { match, targetCollectionId, items }: ArchivedGoal): Promise<void> {
    const { db, caller } = this.#ctx;
    const target = targetCollectionId === null ? null : this.#collectionOf(file, targetCollectionId).id;
    if (this.#goalId === null || target === this.#goalId || (target !== null && items.length > 0))
      throw new ArchiveError(`${file}: this is no target of a goal collection.`);
    const goal = [caller.accountId, this.#goalId];
    await db.query(SET_GOAL, [...goal, match, target]);
    if (items.length === 0) return;
    const missing = await missingItem(db, items);
    if (missing !== null) throw new ArchiveError(`${file}: ${unknownVariant(items[missing]!.variantId)}`);
    await db.query(ADD_GOAL_ITEMS, [...goal, JSON.stringify(items)]);
  }

  async #addAlert(file: string, archived: ArchivedAlert): Promise<void> {
    const { priceAlertId, targetId, condition, amount, percent, days, direction } = archived;
    const target = this.#collections.get(targetId)?.id ?? targetId;
    const given = condition === 'Change' ? { percent, days, direction } : { amount };
    const { id } = await asArchived(
      file,
      priceAlertId,
      createPriceAlert(this.#ctx, { targetId: target, condition, ...given }),
    );
    const { createdAt, triggerCount, lastTrigger } = archived;
    const {
      triggeredAt = null,
      day = null,
      value = null,
      currency = null,
      change = null,
    } = lastTrigger ?? {};
    await this.#ctx.db.query(RESTORE_ALERT, [
      ...[this.#ctx.caller.accountId, id, this.#past(file, createdAt), triggerCount],
      ...[triggeredAt && this.#past(file, triggeredAt), day, value, currency, change],
    ]);
    this.#alerts++;
  }

  async #addTransactions(file: string, rows: AsyncIterable<ArchivedRow>): Promise<void> {
    const now = this.#ctx.now();
    const { create } = transactionRules(dateOf(now));
    const byCollection = new Map<string, NewTransactionRow[]>();
    let count = 0;
    for await (const { line, values } of rows) {
      count++;
      const at = `${file}, line ${line}`;
      const collection = this.#collectionOf(at, values.collectionId);
      if (--collection.missing < 0)
        throw new ArchiveError(`${at}: ${values.collectionId} has fewer transactions.`);
      const given = givenEntry(values);
      const parsed = create.safeParse(given);
      if (!parsed.success) {
        const [{ path, detail }] = breachesOf(parsed.error, given) as [
          { path: readonly (string | number)[]; detail: string },
        ];
        throw new ArchiveError(`${at}: ${path.join('.')} ${detail}.`);
      }
      const known = byCollection.get(collection.id);
      const row = rowOf(parsed.data, now);
      if (known) known.push(row);
      else byCollection.set(collection.id, [row]);
      if (count > LIMITS.archiveTransactions)
        throw new ArchiveError(`${file}: it is longer than an export writes it.`);
    }
    for (const [id, added] of byCollection) await asArchived(file, null, recordInto(this.#ctx, id, added));
    this.#transactions += count;
    this.#progress('transactions', this.#transactions, this.#account!.transactionCount);
  }

  #collectionOf(at: string, archivedId: string): { id: string; missing: number } {
    const collection = this.#collections.get(archivedId);
    if (collection) return collection;
    throw new ArchiveError(
      `${at}: the archive has no collection ${JSON.stringify(archivedId.slice(0, 100))}.`,
    );
  }

  #past(file: string, time: string): string {
    const millis = Date.parse(time);
    if (millis >= 0 && millis <= this.#ctx.now().getTime() + CLOCK_SKEW_MILLIS) return time;
    throw new ArchiveError(`${file}: ${time} must be from 1970 to now.`);
  }

  #assertComplete({ collectionCount, transactionCount, priceAlertCount }: ArchivedAccount): void {
    const isComplete =
      this.#collections.size === collectionCount &&
      this.#transactions === transactionCount &&
      this.#alerts === priceAlertCount &&
      [...this.#collections.values()].every(({ missing }) => missing === 0);
    if (!isComplete) throw new ArchiveError('The archive has not as much of the account as it says.');
  }

  async #setCostBasis({ preferences: { costBasis } }: ArchivedAccount): Promise<void> {
    if (costBasis === 'Average') return;
    const { db, caller } = this.#ctx;
    await db.query(UPDATE_PREFERENCES, [caller.accountId, null, null, costBasis]);
    await applyPreferences(this.#ctx);
  }
}

/** Of another service, whose clock may be ahead. */
const CLOCK_SKEW_MILLIS = 60_000;

/** As createTransaction takes it. */
function givenEntry(values: ArchivedRow['values']): object {
  const { variantId, occurredDate, action, quantity, unitAmount, currency, fees, shipping } = values;
  const { cardCondition, language, gradeCompany, grade, certificate, notes, tags } = values;
  const costUnknown = unitAmount === UNKNOWN_AMOUNT;
  const money = (decimal: string) => ({ currency, decimal });
  return {
    variantId,
    occurredDate,
    action,
    quantity: /^\d{1,15}$/.test(quantity) ? Number(quantity) : quantity,
    unitAmount: money(costUnknown ? '0' : unitAmount),
    ...(costUnknown && { costUnknown }),
    ...(fees && { fees: money(fees) }),
    ...(shipping && { shipping: money(shipping) }),
    ...(cardCondition && { cardCondition }),
    ...(language && { language }),
    ...((gradeCompany || grade || certificate) && {
      grade: { company: gradeCompany, grade, ...(certificate && { certificate }) },
    }),
    ...(notes && { notes }),
    ...(tags && { tags: tags.split(', ') }),
  };
}

/** What a verb refuses is wrong with the archive, but for limits of the account. */
async function asArchived<T>(file: string, what: string | null, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DomainError) || !['ValidationFailed', 'NotFound'].includes(error.problem))
      throw error;
    throw new ArchiveError(`${file}: ${what === null ? '' : `${what}: `}${error.message}`);
  }
}

const unknownVariant = (id: string) => `The variant ${JSON.stringify(id)} does not exist.`;

/** The fault is the body's. */
function refused(detail: string): DomainError {
  return new DomainError('ValidationFailed', detail, { breaches: [{ path: [], detail }] });
}
