import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import ClosingReporter from '../support/closing-reporter.ts';

it('the lines that close a build name what failed, whatever was thrown, and count it in the last', async () => {
  const file = join(tmpdir(), `closing-lines-${randomUUID()}`);
  vi.stubEnv('CLOSING_LINES', file);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(file, { force: true });
  });
  const result = (state: string, ...errors: object[]) => ({
    fullName: state,
    result: () => ({ state, errors }),
  });
  const module = {
    relativeModuleId: 'a.test.ts',
    diagnostic: () => ({ duration: 2000 }),
    errors: () => [{ name: 'TypeError', message: 'of a hook\nand more' }],
    children: {
      allSuites: () => [],
      allTests: () => [result('passed'), result('failed', { message: 'no' }, { code: 7 }), result('skipped')],
    },
  } as unknown as TestModule;
  new ClosingReporter().onTestRunEnd([module], [{ message: 'late' }]);
  expect((await readFile(file, 'utf8')).split('\n')).toEqual([
    'a.test.ts: TypeError: of a hook',
    'a.test.ts: failed: Error: no; Error: {"code":7}',
    'outside of tests: Error: late',
    'took longest: a.test.ts 2 s',
    '1 passed, 3 failed',
    '',
  ]);
});
