import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { serveProcess } from '../server/server-process.ts';
import { loadedPostgresUrl } from '../support/loaded-databases.ts';
import { removeFoldersAfterwards, runWith, temporaryFolder } from './support.ts';

removeFoldersAfterwards();

const PASSWORD = `pw${randomBytes(12).toString('hex')}`;

/**
 * The address of a new database as a user with a password, who may do what its owner may. A superuser gives such rights,
 * and ends the connections of that user.
 */
async function databaseWithPassword(user: string, can: 'login' | 'nologin') {
  const url = new URL((await loadedPostgresUrl(inject('postgresUrl')!)).url);
  const admin = postgresDatabase(
    Object.assign(new URL(inject('superuserUrl')!), { pathname: url.pathname }).href,
  );
  await admin.query(`drop role if exists ${user}`);
  await admin.query(`create role ${user} ${can} password '${PASSWORD}' in role ${url.username}`);
  url.username = user;
  url.password = PASSWORD;
  return { url: url.href, admin };
}

const tokenForm = (clientId: string, clientSecret: string) => ({
  grant_type: 'client_credentials',
  scope: 'default',
  client_id: clientId,
  client_secret: clientSecret,
});
const basic = (id: string, secret: string) => Buffer.from(`${id}:${secret}`).toString('base64');

