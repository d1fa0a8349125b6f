import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/client.ts';
import { SERVER_CLOCK, SERVER_VERSION } from '../../db/queries/server.ts';
import { projectPath } from '../../paths.ts';
import { messageOf } from '../../server/errors.ts';
import type { Diagnosis, Difference } from '../../services/doctor.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../help.ts';
import { counted, table } from '../output.ts';

export function addDoctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .summary('check versions, configuration, database, clock and every derived value')
    .description(
      'Check versions, configuration, database and clock, and compare every sum and derived value with the ledger, ' +
        'the prices and the pull rates. Exit code 0: all is well, or repaired.',
    )
    .option('--fix', 'repair the values that differ')
    .addHelpText('after', examples('doctor', ['doctor --fix', 'repair'], 'doctor --json'))
    .action(({ fix }: { fix?: boolean }) => examine(cli, fix ?? false));
}

interface Check {
  name: 'node' | 'configuration' | 'database' | 'schema' | 'placement' | 'replica' | 'clock' | 'ledger';
  ok: boolean;
  detail: string;
}

const HEALTHY: Diagnosis = { differences: [], fixed: false };
/** More are given by `--json`. */
const DIFFERENCES_SHOWN = 20;

async function examine(cli: Cli, fix: boolean): Promise<void> {
  const checks: Check[] = [nodeCheck()];
  const { misspeltSettings } = await import('../../config.ts');
  const warnings = misspeltSettings(cli.io.environment);
  const diagnosis = await examineService(cli, fix, { checks, warnings });
  const ok = checks.every((check) => check.ok);
  cli.exitCode = ok ? 0 : 1;
  cli.output.result({ ok, warnings, checks, ...diagnosis }, report(checks, diagnosis.differences));
  if (diagnosis.differences.length > 0 && !diagnosis.fixed)
    cli.output.note('To repair: cardledger doctor --fix');
}

interface Findings {
  checks: Check[];
  /** What is not wrong, but to be known. */
  warnings: string[];
}

/** Adds to the findings as far as the examination comes. */
async function examineService(cli: Cli, fix: boolean, findings: Findings): Promise<Diagnosis> {
  const { checks } = findings;
  const { databaseName, withConnection } = await import('../database.ts');
  let config: Config;
  try {
    config = await cli.config();
  } catch (error) {
    checks.push({ name: 'configuration', ok: false, detail: messageOf(error) });
    return HEALTHY;
  }
  checks.push({ name: 'configuration', ok: true, detail: databaseName(config) });
  try {
    const options = { create: false, onProgress: cli.output.note };
    return await withConnection(config, options, (db) => examineDatabase(cli, config, db, { fix, findings }));
  } catch (error) {
    checks.push({ name: 'database', ok: false, detail: messageOf(error) });
    return HEALTHY;
  }
}

async function examineDatabase(
  cli: Cli,
  config: Config,
  db: Database,
  { fix, findings: { checks, warnings } }: { fix: boolean; findings: Findings },
): Promise<Diagnosis> {
  const warn = (warning: string) => {
    warnings.push(warning);
    cli.output.note(warning);
  };
  checks.push(await versionCheck(db));
  checks.push(await clockCheck(db, cli.io.now));
  checks.push(...(await replicaChecks(db, config)));
  const { migrationAdvice } = await import('../database.ts');
  const { missingMigrations } = await import('../../db/migrate.ts');
  const missing = await missingMigrations(db);
  const schemaDetail = missing === 0 ? 'the version of this program' : migrationAdvice(missing);
  checks.push({ name: 'schema', ok: missing === 0, detail: schemaDetail });
  if (missing !== 0) return HEALTHY;
  const placements = await placementChecks(db);
  checks.push(...placements);
  if (!placements.every(({ ok }) => ok)) {
    cli.output.note('The ledger was not looked at: put the placement right first.');
    return HEALTHY;
  }
  const { placementWarnings } = await import('../../db/placement-problems.ts');
  for (const warning of await placementWarnings(db)) warn(warning);
  const { diagnose } = await import('../../services/doctor.ts');
  const diagnosis = await diagnose(db, { fix });
  checks.push(ledgerCheck(diagnosis));
  const { marketWarnings } = await import('../../services/market/state.ts');
  const { dateOf } = await import('../../domain/dates.ts');
  for (const { fact, advice } of await marketWarnings(db, dateOf(cli.io.now()))) warn(`${fact}: ${advice}`);
  return diagnosis;
}

