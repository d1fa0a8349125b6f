import { readFileSync } from 'node:fs';
import { projectPath } from './paths.ts';

export function packageVersion(): string {
  return JSON.parse(readFileSync(projectPath('package.json'), 'utf8')).version;
}
