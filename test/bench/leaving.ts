import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { accountIdOf, accountUuid } from '../../src/domain/credentials.ts';
import { purgeDeletedAccounts } from '../../src/services/sub-accounts/purge.ts';
import { memoryOf } from '../hostile/memory.ts';
import { Player } from '../hostile/player.ts';
import type { Seen } from '../hostile/quiet.ts';
import { type Figures, figuresOf } from '../hostile/report.ts';
import { startTarget, type Target } from '../hostile/service.ts';

/**
 * What an account of 100,000 transactions takes to leave: its export, its import into another one, and the purge of its rows once it is deleted. How
 * long each lasts, what the service's memory grows by meanwhile, and how nine quiet accounts of the same platform fare, alone and beside it: four
 * requests a second of each, as in the hostile suite, against the service as a process with its default limits, on PostgreSQL. The purge is by another
 * process, as where there are several nodes. `npx tsx test/bench/leaving.ts [transactions] [seconds alone]`
 */
const [transactions = 100_000, aloneSeconds = 15] = process.argv.slice(2).map(Number);
const NAME = 'Leaving';
const WARM_UP_MILLIS = 8000;
const SAMPLE_MILLIS = 100;

const target = await startTarget({
  embedded: false,
  platform: true,
  workers: 1,
  transactions,
  attacks: [{ name: NAME, stock: 'large' }],
  recoveryMillis: 60_000,
});
const db = postgresDatabase(target.databaseUrl!);
const quiet = new Player('quiet');

/** As the platform. */
async function send(
  method: string,
  path: string,
  body?: BodyInit,
  type = 'application/json',
): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${target.port}${path}`, {
    method,
    // What stands between is longer than an idle connection is kept.
    headers: { Connection: 'close', ...authorization, ...(body !== undefined && { 'Content-Type': type }) },
    ...(body !== undefined && { body }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

let authorization: Record<string, string> = {};

async function logIn({ platform }: Target): Promise<void> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: platform!.clientId,
    client_secret: platform!.clientSecret,
    scope: 'platform',
  });
  const answer = await send('POST', '/oauth2/token', form, 'application/x-www-form-urlencoded');
  authorization = { Authorization: `Bearer ${(await answer.json()).access_token}` };
}

const shown = ({ median, p99, requests, failures }: Figures) =>
  `median ${median.toFixed(1)}, p99 ${p99.toFixed(0)} ms of ${requests}${Object.keys(failures).length > 0 ? ` (${JSON.stringify(failures)})` : ''}`;

/** Does it, while the quiet ones go on, and tells what it took. */
async function beside<T>(name: string, work: () => Promise<T>): Promise<T> {
  const alone = figuresOf(await quiet.ask<Seen>({ phaseMillis: aloneSeconds * 1000 }));
  const before = memoryOf(target).node;
  let highest = before;
  const sampling = setInterval(() => {
    highest = Math.max(highest, memoryOf(target).node);
  }, SAMPLE_MILLIS);
  await quiet.ask('begin');
  const start = performance.now();
  const result = await work();
  const seconds = (performance.now() - start) / 1000;
  const during = figuresOf(await quiet.ask<Seen>('end'));
  clearInterval(sampling);
  process.stdout.write(
    `${name}: ${seconds.toFixed(1)} s, +${(highest - before).toFixed(0)} MB; quiet ones alone ${shown(alone)}, ` +
      `beside ${shown(during)}; load ${loadavg()[0]!.toFixed(1)}\n`,
  );
  return result;
}

try {
  await logIn(target);
  const callers = target.quiet.map((owner, i) => ({
    port: target.port,
    address: '127.0.0.2',
    owner,
    below: { platform: target.platform!, by: i % 2 ? ('device' as const) : ('header' as const) },
  }));
  await quiet.ask({ callers, variantIds: target.variantIds, rate: 4 });
  await quiet.ask({ warmUpMillis: WARM_UP_MILLIS });
  await target.recovers();
  const leaving = accountIdOf(target.noisy.get(NAME)!.owners[0]!.accountId);
  const archive = await beside('export', async () =>
    (await send('GET', `/account/${leaving}/export`)).arrayBuffer(),
  );
  const other = await send('POST', '/account', JSON.stringify({ name: 'Other', externalId: 'other' }));
  const { accountId } = await other.json();
  const taken = await beside('import', async () =>
    (await send('POST', `/account/${accountId}/import`, archive, 'application/gzip')).json(),
  );
  process.stdout.write(`archive of ${(archive.byteLength / 1e6).toFixed(1)} MB: ${JSON.stringify(taken)}\n`);
  await send('DELETE', `/account/${leaving}`);
  const gone = [accountUuid(leaving)];
  await beside('purge', async () => {
    await db.query(`update account set deleted_at = now() - interval '1 hour' where account_id = $1`, gone);
    // Where the service itself has begun with it, it goes on.
    const isThere = 'select 1 as one from account where account_id = $1';
    while ((await db.query(isThere, gone)).length > 0)
      if ((await purgeDeletedAccounts(db)) === 0) await sleep(20);
  });
} catch (error) {
  process.stderr.write(`${(await target.complaints()).join('\n')}\n`);
  throw error;
} finally {
  quiet.end();
  await db.close();
  await target.stop();
}
