import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, inject, it } from 'vitest';
import { migrationReport } from '../../src/cli/commands/server.ts';
import { createOutput } from '../../src/cli/output.ts';
import type { OpenDatabase } from '../../src/db/client.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { postgresDatabase } from '../../src/db/postgres-database.ts';
import { CliError } from '../../src/server/errors.ts';
import { eventually } from '../support/eventually.ts';
import {
  commandsBelow,
  embeddedDirectory,
  removeFoldersAfterwards,
  runWith,
  temporaryFolder,
} from './support.ts';

removeFoldersAfterwards();

const COMMANDS = await commandsBelow([]);

describe('help', () => {
  it.each(COMMANDS)('of %s teaches by example', async (command) => {
    const { code, stdout, stderr } = await runWith({}, [...command.split(' '), '--help']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toContain(`Usage: cardledger ${command}`);
    expect(stdout).toMatch(new RegExp(`^Examples:\n(  #.*\n)?  cardledger ${command}`, 'm'));
    expect(stdout).toContain('--json');
  });

  it('of the whole lists every group, the settings and the way to a token', async () => {
    const { code, stdout } = await runWith({}, ['--help']);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command.split(' ')[0]} `, 'm'));
    for (const word of ['DATABASE_URL', 'DATA_DIR', 'LOG_LEVEL', '/oauth2/token'])
      expect(stdout).toContain(word);
  });

  it('is shown on standard error where a command is missing', async () => {
    for (const args of [[], ['account'], ['import']]) {
      const { code, stdout, stderr } = await runWith({}, args);
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toContain('Usage: cardledger');
    }
  });

  it('has the version of the package', async () => {
    expect((await runWith({}, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('mistakes', () => {
  it.each([
    ['acount list', `unknown command 'acount' (Did you mean account?). See: cardledger --help`],
    ['client rotat x', `unknown command 'rotat' (Did you mean rotate?). See: cardledger client --help`],
    [
      'import catalog x',
      `unknown command 'catalog' (Did you mean catalogue?). See: cardledger import --help`,
    ],
    [
      'import fx --dryrun x',
      `unknown option '--dryrun' (Did you mean --dry-run?). See: cardledger import exchange-rates --help`,
    ],
    [
      'client list --jso',
      `unknown option '--jso' (Did you mean --json?). See: cardledger client list --help`,
    ],
    ['account create', `missing required argument 'name'. See: cardledger account create --help`],
    [
      'doctor now',
      `too many arguments for 'doctor'. Expected 0 arguments but got 1. See: cardledger doctor --help`,
    ],
  ])('%s', async (line, message) => {
    expect(await runWith({}, line.split(' '))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `cardledger: ${message}\n`,
    });
    const { code, stderr } = await runWith({}, ['--json', ...line.split(' ')]);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'InvalidUsage', message } });
  });
});

describe('failures', () => {
  function told(error: unknown, json: boolean): string {
    const chunks: string[] = [];
    const stream = new Writable({ write: (chunk, _, done) => done(void chunks.push(String(chunk))) });
    createOutput({ stdout: process.stdout, stderr: stream, now: () => new Date() }, json).failure(
      error,
      true,
    );
    return chunks.join('');
  }

  it('have a stack only where they are defects', () => {
    expect(told(new CliError('InvalidFile', 'The file\nis bad.'), false)).toBe(
      'cardledger: The file is bad.\n',
    );
    expect(told(new TypeError('oops'), false)).toMatch(/^cardledger: oops\nTypeError: oops\n +at /);
    expect(JSON.parse(told(new TypeError('oops'), true)).error).toEqual({
      code: 'Internal',
      message: 'oops',
      stack: expect.stringContaining('TypeError: oops'),
    });
  });
});

describe('a database that cannot be used', () => {
  const LIST = ['account', 'list'];

  it('is not made by a command that only uses it', async () => {
    const folder = await temporaryFolder();
    const { code, stderr } = await runWith({ DATA_DIR: folder }, LIST);
    expect(code).toBe(1);
    expect(stderr).toContain(`There is no database in ${folder}. Make one with "cardledger migrate"`);
    expect(await readdir(folder)).toEqual([]);
  });

  it('says who has the embedded one, and what to do', async () => {
    const folder = await embeddedDirectory({ migrated: false });
    const { close } = await openEmbedded(folder);
    try {
      const { code, stdout, stderr } = await runWith({ DATA_DIR: folder }, LIST);
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toMatch(
        new RegExp(`^cardledger: The data directory ${folder} is in use by process ${process.pid} on .*\n$`),
      );
      expect(stderr).toContain('stop the server while you use this command, or run both on a PostgreSQL');
      const asJson = await runWith({ DATA_DIR: folder }, [...LIST, '--json']);
      expect(JSON.parse(asJson.stderr).error).toMatchObject({ code: 'DataDirectory' });
    } finally {
      await close();
    }
    const behind = await runWith({ DATA_DIR: folder }, LIST);
    expect(behind.stderr).toMatch(
      /lacks \d+ migrations of this version\. Run "cardledger migrate" first\.\n$/,
    );
    const migrated = await runWith({ DATA_DIR: folder }, ['migrate']);
    expect(migrated.stdout).toMatch(/^Applied \d+ migrations\.\n$/);
    expect((await runWith({ DATA_DIR: folder }, LIST)).code).toBe(0);
    expect(await readdir(join(folder, 'embedded'))).toContain('PG_VERSION');
  });

  it('says which PostgreSQL does not answer, without the password', async () => {
    const settings = { DATABASE_URL: 'postgres://shop:hush-hush@127.0.0.1:1/ledger' };
    const { code, stderr } = await runWith(settings, LIST);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^cardledger: The PostgreSQL at 127\.0\.0\.1:1\/ledger does not answer \(.*ECONNREFUSED.*\)\. Check .*\n$/,
    );
    expect(stderr).not.toContain('hush');
    const doctor = await runWith(settings, ['doctor', '--json']);
    expect(doctor.code).toBe(1);
    expect(doctor.json.checks.at(-1)).toMatchObject({ name: 'database', ok: false });
    expect(doctor.stdout).not.toContain('hush');
  });

  it('names the settings that are wrong', async () => {
    const { stderr } = await runWith({ DATABASE_URL: 'mysql://x', LOG_LEVEL: 'debug' }, [...LIST, '--json']);
    expect(JSON.parse(stderr).error).toEqual({
      code: 'InvalidConfiguration',
      message: expect.stringContaining('DATABASE_URL must be an address such as postgres://'),
    });
    expect((await runWith({ LOG_LEVEL: 'warning' }, LIST)).stderr).toMatch(
      /LOG_LEVEL must be one of fatal, .*silent \(Did you mean warn\?\)\.\n$/,
    );
  });
});

describe('a setting whose name is misspelt', () => {
  const told = async (settings: NodeJS.ProcessEnv) => {
    const folder = await temporaryFolder();
    return (await runWith({ DATA_DIR: folder, ...settings }, ['account', 'list'])).stderr
      .split('\n')
      .slice(0, -2);
  };

  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['RATE_LIMIT_PER_MINUTES', 'RATE_LIMIT_PER_MINUTE'],
  ])('%s is told of', async (given, meant) => {
    expect(await told({ [given]: 'x' })).toEqual([
      `${given} is set, and is no setting. Did you mean ${meant}?`,
    ]);
  });

  it.each([
    { PORTS: '1', HOME: '/', HOSTNAME: 'x', DATA: 'x', LOG: 'x', OTEL_TRACES_SAMPLER: 'x', NODE_ENV: 'x' },
    { LOG_LEVEL: 'info', LOG_LEVELS: 'x' },
  ])('is none in %j', async (settings) => {
    expect(await told(settings)).toEqual([]);
  });

  it('is in the report of doctor', async () => {
    const settings = { DATA_DIR: await temporaryFolder(), WORKER: '2' };
    const { json } = await runWith(settings, ['doctor', '--json']);
    expect(json.warnings).toEqual(['WORKER is set, and is no setting. Did you mean WORKERS?']);
    expect(json.checks[1]).toMatchObject({ name: 'configuration', ok: true });
  });
});

it('migrate says what waits, until when, and what to do', () => {
  const waiting = [{ name: '0012_drop', from: '2026-05-01T10:00:00Z' }];
  expect(migrationReport({ applied: 2, waiting }).split('\n')).toEqual([
    'Applied 2 migrations.',
    '0012_drop waits for nodes of the version before to be replaced: it is applied by a start after ' +
      '2026-05-01T10:00:00Z, or now by "cardledger migrate --contract".',
  ]);
});

describe.skipIf(!inject('postgresUrl'))('on PostgreSQL', () => {
  const admin = async <T>(work: (db: OpenDatabase) => Promise<T>): Promise<T> => {
    const db = postgresDatabase(inject('postgresUrl')!);
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  };
  const settingsFor = (database: string) => {
    const url = new URL(inject('postgresUrl')!);
    url.pathname = `/${database}`;
    return { DATABASE_URL: url.href };
  };

  it('migrates an empty database, once', async () => {
    const name = `cli_empty_${process.pid}`;
    await admin((db) => db.query(`create database ${name}`));
    const settings = settingsFor(name);
    expect((await runWith(settings, ['account', 'list'])).stderr).toMatch(/Run "cardledger migrate" first/);
    const first = await runWith(settings, ['migrate', '--json']);
    expect(first.json.applied).toBeGreaterThan(0);
    const second = await runWith(settings, ['migrate']);
    expect(second).toMatchObject({ code: 0, stdout: 'The database is up to date.\n', stderr: '' });
    const contracted = await runWith(settings, ['migrate', '--contract', '--json']);
    expect(contracted.json).toEqual({ applied: 0, waiting: [] });
    const listed = await runWith(settings, ['account', 'list']);
    expect(listed).toMatchObject({ code: 0, stdout: '' });
    expect(listed.stderr).toContain('There are no accounts. Make one');
    // The owner may not end what keeps the database of PostgreSQL's own, such as its vacuum, which soon ends by itself.
    await eventually(() => admin((db) => db.query(`drop database ${name} with (force)`)));
  });

  it('says that a database does not exist', async () => {
    const { code, stderr } = await runWith(settingsFor('no_such_database'), ['account', 'list']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/refuses the connection \(database "no_such_database" does not exist\)\. Check/);
  });
});