function nodeCheck(): Check {
  const { engines } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8'));
  const needed: string = engines.node.replace('>=', '');
  const ok = needed.localeCompare(process.versions.node, 'en', { numeric: true }) <= 0;
  const detail = `${process.versions.node}${ok ? '' : `, and ${needed} or later is needed: install a newer Node`}`;
  return { name: 'node', ok, detail };
}

const OLDEST_POSTGRES = 15;

async function versionCheck(db: Database): Promise<Check> {
  const [row] = await db.query<{ version: string }>(SERVER_VERSION);
  const ok = Number.parseInt(row!.version, 10) >= OLDEST_POSTGRES;
  const engine = db.kind === 'pglite' ? 'PGlite, PostgreSQL' : 'PostgreSQL';
  const advice = ok ? '' : `, and ${OLDEST_POSTGRES} or later is needed: upgrade it`;
  return { name: 'database', ok, detail: `${engine} ${row!.version}${advice}` };
}

/** Nodes may differ by 60 s from each other, so each by half of that from the database. */
const CLOCK_TOLERANCE_SECONDS = 30;

async function clockCheck(db: Database, now: () => Date): Promise<Check> {
  const before = now().getTime();
  const [row] = await db.query<{ millis: string }>(SERVER_CLOCK);
  const ours = (before + now().getTime()) / 2;
  const seconds = Math.abs(Number(row!.millis) - ours) / 1000;
  const ok = seconds <= CLOCK_TOLERANCE_SECONDS;
  const advice = ok ? '' : `, more than ${CLOCK_TOLERANCE_SECONDS} s: set the clocks by NTP`;
  return { name: 'clock', ok, detail: `${seconds.toFixed(1)} s from the database's${advice}` };
}

async function replicaChecks(db: Database, config: Config): Promise<Check[]> {
  const { databaseUrl, databaseReplicaUrls } = config;
  if (databaseUrl === null || databaseReplicaUrls === null) return [];
  const { examineReplicas } = await import('../../db/examine-replicas.ts');
  try {
    const findings = await examineReplicas(db, databaseUrl, databaseReplicaUrls);
    return findings.map((finding) => ({ name: 'replica', ...finding }));
  } catch (error) {
    // The rest can be looked at all the same.
    return [
      {
        name: 'replica',
        ok: false,
        detail: `the primary does not say what replicas need: ${messageOf(error)}`,
      },
    ];
  }
}

/** One for each problem; none where the database is no Citus. */
async function placementChecks(db: Database): Promise<Check[]> {
  const { placementProblems } = await import('../../db/placement-problems.ts');
  const problems = await placementProblems(db);
  if (problems?.length === 0)
    return [{ name: 'placement', ok: true, detail: 'every table is on the nodes where it belongs' }];
  return (problems ?? []).map((detail) => ({ name: 'placement', ok: false, detail }));
}

function ledgerCheck({ differences, fixed }: Diagnosis): Check {
  if (differences.length === 0) return { name: 'ledger', ok: true, detail: 'every derived value is right' };
  const found = counted(differences.length, 'difference');
  return { name: 'ledger', ok: fixed, detail: fixed ? `${found}, repaired` : found };
}

function report(checks: Check[], differences: Difference[]): string {
  const lines = checks.map(({ name, ok, detail }) => [ok ? 'ok' : 'WRONG', name, detail]);
  const shown = differences
    .slice(0, DIFFERENCES_SHOWN)
    .map(({ kind, id, field, stored, expected }) => [kind, id, field, stored ?? '-', expected ?? '-']);
  const parts = [
    table(['', 'check', 'found'], lines),
    table(['value', 'of', 'field', 'stored', 'expected'], shown, ['stored', 'expected']),
  ];
  if (differences.length > shown.length) {
    parts.push(`and ${differences.length - shown.length} more: cardledger doctor --json gives all`);
  }
  return parts.filter((part) => part !== '').join('\n\n');
}
