import { expect } from 'vitest';
import type { Database } from '../../src/db/client.ts';

/** Sessions of this database that wait for a lock. Of the server that is asked: Citus puts something else in the place of pg_stat_activity. */
const WAITING = `
  select count(*) as count from pg_stat_get_activity(null) s join pg_database d on d.oid = s.datid
  where d.datname = current_database() and s.wait_event_type = 'Lock'`;

/** On Citus rows are locked where they are, and the coordinator waits for the worker that waits. */
const WAITING_ANYWHERE = process.env.TEST_CITUS_URL
  ? `select coalesce(sum(result::int), 0) as count from run_command_on_all_nodes($$ ${WAITING} $$)`
  : WAITING;

/** Ends when somebody at the database waits for a lock, on whichever node. */
export async function untilOneWaits(db: Database): Promise<void> {
  const waiting = async () => Number((await db.query<{ count: number }>(WAITING_ANYWHERE))[0]!.count);
  await expect.poll(waiting, { timeout: 60_000 }).toBeGreaterThan(0);
}
