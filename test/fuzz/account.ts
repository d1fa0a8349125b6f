import { expect } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { isCalendarDate } from '../../src/domain/dates.ts';
import { diagnoseAccount } from '../../src/services/doctor.ts';
import type { TestApp } from '../harness.ts';
import { newIds } from '../http/routes.ts';
import { NO_ACCOUNT, newCollection, record } from '../http/support.ts';

/** Ids that requests may name: of the account, of another one, and of nobody. */
export interface KnownIds {
  collection: string[];
  transaction: string[];
  variant: string[];
  product: string[];
  alert: string[];
  account: string[];
}

/** What an account has at the start of a fuzz test. */
export async function furnishedIds(db: OpenDatabase, app: TestApp, stranger: TestApp): Promise<KnownIds> {
  const mine = await newIds(db, app);
  const theirs = await newIds(db, stranger);
  const second = await newCollection(app, 'Second');
  const { transactionId } = await record(app, second, mine.variantId);
  return {
    collection: [mine.collectionId, second, theirs.collectionId, 'col_01kn3w4v5h2c8q6r9t0m1n2p3q'],
    transaction: [mine.transactionId, transactionId, theirs.transactionId, 'txn_01kn3w4v5h2c8q6r9t0m1n2p3q'],
    variant: [mine.variantId],
    product: [mine.productId],
    alert: ['alr_01kn3w4v5h2c8q6r9t0m1n2p3q'],
    account: [mine.accountId, theirs.accountId, NO_ACCOUNT],
  };
}

/** All that an account can see of itself. */
export async function everythingOf(app: TestApp): Promise<unknown> {
  const { body } = await app.send('GET', '/collection?pageSize=200');
  const lists = [];
  for (const { collectionId } of body.results) {
    lists.push((await app.send('GET', `/collection/${collectionId}/transaction?pageSize=200`)).body);
  }
  return [body, lists];
}

/** Fails where something is stored for the account that breaks a rule of the contract, or that does not add up. */
export async function expectSound(db: OpenDatabase, accountId: string): Promise<void> {
  const { differences } = await diagnoseAccount(db, accountId, false);
  expect(differences).toEqual([]);
  const collections = await db.query<{ name: string; description: string; image: number }>(
    'select name, description, image from collection where account_id = $1',
    [accountId],
  );
  for (const { name, description, image } of collections) {
    expect(name).toMatch(/^\S(.{0,98}\S)?$/su);
    expect(name).not.toMatch(/\p{Cc}/u);
    expect(name.isWellFormed() && description.isWellFormed()).toBe(true);
    expect([...description].length).toBeLessThanOrEqual(2000);
    expect(description.replaceAll(/[\r\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
    expect(image).toBeGreaterThanOrEqual(0);
  }
  const transactions = await db.query<{ occurred: string; currency: string; quantity: number; unit: string }>(
    `select occurred::text as occurred, currency, quantity, unit_amount::text as unit from transaction
     where account_id = $1`,
    [accountId],
  );
  for (const { occurred, currency, quantity, unit } of transactions) {
    expect(isCalendarDate(occurred)).toBe(true);
    expect(occurred >= '1970-01-01' && occurred <= '2026-04-14').toBe(true);
    expect(currency).toMatch(/^[A-Z]{3}$/);
    expect(Number.isInteger(quantity) && quantity >= 1 && quantity <= 1_000_000).toBe(true);
    expect(unit).toMatch(/^\d{1,10}(\.\d{1,4}0*)?$/);
    expect(Number(unit)).toBeLessThanOrEqual(1e9);
  }
}
