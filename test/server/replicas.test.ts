import { pino } from 'pino';
import { describe, expect, inject, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import type { LeftOut } from '../../src/db/replica.ts';
import { replicasOf } from '../../src/server/replicas.ts';
import { removeFoldersAfterwards, temporaryFolder } from '../cli/support.ts';
import { samplesOf } from '../observability/support.ts';
import { eventually } from '../support/eventually.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { addressOf, promote, startPair } from '../support/postgres-pair.ts';
import { startPostgres, startStandby } from '../support/postgres-server.ts';
import { demoToken, serveProcess } from './server-process.ts';

removeFoldersAfterwards();

const atPort = (url: string, { port }: { port: number }) =>
  Object.assign(new URL(url), { port: String(port) }).href;

const PASSWORD = 'secret-of-the-owner';
const ADDRESS = `postgres://owner:${PASSWORD}@one/name`;
const OTHER = `postgres://owner:${PASSWORD}@two/name`;

describe('DATABASE_REPLICA_URLS', () => {
  it.each([
    ['a semicolon between them', `${ADDRESS};${ADDRESS}`, 'must be addresses such as'],
    ['a space between them', `${ADDRESS} ${ADDRESS}`, 'must be addresses such as'],
    ['a semicolon behind a parameter', `${ADDRESS}?sslmode=require;${ADDRESS}`, 'must be addresses such as'],
    ['several hosts in one', `postgres://owner:${PASSWORD}@one,two/name`, 'must be addresses such as'],
    ['one too few', `${ADDRESS},`, 'must be addresses such as'],
    ['one twice', `${ADDRESS},${ADDRESS.replace('@one', '@one:5432')}`, 'must have each server once'],
    ['an unknown sslmode', `${ADDRESS},${OTHER}?sslmode=required`, 'must have one of disable, allow,'],
  ])('with %s end the start with one line, which does not tell the password', async (_, urls, rule) => {
    const settings = { DATABASE_URL: 'postgres://owner@one/name', DATABASE_REPLICA_URLS: urls };
    const error = await serveProcess(settings, await temporaryFolder()).catch(({ message }) => message);
    expect(error).toMatch(
      new RegExp(`^cardledger cannot start: The configuration is wrong: DATABASE_REPLICA_URLS ${rule}.*\n$`),
    );
    expect(error).not.toContain(PASSWORD);
  });

  it('may have each sslmode of PostgreSQL', () => {
    for (const mode of ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']) {
      const urls = `${ADDRESS}?sslmode=${mode}&sslrootcert=/etc/root.crt, ${OTHER}`;
      const config = loadConfig({ DATABASE_URL: `${ADDRESS}?sslmode=${mode}`, DATABASE_REPLICA_URLS: urls });
      expect(config.databaseReplicaUrls).toHaveLength(2);
    }
  });

  it('are told of in the log, and of a lag once in ten minutes', () => {
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).msg) });
    let millis = 0;
    const config = loadConfig({ DATABASE_URL: ADDRESS, DATABASE_REPLICA_URLS: ADDRESS });
    const { tell } = replicasOf(config, logger, () => millis)!;
    const lagging: LeftOut = { kind: 'lagging', reason: 'it lags by 1.2 s' };
    const told = (...args: Parameters<typeof tell>) => {
      lines.length = 0;
      tell(...args);
      return lines;
    };
    expect(told('one', null)).toEqual(['a replica answers reads']);
    expect(told('one', lagging)).toEqual(['a replica is left out: it lags by 1.2 s']);
    expect(told('one', null)).toEqual(['a replica answers reads']);
    millis += 599_999;
    expect(told('one', lagging)).toEqual([]);
    expect(told('two', lagging)).toHaveLength(1);
    // What is more than a lag is told of, and then its end.
    expect(told('one', { kind: 'gone', reason: 'it cannot be read' })).toHaveLength(1);
    expect(told('one', null)).toEqual(['a replica answers reads']);
    expect(told('one', lagging)).toEqual([]);
    expect(told('one', null)).toEqual([]);
    millis += 1;
    expect(told('one', lagging)).toHaveLength(1);
    expect(told('one', null)).toHaveLength(1);
  });

  it.skipIf(!inject('postgresUrl'))(
    'answer what only reads, in the process that `npm start` runs',
    async () => {
      const primary = await startPostgres();
      const { url } = await loadedPostgresUrl(primary.url);
      const standby = await startStandby(primary);
      const folder = await temporaryFolder();
      const replicaUrl = atPort(url, standby);
      const nobody = 'postgres://owner:secret@127.0.0.1:1/name';
      const server = await serveProcess(
        {
          DATABASE_URL: url,
          DATABASE_REPLICA_URLS: `${replicaUrl}, ${nobody}`,
          DATA_DIR: folder,
          DEMO: '1',
          RATE_LIMIT_PER_MINUTE: '0',
          WORK_LIMIT_PER_MINUTE: '0',
        },
        folder,
      );
      const left = await server.line(({ msg }) => msg?.startsWith('a replica is left out'));
      expect(left).toMatchObject({
        replica: '127.0.0.1:1',
        msg: expect.stringContaining('it cannot be read'),
      });
      await server.line(({ msg }) => msg === 'a replica answers reads');
      const headers = {
        Authorization: `Bearer ${await demoToken(server.url, folder)}`,
        'Content-Type': 'application/json',
      };
      for (let i = 0; i < 20; i++) {
        const body = JSON.stringify({ name: `No. ${i}`, valued: false });
        const made = await fetch(`${server.url}/collection`, { method: 'POST', headers, body });
        const { collectionId } = (await made.json()) as { collectionId: string };
        const read = await fetch(`${server.url}/collection/${collectionId}`, { headers });
        expect(await read.json()).toMatchObject({ collectionId, name: `No. ${i}` });
      }
      const reads = `cardledger_db_reads_total{server="127.0.0.1:${standby.port}"}`;
      // On a slow machine it is behind what was just written each time; nothing is written any more.
      await eventually(async () => {
        await fetch(`${server.url}/collection`, { headers });
        const samples = samplesOf(await (await fetch(`${server.url}/metrics`)).text());
        expect(samples.get(reads)).toBeGreaterThan(0);
      });
      expect(server.output()).not.toContain('secret');
      expect(await server.stop()).toBe(0);
      await Promise.all([primary.stop(), standby.stop()]);
    },
  );
});

describe.skipIf(!inject('postgresUrl'))('a standby that is promoted', () => {
  it('is named once in the log as the one that is written to', async () => {
    const { primary, standby } = await startPair();
    const { url } = await loadedPostgresUrl(primary.url);
    const servers = addressOf({ ...primary, url }, standby);
    const server = await serveProcess({ DATABASE_URL: servers }, await temporaryFolder());
    await primary.stop();
    await promote(standby);
    const [one, two] = [primary, standby].map(({ port }) => `127.0.0.1:${port}`);
    const msg = `${two} is written to from now on: it has taken the place of ${one}`;
    expect(await server.line((line) => line.server === two)).toMatchObject({ level: 40, msg });
    await eventually(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200));
    expect(server.lines.filter((line) => line.msg === msg)).toHaveLength(1);
    expect(await server.stop()).toBe(0);
    await standby.stop();
  });
});
