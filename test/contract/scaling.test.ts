import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { needsTable, unitsIn, unitsTable } from '../bench/capacity-model.ts';

it('docs/scaling.md says what follows from its own units', () => {
  const document = readFileSync(projectPath('docs/scaling.md'), 'utf8');
  const units = unitsIn(document);
  expect(document).toContain(unitsTable(units).join('\n'));
  expect(document).toContain(needsTable(units).join('\n'));
});