it.skipIf(!inject('postgresUrl'))(
  'logs no secret, token, password or key, whatever is sent where, and whatever fails',
  async () => {
    const folder = await temporaryFolder();
    const { url, admin } = await databaseWithPassword('cardledger_logged', 'login');
    const settings = { DATABASE_URL: url, DATA_DIR: folder, DEMO: '1', LOG_LEVEL: 'trace' };
    const server = await serveProcess({ ...settings, TOKEN_LIMIT_PER_MINUTE: '0' }, folder);
    const { clientId, clientSecret } = JSON.parse(await readFile(join(folder, 'demo-client.json'), 'utf8'));
    const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
      fetch(`${server.url}${path}`, { method: 'POST', headers, body });
    const signIn = async (id: string, secret: string) => {
      const answer = await post('/oauth2/token', new URLSearchParams(tokenForm(id, secret)));
      return (await answer.json()).access_token as string;
    };
    const token = await signIn(clientId, clientSecret);
    const bearer = { Authorization: `Bearer ${token}` };
    const json = { 'Content-Type': 'application/json' };

    const wrong = `cls_${randomBytes(32).toString('base64url')}`;
    await signIn(clientId, wrong);
    await signIn(wrong, clientSecret);
    for (const secret of [clientSecret, wrong]) {
      const headers = { Authorization: `Basic ${basic(clientId, secret)}` };
      await post('/oauth2/token', new URLSearchParams({ grant_type: 'client_credentials' }), headers);
      await post('/collection', '{', { ...json, ...headers });
    }
    await post('/oauth2/token', JSON.stringify(tokenForm(clientId, clientSecret)), json);
    await post('/oauth2/token', `client_secret=${clientSecret}&client_secret=%`, {
      'Content-Type': 'application/x-www-form-urlencoded',
    });

    // Where none belongs.
    for (const secret of [token, clientSecret]) {
      const places = [
        `?access_token=${secret}`,
        `/${secret}`,
        `/x${secret}/transaction`,
        `/Bearer%20${secret}`,
      ];
      for (const place of places) await fetch(`${server.url}/collection${place}`, { headers: bearer });
      await post('/collection', `{"name": "${secret}`, { ...json, ...bearer });
      await post('/collection', `{"name": {"${secret}": 1}}`, { ...json, ...bearer });
      await fetch(`${server.url}/collection`, { headers: { 'X-Request-Id': secret.slice(0, 128) } });
      await fetch(`${server.url}/collection`, { headers: { [`x-${secret.slice(0, 40)}`]: secret } });
      await fetch(`${server.url}/collection`, { headers: { Authorization: `Bearer ${secret}x` } });
      const operations = [
        { query: `query { viewer { ${secret} } }` },
        { query: '{ viewer { id } }', operationName: secret },
        { query: 'query ($id: ID!) { node(id: $id) { id } }', variables: { id: secret } },
        { query: 'query ($n: Int) { collections(first: $n) { totalCount } }', variables: { n: secret } },
        { query: '{ viewer { id } }', extensions: { persistedQuery: { version: 1, sha256Hash: secret } } },
      ];
      for (const operation of operations) {
        await post('/graphql', JSON.stringify(operation), { ...json, ...bearer });
      }
      await post('/graphql', `{"query": "${secret}`, { ...json, ...bearer });
    }

    const cli = async (...args: string[]) => {
      const { code, json: made } = await runWith(settings, [...args, '--json']);
      expect(code).toBe(0);
      return made as Record<string, string>;
    };
    const { accountId } = await cli('account', 'create', 'Other');
    const made = await cli('client', 'create', accountId!, 'Other');
    const rotated = await cli('client', 'rotate', made.clientId!);
    const otherToken = await signIn(made.clientId!, rotated.clientSecret!);
    await cli('keys', 'rotate');

    // The database fails in the middle of everything.
    const statuses = new Set<number>();
    const under = Array.from({ length: 30 }, async (_, i) => {
      const name = JSON.stringify({ name: clientSecret });
      const query = JSON.stringify({ query: '{ collections { nodes { id name } } }' });
      statuses.add((await post('/collection', name, { ...json, ...bearer })).status);
      statuses.add(
        (await post('/graphql', query, { ...json, Authorization: `Bearer ${otherToken}` })).status,
      );
      if (i % 10 === 0) {
        await admin.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and pid <> pg_backend_pid()',
          ['cardledger_logged'],
        );
      }
    });
    await Promise.all(under);
    // What was ended while it was committed holds its locks on Citus until the coordinator has looked after it.
    if (process.env.TEST_CITUS_URL) await admin.query('select recover_prepared_transactions()');
    await admin.query('alter table collection rename to collection_gone');
    // 503 while connections of the pool turn out to be among those that were ended.
    const create = () => post('/collection', JSON.stringify({ name: clientSecret }), { ...json, ...bearer });
    await expect.poll(async () => (await create()).status).toBe(500);
    await admin.query('alter table collection_gone rename to collection');

    const keys = await admin.query<{ d: string }>(`select private_jwk ->> 'd' as d from signing_key`);
    await admin.close();
    expect(await server.stop()).toBe(0);
    const output = server.output();
    const secrets = [
      clientSecret,
      wrong,
      made.clientSecret!,
      rotated.clientSecret!,
      token,
      otherToken,
      PASSWORD,
    ];
    secrets.push(basic(clientId, clientSecret), basic(clientId, wrong), ...keys.map(({ d }) => d));
    // Also parts of them: a signature, or all but the last letter.
    const parts = secrets.flatMap((secret) => [secret.slice(0, -1), secret.split('.').at(-1)!]);
    for (const secret of parts) expect(output.includes(secret), `the log has ${secret}`).toBe(false);
    // It did log all this.
    expect(output).toContain('"path":"/collection/[secret]"');
    expect(output).toContain('"path":"/collection/[token]"');
    expect(output).toContain('"msg":"request failed"');
    expect(output.split('\n').length).toBeGreaterThan(100);
  },
);

it.skipIf(!inject('postgresUrl'))(
  'says why it cannot start without the password of the database',
  async () => {
    const folder = await temporaryFolder();
    const { url, admin } = await databaseWithPassword('cardledger_refused', 'nologin');
    await admin.close();
    const elsewhere = new URL(url);
    elsewhere.port = '1';
    for (const [address, reason] of [
      [url, 'refuses the connection'],
      [elsewhere.href, 'does not answer'],
      [url.replace('postgres', 'mysql'), 'DATABASE_URL must be an address'],
    ] as const) {
      const settings = { DATABASE_URL: address, DATA_DIR: folder, LOG_LEVEL: 'trace' };
      const started = await serveProcess(settings, folder).catch((error: Error) => error.message);
      expect(started).toContain(reason);
      expect(started).not.toContain(PASSWORD);
    }
  },
);
