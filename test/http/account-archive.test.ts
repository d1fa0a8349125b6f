import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import {
  asNewAccount,
  bearing,
  describeOnDatabases,
  newTestApp,
  pricedVariants,
  type TestApp,
} from '../harness.ts';
import { archiveWith, changed, filesOf } from '../support/account-archives.ts';
import { actingFor, deviceOf, newSubAccount } from '../support/platforms.ts';
import { expectProblem, NO_ACCOUNT, newCollection, record } from './support.ts';

const GZIP = { 'Content-Type': 'application/gzip' };

describeOnDatabases('the archive of an account over HTTP', (database) => {
  let platform: TestApp;
  let other: TestApp;
  let plain: TestApp;
  let ada: string;
  let grace: string;
  let theirs: string;
  let archive: Buffer;

  beforeAll(async () => {
    platform = await newTestApp(database(), { maxAccounts: 100 });
    other = await asNewAccount(database(), platform.fetch, { maxAccounts: 10 });
    plain = await asNewAccount(database(), platform.fetch);
    ada = await newSubAccount(platform, 'ada');
    grace = await newSubAccount(platform, 'grace');
    theirs = await newSubAccount(other, 'ada');
    const [variantId] = (await pricedVariants(database(), 1)) as [string];
    for (const app of [platform, plain, actingFor(platform, ada), actingFor(other, theirs)])
      await record(app, await newCollection(app, `Of ${app.accountId}`), variantId);
    archive = await exported(actingFor(platform, ada), ada);
  });

  const idOf = (app: TestApp) => `acc_${app.accountId}`;
  const idless = (id: string) => id.slice('acc_'.length);
  const pathOf = (id: string) => `/account/${id}/export`;
  const exported = async (app: TestApp, id: string): Promise<Buffer> => {
    const { status, body } = await app.send('GET', pathOf(id));
    expect(status).toBe(200);
    return body;
  };
  const namesIn = async (bytes: Buffer) =>
    JSON.parse((await filesOf(bytes)).get('collections-0001.json')!).map(
      ({ name }: { name: string }) => name,
    );
  const readerOf = (app: TestApp, id: string) => deviceOf(app, id, 'read');

  describe('is given', () => {
    it('to the account itself, its platform, who acts for it, and its devices', async () => {
      const ofAda = [`Of ${idless(ada)}`];
      for (const app of [
        platform,
        actingFor(platform, ada),
        await deviceOf(platform, ada),
        await readerOf(platform, ada),
      ])
        expect(await namesIn(await exported(app, ada))).toEqual(ofAda);
      for (const app of [platform, plain])
        expect(await namesIn(await exported(app, idOf(app)))).toEqual([`Of ${app.accountId}`]);
    });

    it('as a file with a name and a length', async () => {
      const { status, headers } = await plain.send('GET', pathOf(idOf(plain)));
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'application/gzip',
        'content-disposition': 'attachment; filename="cardledger-account.tar.gz"',
        'content-length': String((await exported(plain, idOf(plain))).length),
        'cache-control': 'private, no-cache',
      });
      expect((await plain.send('HEAD', pathOf(idOf(plain)))).status).toBe(200);
    });

    it('to nobody else: it is as that of an account which does not exist', async () => {
      const bodies = new Set<string>();
      const names = [
        theirs,
        NO_ACCOUNT,
        idOf(other),
        'acc_',
        idless(theirs),
        'col_01kn3w4v5h2c8q6r9t0m1n2p3q',
      ];
      for (const app of [platform, plain, actingFor(platform, ada), await deviceOf(platform, ada)])
        for (const id of names)
          for (const [method, path, body, headers] of [
            ['GET', `/account/${id}/export`, undefined, undefined],
            ['POST', `/account/${id}/import`, archive, GZIP],
          ] as const) {
            const told = await app.send(method, path, body, headers);
            expectProblem(told, 'NotFound');
            bodies.add(told.body.detail);
          }
      for (const app of [
        actingFor(platform, grace),
        actingFor(platform, ada),
        plain,
        await deviceOf(platform, ada),
      ])
        expectProblem(await app.send('GET', pathOf(idOf(platform))), 'NotFound');
      for (const app of [actingFor(platform, grace), await deviceOf(platform, grace), plain])
        expectProblem(await app.send('GET', pathOf(ada)), 'NotFound');
      expect([...bodies]).toEqual(['The account does not exist.']);
      expectProblem(
        await bearing(plain.fetch, 'x', plain.accountId).send('GET', pathOf(idOf(plain))),
        'Unauthorized',
      );
    });
  });

  describe('is taken in', () => {
    const fresh = () => newSubAccount(platform, randomUUID());
    const take = (
      app: TestApp,
      id: string,
      body: Uint8Array = archive,
      headers: Record<string, string> = {},
    ) => app.send('POST', `/account/${id}/import`, body, { ...GZIP, ...headers });

    it('by the account itself, its platform, who acts for it, and its devices', async () => {
      const ids = [await fresh(), await fresh(), await fresh()] as const;
      const apps = [platform, actingFor(platform, ids[1]), await deviceOf(platform, ids[2])];
      for (const [i, app] of apps.entries()) {
        const { status, body } = await take(app, ids[i]!);
        expect([status, body]).toEqual([
          200,
          { accountId: ids[i], collectionCount: 1, transactionCount: 1, priceAlertCount: 0 },
        ]);
        expect(await namesIn(await exported(platform, ids[i]!))).toEqual([`Of ${idless(ada)}`]);
      }
      const own = await asNewAccount(database(), platform.fetch);
      expect((await take(own, idOf(own))).status).toBe(200);
      expect((await own.send('GET', '/collection')).body.results).toHaveLength(1);
      expectProblem(await take(own, idOf(own)), 'LimitExceeded');
    });

    it('by none that only reads', async () => {
      const id = await fresh();
      const refused = await take(await readerOf(platform, id), id);
      expectProblem(refused, 'Forbidden');
      expect(await filesOf(await exported(platform, id))).not.toContain('collections-0001.json');
    });

    it('once for its key', async () => {
      const id = await fresh();
      const key = { 'Idempotency-Key': randomUUID() };
      const first = await take(platform, id, archive, key);
      const again = await take(platform, id, archive, key);
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(again.headers.get('Idempotency-Replayed')).toBe('true');
      const files = await filesOf(archive);
      const another = archiveWith(
        changed(files, { 'account.json': files.get('account.json')!.replace('"ada"', '"eve"') }),
      );
      expectProblem(await take(platform, id, another, key), 'IdempotencyMismatch');
      expectProblem(await take(platform, await fresh(), archive, key), 'IdempotencyMismatch');
    });

    it('from a form, too, but from nothing else', async () => {
      const id = await fresh();
      const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.tar.gz"\r\n\r\n';
      const form = Buffer.concat([Buffer.from(head), archive, Buffer.from('\r\n--x--\r\n')]);
      for (const type of ['text/csv', 'application/json', 'application/x-tar', '']) {
        const refused = await take(platform, id, archive, { 'Content-Type': type });
        expect([refused.status, refused.body.detail]).toEqual([
          415,
          'The body must be a file, with "Content-Type: application/gzip", or a form with one.',
        ]);
      }
      expect(
        (await take(platform, id, form, { 'Content-Type': 'multipart/form-data; boundary=x' })).status,
      ).toBe(200);
    });

    it('whole, or not at all, with what is wrong', async () => {
      const id = await fresh();
      for (const [body, detail] of [
        [archive.subarray(0, -9), 'The archive is cut off.'],
        [
          Buffer.from('no archive'),
          'This is no archive of an account: a .tar.gz as an export writes it is needed.',
        ],
      ] as const) {
        const refused = await take(platform, id, body);
        expectProblem(refused, 'ValidationFailed');
        expect(refused.body).toMatchObject({ detail, errors: [{ pointer: '', detail }] });
      }
      const large = await take(platform, id, Buffer.alloc(LIMITS.importFileBytes + 1));
      expect([large.status, large.body.detail]).toEqual([413, 'The file must have at most 16 MiB.']);
      expect((await take(platform, id)).status).toBe(200);
    });
  });
});
