import { writeFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 40;

/** Anything can be thrown, and what has no message is told whole. */
const firstLine = (error: { name?: string; message?: string }) =>
  `${error.name ?? 'Error'}: ${(error.message ?? JSON.stringify(error)).split('\n')[0]}`;

function slowest(modules: readonly TestModule[]): string {
  return modules
    .map((module) => ({ file: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SHOWN)
    .map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`)
    .join(', ');
}

/**
 * Writes what a run came to into the file `CLOSING_LINES`, for `.ci/run` to print last: a long log is read from its end. The
 * failed tests by name, what went wrong outside of tests with its stack, the files that took longest, and how many passed and
 * failed.
 */
export default class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const lines: string[] = [];
    const counts = { passed: 0, failed: 0, pending: 0, skipped: 0 };
    for (const module of modules) {
      const suites = [module, ...module.children.allSuites()];
      const outside = suites.flatMap((suite) => suite.errors());
      for (const error of outside) lines.push(`${module.relativeModuleId}: ${firstLine(error)}`);
      counts.failed += outside.length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        counts[result.state]++;
        if (result.state !== 'failed') continue;
        const reasons = result.errors.map(firstLine).join('; ');
        lines.push(`${module.relativeModuleId}: ${test.fullName}: ${reasons}`);
      }
    }
    for (const error of unhandled) lines.push(`outside of tests: ${error.stack ?? firstLine(error)}`);
    counts.failed += unhandled.length;
    lines.push(`took longest: ${slowest(modules)}`, `${counts.passed} passed, ${counts.failed} failed`);
    writeFileSync(process.env.CLOSING_LINES!, `${lines.join('\n')}\n`);
  }
}
