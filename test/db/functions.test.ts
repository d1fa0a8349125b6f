import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { describeOnDatabases } from '../harness.ts';

/** What the last version's statements call, and this one's do not (CONTRIBUTING.md, "Add a migration"). */
const LEFT_FOR_THE_LAST_VERSION = ['latest_exchange_rate', 'market_value'];
/** What migrations alone call. */
const OF_MIGRATIONS = ['raise_tenant_wall'];

const FUNCTIONS = `
  select p.proname as name, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body from pg_proc p
  where p.pronamespace = current_schema()::regnamespace
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  order by p.proname collate "C"`;

describeOnDatabases('the functions of the database', (database) => {
  it('are those that this version calls, or the last one', async () => {
    const files = readdirSync(projectPath('src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const sources = files.map((file) => readFileSync(projectPath(`src/${file}`), 'utf8')).join('\n');
    const functions = await database().query<{ name: string; body: string }>(FUNCTIONS);
    const uncalled = functions
      .map(({ name }) => name)
      .filter((name) => {
        const others = functions.filter((other) => other.name !== name).map(({ body }) => body);
        return ![sources, ...others].some((text) => new RegExp(`\\b${name}\\(`).test(text));
      });
    expect(uncalled).toEqual([...LEFT_FOR_THE_LAST_VERSION, ...OF_MIGRATIONS].sort());
  });
});
