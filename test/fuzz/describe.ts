import fc, { type GeneratorValue } from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { asNewAccount, describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { everythingOf, expectSound, furnishedIds, type KnownIds } from './account.ts';
import { CASE_MILLIS, fuzzOptions } from './values.ts';

export interface Fuzzed {
  app: TestApp;
  /** What requests may name; those that are made become known. */
  ids: KnownIds;
  /** Tells of an outcome, so that the suite can see that it had all kinds. */
  note(outcome: unknown): void;
}

interface Suite<Sent> {
  requestOf: (draw: GeneratorValue, ids: KnownIds) => Sent;
  /** Sends it, and fails where its answer is none of the contract. */
  expectAnswer: (request: Sent, fuzzed: Fuzzed) => Promise<void>;
  /** What must be among the outcomes. */
  outcomes: readonly unknown[];
}

/** Sends 200 requests, or `FUZZ_RUNS`, on each database; a failure shows the request. */
export function describeFuzz<Sent>(
  name: string,
  test: string,
  { requestOf, expectAnswer, outcomes }: Suite<Sent>,
): void {
  describeOnDatabases(name, (database) => {
    let app: TestApp;
    let stranger: TestApp;
    let ids: KnownIds;
    beforeAll(async () => {
      app = await newTestApp(database(), { maxAccounts: 1000 });
      stranger = await asNewAccount(database(), app.fetch, { maxAccounts: 1000 });
      ids = await furnishedIds(database(), app, stranger);
    });

    it(test, async () => {
      const before = await everythingOf(stranger);
      const noted = new Set<unknown>();
      const note = (outcome: unknown) => noted.add(outcome);
      await fc.assert(
        fc.asyncProperty(fc.gen(), async (draw) => {
          const request = requestOf(draw, ids);
          await expectAnswer(request, { app, ids, note }).catch((cause) => {
            throw new Error(`${JSON.stringify(request)}: ${String(cause)}`, { cause });
          });
        }),
        { ...fuzzOptions(200), timeout: CASE_MILLIS },
      );
      expect([...noted]).toEqual(expect.arrayContaining([...outcomes]));
      expect(await everythingOf(stranger)).toEqual(before);
      await expectSound(database(), app.accountId);
    }, 3_600_000);
  });
}
