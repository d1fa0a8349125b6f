import { accessSync, constants, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectPath } from '../../src/paths.ts';
import { readDocument } from '../support/readme-blocks.ts';

describe('the workflow of the code host', () => {
  const { jobs } = parse(readDocument('.github/workflows/ci.yml'));
  const { container, steps } = jobs.test;

  it('runs what the build machine runs', () => {
    expect(steps.map(({ run }: { run?: string }) => run)).toContain('.ci/run');
    accessSync(projectPath('.ci/run'), constants.X_OK);
  });

  it('runs it on Debian, with the oldest Node that is supported', () => {
    const { engines } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8'));
    const [oldest] = /\d+/.exec(engines.node)!;
    expect(container.image).toBe(`node:${oldest}-bookworm`);
  });
});
