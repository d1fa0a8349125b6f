import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf } from './address.ts';
import type { Database } from './client.ts';
import { type Connection, newConnection } from './connection.ts';
import { STARTED_AT } from './identity.ts';
import { newReadIndex, type ReadIndex } from './read-index.ts';
import { CHECK, type Checked, LOOK, MOST_LAG_MILLIS, unfitness } from './replica.ts';
import { replicaNames } from './replicas.ts';

const ANSWER_MILLIS = 2000;
const LOOK_PAUSE_MILLIS = 20;

/** What is told of a replica: `detail` begins with its `host:port`. */
export interface ReplicaFinding {
  ok: boolean;
  detail: string;
}

/**
 * Looks at each replica of the database at `databaseUrl`, which `db` is, as a node that serves does, and how long it takes
 * to have what the primary had. Fails where the primary does not answer.
 */
export async function examineReplicas(
  db: Database,
  databaseUrl: string,
  urls: readonly string[],
): Promise<ReplicaFinding[]> {
  const [primary] = await db.query<{ startedAt: string }>(`select ${STARTED_AT} as "startedAt"`);
  const readIndex = newReadIndex(addressOf(databaseUrl));
  try {
    const index = await readIndex.ask();
    const names = replicaNames(urls);
    const looks = await Promise.all(urls.map((url) => lookAt(url, index)));
    const findings = looks.map((look) => findingOf(look, primary!.startedAt, index));
    return findings.map(({ ok, detail }, i) => {
      const isSame = (j: number) => looks[j]!.checked?.startedAt === looks[i]!.checked?.startedAt;
      const first = findings.findIndex((one, j) => one.ok && isSame(j));
      if (ok && first < i)
        return { ok: false, detail: `${names[i]}: it is the same server as ${names[first]}` };
      return { ok, detail: `${names[i]}: ${detail}` };
    });
  } finally {
    await readIndex.close();
  }
}

interface Look {
  checked?: Checked;
  finding: ReplicaFinding;
}

/** All servers of `DATABASE_URL` may be named: the one that takes changes is left out, and is what it should be. */
function findingOf({ checked, finding }: Look, primaryStartedAt: string, index: ReadIndex): ReplicaFinding {
  if (checked?.startedAt !== primaryStartedAt || checked.database !== index.database) return finding;
  return { ok: true, detail: 'it is the one that takes changes, and answers no reads as a replica' };
}

async function lookAt(url: string, index: ReadIndex): Promise<Look> {
  const connection = newConnection({ ...addressOf(url), readOnly: true }, { onClosed: () => {} });
  connection.limitMillis = ANSWER_MILLIS;
  try {
    const { rows } = await connection.send(CHECK);
    const checked = rows[0] as Checked;
    const unfit = unfitness(checked, index);
    return { checked, finding: unfit ? { ok: false, detail: unfit.reason } : await lag(connection, index) };
  } catch (error) {
    return { finding: { ok: false, detail: `it cannot be read: ${(error as Error).message}` } };
  } finally {
    void connection.close();
  }
}

/** Until it has replayed so much, or for as long as it may lag. */
async function lag(connection: Connection, index: ReadIndex): Promise<ReplicaFinding> {
  const start = performance.now();
  for (;;) {
    const { rows } = await connection.send(LOOK);
    const missing = index.lsn - (rows[0] as { lsn: number }).lsn;
    const millis = Math.round(performance.now() - start);
    if (missing <= 0) return { ok: true, detail: `it had all that the primary had, after ${millis} ms` };
    if (millis >= MOST_LAG_MILLIS) {
      const detail = `it lags: ${missing} bytes of the log behind what the primary had ${millis} ms ago, so it answers no reads`;
      return { ok: false, detail };
    }
    await sleep(LOOK_PAUSE_MILLIS);
  }
}
