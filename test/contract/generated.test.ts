import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { contracts, openApiTypes } from '../../scripts/contracts.ts';
import * as tables from '../../src/db/tables/index.ts';
import { projectPath } from '../../src/paths.ts';

const ADVICE = 'run `npm run generate` and commit what it writes';

describe('what is generated from the code', () => {
  for (const [file, text] of Object.entries(contracts())) {
    it(`${file} is up to date`, () => {
      expect(readFileSync(projectPath(file), 'utf8') === text, ADVICE).toBe(true);
    });
  }

  it('packages/client/src/openapi.ts is up to date', () => {
    const types = readFileSync(projectPath('packages/client/src/openapi.ts'), 'utf8');
    expect(types === openApiTypes(), ADVICE).toBe(true);
  });

  it('the migrations make the tables of the code', async () => {
    // Its ES module build lacks parts that the CommonJS one has.
    const { generateDrizzleJson, generateMigration } = createRequire(import.meta.url)('drizzle-kit/api');
    const journal = JSON.parse(readFileSync(projectPath('migrations/meta/_journal.json'), 'utf8'));
    const last = String(journal.entries.at(-1).idx).padStart(4, '0');
    const before = JSON.parse(readFileSync(projectPath(`migrations/meta/${last}_snapshot.json`), 'utf8'));
    const statements = await generateMigration(before, generateDrizzleJson({ ...tables }, before.id));
    expect(statements, 'run `npx drizzle-kit generate` and commit the migration').toEqual([]);
  });
});
