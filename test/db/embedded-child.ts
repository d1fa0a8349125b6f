import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { lockDirectory } from '../../src/db/directory-lock.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';

// A process of its own for the tests of the embedded database, to be killed by them.
// It does what the lines of its standard input say, and says what it did on its standard output.

const directory = process.argv[2]!;
const say = (event: string, value: unknown = null) =>
  process.stdout.write(`${JSON.stringify({ event, value })}\n`);

async function open() {
  const database = await openEmbedded(directory);
  say('opened', { peakMegabytes: peakMegabytes() });
  return database;
}

/** Of this program alone: `resourceUsage()` counts what the process was before it became this program. */
function peakMegabytes(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
}

/** Opens, reports the rows there are, and adds more until it is killed, with checkpoints and vacuums between. */
async function write() {
  const db = pgliteDatabase(await open());
  await db.query('CREATE TABLE IF NOT EXISTS ledger (id int PRIMARY KEY, note text NOT NULL)');
  const rows = await db.query<{ id: number }>('SELECT id FROM ledger ORDER BY id');
  say(
    'found',
    rows.map((row) => row.id),
  );
  for (let id = (rows.at(-1)?.id ?? 0) + 1; ; id++) {
    await db.query("INSERT INTO ledger VALUES ($1, repeat('x', 500))", [id]);
    await db.query("UPDATE ledger SET note = note || 'y' WHERE id = $1", [id]);
    say('acknowledged', id);
    if (id % 40 === 0) await db.query('CHECKPOINT');
    if (id % 70 === 0) await db.query('VACUUM ledger');
  }
}

const commands: Record<string, () => Promise<unknown>> = {
  open,
  write,
  close: async () => (await open()).close().then(() => say('closed')),
  lock: async () => {
    await lockDirectory(directory);
    say('locked');
  },
};

createInterface(process.stdin)
  .on('line', (line) => {
    commands[line]!().catch((error: Error) => say('failed', error.message));
  })
  .on('close', () => process.exit(0));
say('loaded');
