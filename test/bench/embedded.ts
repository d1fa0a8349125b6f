import { protocol, types } from '@electric-sql/pglite';
import type { Param } from '../../src/db/client.ts';
import { answersOf } from '../../src/db/embedded-answer.ts';
import { EmbeddedStatements } from '../../src/db/embedded-statements.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';
import { loadedDump } from '../support/loaded-databases.ts';
import { freshPglite, freshServer } from '../support/pglite-template.ts';

/**
 * What a statement of the embedded database costs in its thread, against the same messages to a PGlite of this thread, and
 * against PGlite's own `query`, which prepares nothing: one after the other, in turns in one run, on databases in memory.
 * Time by the clock, and of the processor for the whole process.
 */
const ROUNDS = 5;
const CALLS = 400;

type Send = (text: string, params: Param[]) => Promise<unknown>;

const STATEMENTS: Record<string, [text: string, params: Param[]]> = {
  'small select': ['select preferred_currency from account where account_id = $1', [crypto.randomUUID()]],
  '50 variants, all columns': ['select * from variant order by id limit $1', [50]],
  '1,000 variants, all columns': ['select * from variant order by id limit $1', [1000]],
  'count of the prices': ['select count(*) from price where amount > $1', [1]],
};

/** As the thread does it, without one. */
async function inProcess(dump: Blob): Promise<{ prepared: Send; own: Send }> {
  const pglite = await freshPglite(dump);
  const statements = new EmbeddedStatements(protocol, types);
  const exchange = async (messages: Uint8Array[], readRow: (bytes: Buffer, at: number) => unknown) => {
    const chunks: Buffer[] = [];
    await pglite.execProtocolRawStream(Buffer.concat(messages), {
      onRawData: (bytes) => void chunks.push(Buffer.from(bytes)),
    });
    return answersOf(Buffer.concat(chunks), protocol.Parser, [readRow], () => {})[0]!;
  };
  return {
    async prepared(text, params) {
      if (!statements.used(text)) {
        const { messages, keep } = statements.preparation(text);
        keep(await exchange(messages, () => []));
      }
      const statement = statements.used(text)!;
      return (await exchange(statements.execution(statement, params), statement.readRow)).rows;
    },
    own: (text, params) => pglite.query(text, params),
  };
}

interface Cost {
  clock: number;
  processor: number;
}

/** Milliseconds of one call. */
async function cost(send: Send, [text, params]: [string, Param[]]): Promise<Cost> {
  const start = performance.now();
  const before = process.cpuUsage();
  for (let i = 0; i < CALLS; i++) await send(text, params);
  const { user, system } = process.cpuUsage(before);
  return { clock: (performance.now() - start) / CALLS, processor: (user + system) / 1000 / CALLS };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const dump = await loadedDump();
const db = pgliteDatabase(await freshServer(dump));
const { prepared, own } = await inProcess(dump);
const ways: Record<string, Send> = {
  thread: (text, params) => db.query(text, params),
  'in this thread': prepared,
  'PGlite’s query': own,
};
const table: Record<string, object> = {};
for (const [name, statement] of Object.entries(STATEMENTS)) {
  const costs: Record<string, Cost[]> = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  // The first round warms all up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [way, send] of Object.entries(ways)) {
      const one = await cost(send, statement);
      if (round > 0) costs[way]!.push(one);
    }
  }
  for (const [way, measured] of Object.entries(costs)) {
    const clock = median(measured.map((one) => one.clock));
    table[`${name}: ${way}`] = {
      'ms by the clock': clock.toFixed(3),
      'a second': Math.round(1000 / clock),
      'ms of processor': median(measured.map(({ processor }) => processor)).toFixed(3),
    };
  }
}
// biome-ignore lint/suspicious/noConsole: the result of the program
console.table(table);
process.exit(0);
