import { spawnSync } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { checkOutLastVersion, hasLastVersion } from '../support/last-version.ts';

/**
 * The last version's own tests on the tables of this one, on which its nodes run while they are replaced. Where one fails, a
 * migration takes away or changes what they need: it has to leave it, or be a contraction (CONTRIBUTING.md).
 */

const HOUR = 3_600_000;
/** Those of PostgreSQL were more; without this a filter that matches nothing would pass. */
const FEWEST_TESTS = 500;
/** What fails whatever its tables are, and why. */
const KNOWN_TO_FAIL: Record<string, string> = {
  'expected values in memory (postgres) after a change by a repair of another node are the new ones within a second':
    'its doctor makes expected values for seconds in one transaction, which a busy machine breaks off',
};

it.skipIf(!inject('postgresUrl') || !hasLastVersion())(
  'the last version’s tests of its routes and services pass on the tables of this version',
  async () => {
    const folder = checkOutLastVersion();
    onTestFinished(() => rm(folder, { recursive: true }));
    await giveNewTables(join(folder, 'migrations'));
    const { passed, failed } = await runTests(folder, ['test/http', 'test/services']);
    const unknown = failed.filter(({ test }) => !(test in KNOWN_TO_FAIL));
    // Its statements have time limits, which a busy machine breaks once.
    const files = [...new Set(unknown.map(({ file }) => file))];
    const again = files.length > 0 ? (await runTests(folder, files)).failed : [];
    expect(again.filter(({ test }) => !(test in KNOWN_TO_FAIL))).toEqual([]);
    expect(passed).toBeGreaterThan(FEWEST_TESTS);
  },
  HOUR,
);

/** In place of its own migrations those of this version, without contractions, which wait until its nodes are replaced. */
async function giveNewTables(migrations: string): Promise<void> {
  await rm(migrations, { recursive: true });
  await cp(projectPath('migrations'), migrations, { recursive: true });
  const file = join(migrations, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(file, 'utf8')) as { entries: { tag: string }[] };
  const texts = await Promise.all(
    journal.entries.map(({ tag }) => readFile(join(migrations, `${tag}.sql`), 'utf8')),
  );
  const entries = journal.entries.filter((_, i) => !texts[i]!.startsWith('-- contract\n'));
  await writeFile(file, JSON.stringify({ ...journal, entries }));
}

/** As far as they are on PostgreSQL. */
async function runTests(folder: string, paths: string[]) {
  const report = join(folder, 'report.json');
  const { PATH, HOME, PG_BIN } = process.env;
  const filter = ['-t', '\\(postgres\\)'];
  const patience = ['--testTimeout=300000', '--hookTimeout=300000'];
  const vitest = [projectPath('node_modules/vitest/vitest.mjs'), 'run', ...paths, ...filter, ...patience];
  const { stderr } = spawnSync(process.execPath, [...vitest, '--reporter=json', `--outputFile=${report}`], {
    cwd: folder,
    env: { PATH, HOME, ...(PG_BIN && { PG_BIN }) },
    encoding: 'utf8',
  });
  const text = await readFile(report, 'utf8').catch(() => expect.fail(stderr));
  await rm(report);
  const { numPassedTests, testResults } = JSON.parse(text) as Report;
  return { passed: numPassedTests, failed: testResults.flatMap(failuresIn) };
}

interface Report {
  numPassedTests: number;
  testResults: FileReport[];
}

interface FileReport {
  name: string;
  status: string;
  message: string;
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
}

function failuresIn({ name: file, status, message, assertionResults }: FileReport) {
  const tests = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && tests.length === 0) return [{ file, test: '', why: message }];
  return tests.map(({ fullName, failureMessages }) => ({ file, test: fullName, why: failureMessages[0] }));
}
