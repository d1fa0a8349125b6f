import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { run } from '../../src/cli/program.ts';
import type { OpenDatabase } from '../../src/db/client.ts';
import { pgliteOptions } from '../../src/db/embedded-options.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { pgliteDatabase } from '../../src/db/pglite-database.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { emptyPostgresUrl } from '../support/empty-postgres.ts';
import { dumpOf } from '../support/pglite-template.ts';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert on its shape
  json: any;
}

export interface RunOptions {
  now?: () => Date;
  /** Standard error is a terminal. */
  terminal?: boolean;
}

/** Runs a command in this process, with these settings and no others. */
export async function runWith(
  environment: NodeJS.ProcessEnv,
  args: string[],
  { now = () => new Date(), terminal = false }: RunOptions = {},
): Promise<Ended> {
  const stdout = sink();
  const stderr = sink(terminal);
  const code = await run(args, { stdout, stderr, environment, now });
  const text = stdout.text();
  return {
    code,
    stdout: text,
    stderr: stderr.text(),
    json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined,
  };
}

/** The commands of the program that do something, such as `client create`, as its help names them. */
export async function commandsBelow(group: string[]): Promise<string[]> {
  const { stdout: help } = await runWith({}, [...group, '--help']);
  const section = /\nCommands:\n((?: {2}.*\n)+)/.exec(help)?.[1] ?? '';
  const names = [...section.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name!);
  const commands = names.filter((name) => name !== 'help');
  if (commands.length === 0) return [group.join(' ')];
  return (await Promise.all(commands.map((name) => commandsBelow([...group, name])))).flat();
}

function sink(isTTY = false) {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return Object.assign(stream, { isTTY, columns: 80, text: () => chunks.join('') });
}

export interface Subject {
  environment: NodeJS.ProcessEnv;
  /** Runs a command on the suite's database. */
  cli(args: string[], options?: RunOptions): Promise<Ended>;
  /** Opens the database that the commands use, as the server would. */
  open<T>(work: (db: OpenDatabase) => Promise<T>): Promise<T>;
}

/**
 * Runs the suite on a PostgreSQL of its own without a catalogue, or on an embedded database where there is none: each command opens that
 * anew, which takes a second. What commands do on it is in `embedded.test.ts`.
 */
export function describeOnSettings(name: string, suite: (subject: () => Subject) => void): void {
  describe(name, () => {
    let subject: Subject;
    beforeAll(async () => {
      const serverUrl = inject('postgresUrl');
      subject = serverUrl
        ? subjectOf({
            DATA_DIR: await temporaryFolder(),
            DATABASE_URL: await migratedPostgresUrl(serverUrl),
          })
        : await embeddedSubject();
    });
    suite(() => subject);
  });
}

export async function embeddedSubject(): Promise<Subject> {
  return subjectOf({ DATA_DIR: await embeddedDirectory({ migrated: true }) });
}

function subjectOf(environment: NodeJS.ProcessEnv): Subject {
  return {
    environment,
    cli: (args, options) => runWith(environment, args, options),
    async open(work) {
      const db = await openDatabase({
        databaseUrl: environment.DATABASE_URL ?? null,
        dataDir: environment.DATA_DIR!,
        onProgress: () => {},
      });
      try {
        return await work(db);
      } finally {
        await db.close();
      }
    },
  };
}

/** A directory that is removed when the file's tests are done. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cardledger-cli-'));
  folders.push(folder);
  return folder;
}

const folders: string[] = [];

export function removeFoldersAfterwards(): void {
  afterAll(() =>
    Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))),
  );
}

/** A directory with an embedded database, empty or of the code's version; made quicker than by the product itself. */
export async function embeddedDirectory({ migrated }: { migrated: boolean }): Promise<string> {
  const folder = await temporaryFolder();
  if (migrated) migratedDump ??= dumpOf((server) => migrate(pgliteDatabase(server)));
  const dump = await (migrated ? migratedDump : dumpOf(async () => {}));
  const pglite = await PGlite.create(join(folder, 'embedded'), { ...pgliteOptions, loadDataDir: dump });
  await pglite.close();
  return folder;
}

async function migratedPostgresUrl(serverUrl: string): Promise<string> {
  const url = await emptyPostgresUrl(serverUrl);
  const db = postgresDatabase(url);
  await migrate(db);
  await db.close();
  return url;
}

let migratedDump: Promise<Blob> | undefined;

export async function fileWith(content: string | Uint8Array, ending: string): Promise<string> {
  const file = join(await temporaryFolder(), `${randomUUID()}.${ending}`);
  await writeFile(file, content);
  return file;
}

interface TestCard {
  vendorProductId: number;
  name: string;
  fcId: string;
}

/** A catalogue file of cards with one variant each. */
export function catalogueFile(cards: TestCard[]): Promise<string> {
  const nulls = Array(10).fill(null);
  const content = {
    format: 'cardledger-catalogue',
    layout: 2,
    source: 'a test',
    sets: [['TST', 'A test set', null]],
    printings: [['Normal', null, 'Normal']],
    rarities: ['Common'],
    keywords: [],
    legalities: [[[], [], []]],
    arts: [[[], []]],
    cards: cards.map(({ name }) => [name, '', [], 0, [], ...nulls]),
    products: cards.map(({ vendorProductId, fcId }, i) => [
      vendorProductId,
      i,
      0,
      fcId,
      [],
      null,
      [[0, 0, fcId, 0, 0]],
    ]),
    sealed: [],
  };
  return fileWith(gzipSync(JSON.stringify(content)), 'json.gz');
}
