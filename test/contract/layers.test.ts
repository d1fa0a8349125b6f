import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

const DRIVERS = ['drizzle-orm', 'drizzle-orm/pg-core', 'postgres', '@electric-sql/pglite'];
const GRAPHQL = ['graphql', 'graphql/utilities/index.js', 'graphql-yoga', '@pothos/core'];
const HTTP = ['hono', 'hono/cors', '@hono/zod-openapi'];

interface Planted {
  /** Below src. */
  file: string;
  refused: string[];
  allowed: string[];
}

const IMPORTS: Planted[] = [
  {
    file: 'lib/planted.ts',
    refused: ['../domain/errors.ts', '../db/client.ts', '../http/text.ts', '../config.ts'],
    allowed: ['./lists.ts', 'node:timers/promises'],
  },
  {
    file: 'domain/planted.ts',
    refused: ['../db/client.ts', '../services/context.ts', '../config.ts', 'hono', 'node:fs', 'drizzle-orm'],
    allowed: ['./money.ts', './search/parse.ts', '../lib/parts.ts', 'zod', 'decimal.js', 'node:crypto'],
  },
  {
    file: 'domain/search/planted.ts',
    refused: ['../../db/client.ts', '../../config.ts', 'graphql', 'node:fs'],
    allowed: ['./lexer.ts', '../errors.ts', '../../lib/parts.ts', 'zod'],
  },
  {
    file: 'db/planted.ts',
    refused: [
      '../services/context.ts',
      '../memory/memory.ts',
      '../auth/tokens.ts',
      '../config.ts',
      './open.ts',
      ...GRAPHQL,
      ...HTTP,
    ],
    allowed: ['./client.ts', './tables/tenant.ts', '../domain/money.ts', '../lib/lists.ts', ...DRIVERS],
  },
  {
    file: 'db/queries/planted.ts',
    refused: ['../../services/context.ts', '../open.ts', '../../importers/csv.ts', ...GRAPHQL, ...HTTP],
    allowed: ['./list.ts', '../client.ts', '../../domain/money.ts', '../../lib/lists.ts'],
  },
  {
    file: 'services/collections/planted.ts',
    refused: [
      ...['../../graphql/schema.ts', '../../rest/route.ts', '../../auth/tokens.ts', '../../app.ts'],
      ...[
        '../../main.ts',
        '../../server/server.ts',
        '../../cli/main.ts',
        '../../db/open.ts',
        ...GRAPHQL,
        ...HTTP,
      ],
    ],
    allowed: [
      ...['./create.ts', '../context.ts', '../../memory/memory.ts', '../../db/client.ts'],
      '../../domain/money.ts',
    ],
  },
  {
    file: 'memory/planted.ts',
    refused: [
      ...['../services/context.ts', '../graphql/schema.ts', '../rest/route.ts', '../auth/tokens.ts'],
      ...[
        '../importers/csv.ts',
        '../config.ts',
        '../app.ts',
        '../main.ts',
        '../server/server.ts',
        '../cli/main.ts',
      ],
      ...['../db/open.ts', ...GRAPHQL, ...HTTP],
    ],
    allowed: ['./catalogue.ts', '../db/client.ts', '../db/queries/list.ts', '../domain/money.ts'],
  },
  {
    file: 'graphql/execute/planted.ts',
    refused: ['../context.ts', '../../domain/money.ts', '../../services/context.ts', 'graphql-yoga', 'hono'],
    allowed: ['./run.ts', 'graphql', 'graphql/jsutils/inspect.js'],
  },
  {
    file: 'auth/planted.ts',
    refused: [
      ...['../services/collections/create.ts', '../graphql/schema.ts', '../rest/route.ts', '../config.ts'],
      ...[
        '../importers/csv.ts',
        '../app.ts',
        '../server/server.ts',
        '../cli/main.ts',
        '../db/open.ts',
        ...GRAPHQL,
        ...HTTP,
      ],
      '../memory/memory.ts',
    ],
    allowed: ['./tokens.ts', '../services/context.ts', '../db/client.ts', '../domain/errors.ts', 'jose'],
  },
  {
    file: 'importers/planted.ts',
    refused: [
      ...['../services/context.ts', '../auth/tokens.ts', '../graphql/schema.ts', '../rest/route.ts'],
      ...[
        '../config.ts',
        '../app.ts',
        '../server/server.ts',
        '../cli/main.ts',
        '../db/open.ts',
        ...GRAPHQL,
        ...HTTP,
      ],
      '../memory/memory.ts',
    ],
    allowed: ['./csv.ts', '../db/client.ts', '../domain/money.ts', 'csv-parse'],
  },
  {
    file: 'observability/planted.ts',
    refused: [
      ...['../services/collections/create.ts', '../graphql/schema.ts', '../rest/route.ts', '../config.ts'],
      ...[
        '../auth/tokens.ts',
        '../app.ts',
        '../server/server.ts',
        '../cli/main.ts',
        '../db/open.ts',
        ...GRAPHQL,
      ],
      '../memory/memory.ts',
    ],
    allowed: [
      './metrics.ts',
      '../services/context.ts',
      '../db/client.ts',
      '../domain/errors.ts',
      'hono',
      'pino',
    ],
  },
  {
    file: 'graphql/types/planted.ts',
    refused: [
      ...['../../db/client.ts', '../../db/queries/list.ts', '../../rest/route.ts', '../../importers/csv.ts'],
      ...['../../app.ts', '../../main.ts', '../../server/server.ts', '../../cli/main.ts', ...DRIVERS],
    ],
    allowed: [
      '../builder.ts',
      '../../services/context.ts',
      '../../memory/memory.ts',
      '../../auth/caller.ts',
      '../../domain/ids.ts',
      ...GRAPHQL,
    ],
  },
  {
    file: 'rest/routes/planted.ts',
    refused: [
      ...[
        '../../db/client.ts',
        '../../db/queries/list.ts',
        '../../graphql/schema.ts',
        '../../importers/csv.ts',
      ],
      ...['../../app.ts', '../../main.ts', '../../server/server.ts', '../../cli/main.ts', ...DRIVERS],
    ],
    allowed: [
      '../route.ts',
      '../../services/context.ts',
      '../../memory/memory.ts',
      '../../auth/caller.ts',
      '../../domain/ids.ts',
      ...HTTP,
    ],
  },
  {
    file: 'mcp/planted.ts',
    refused: [
      ...['../db/client.ts', '../graphql/schema.ts', '../rest/route.ts', '../memory/memory.ts'],
      ...['../services/transactions/create.ts', '../config.ts', '../app.ts'],
    ],
    allowed: [
      ...['./tools.ts', '../graphql/server.ts', '../graphql/examples.ts', '../http/json-body.ts'],
      ...['../domain/inputs.ts', '../services/context.ts', 'graphql', 'hono'],
      '@modelcontextprotocol/server',
    ],
  },
  {
    file: 'http/planted.ts',
    refused: [
      ...['../db/client.ts', '../graphql/schema.ts', '../rest/route.ts', '../memory/memory.ts'],
      ...[
        '../services/idempotency.ts',
        '../config.ts',
        '../app.ts',
        '../main.ts',
        '../server/server.ts',
        '../cli/main.ts',
      ],
    ],
    allowed: [
      './text.ts',
      '../lib/lists.ts',
      '../auth/caller.ts',
      '../domain/errors.ts',
      '../services/context.ts',
      ...HTTP,
    ],
  },
  {
    file: 'app.ts',
    refused: ['./main.ts', './server/server.ts', './cli/main.ts', './db/open.ts'],
    allowed: [
      './graphql/schema.ts',
      './rest/routes.ts',
      './services/context.ts',
      './config.ts',
      './db/client.ts',
    ],
  },
  {
    file: 'planted.ts',
    refused: ['./main.ts', './app.ts', './server/server.ts', './cli/main.ts', './db/open.ts'],
    allowed: ['zod'],
  },
  {
    file: 'main.ts',
    refused: [],
    allowed: ['./app.ts', './db/open.ts', './config.ts', './server/server.ts', './cli/main.ts'],
  },
  {
    file: 'server/planted.ts',
    refused: ['../cli/database.ts', '../main.ts'],
    allowed: ['./log.ts', '../app.ts', '../db/open.ts', '../services/context.ts'],
  },
  {
    file: 'cli/planted.ts',
    refused: [],
    allowed: ['../server/server.ts', '../app.ts', '../db/open.ts', '../importers/csv.ts'],
  },
];

interface Diagnostic {
  code?: { value: string };
  location: { path: string; range: { start: { line: number } } };
}

/** Lints these files, by path below src, in a copy with our configuration: the rules broken, as `file:line rule`. */
function lint(sources: Record<string, string[]>): string[] {
  const copy = mkdtempSync(join(tmpdir(), 'cardledger-layers-'));
  try {
    for (const file of ['biome.json', '.gitignore', 'scripts/import-types.grit']) {
      cpSync(join(ROOT, file), join(copy, file));
    }
    for (const [file, lines] of Object.entries(sources)) {
      mkdirSync(dirname(join(copy, 'src', file)), { recursive: true });
      writeFileSync(join(copy, 'src', file), `${lines.join('\n')}\n`);
    }
    const command = [BIOME, 'lint', '--reporter=rdjson', '--max-diagnostics=none', '.'];
    const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: copy, encoding: 'utf8' });
    if (!stdout.startsWith('{')) throw new Error(`Biome did not run: ${stderr}`);
    return (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics.map(
      ({ code, location }) => `${location.path}:${location.range.start.line} ${code?.value ?? 'plugin'}`,
    );
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

describe('the rule of layers', () => {
  it('refuses each import against the direction, and no other', () => {
    const sources: Record<string, string[]> = {};
    const expected: string[] = [];
    for (const { file, refused, allowed } of IMPORTS) {
      sources[file] = [...refused, ...allowed].map((target) => `export * from '${target}';`);
      expected.push(...refused.map((_, i) => `src/${file}:${i + 1} lint/style/noRestrictedImports`));
    }
    // Of what is planted, app and main import each other.
    const found = lint(sources).filter((broken) => !broken.endsWith('noImportCycles'));
    expect(found.sort()).toEqual(expected.sort());
  });

  it('sees every way to import', () => {
    const ways = [
      `import { row } from '../db/client.ts';`,
      `import type { Row } from '../db/client.ts';`,
      `export { open } from '../db/client.ts';`,
      `export const load = (): Promise<unknown> => import('../db/client.ts');`,
      `export type Row2 = import('../db/client.ts').Row;`,
      'export const used: Row = row;',
    ];
    const rule = 'lint/style/noRestrictedImports';
    expect(lint({ 'graphql/planted.ts': ways }).sort()).toEqual([
      ...[1, 2, 3, 4].map((line) => `src/graphql/planted.ts:${line} ${rule}`),
      'src/graphql/planted.ts:5 plugin',
    ]);
  });

  it('refuses imports in a circle, those of types too', () => {
    const sources = {
      'domain/planted.ts': [`import type { Last } from './last.ts';`, 'export type First = Last | null;'],
      'domain/last.ts': [`import type { First } from './planted.ts';`, 'export type Last = First | string;'],
    };
    const rule = 'lint/suspicious/noImportCycles';
    expect(lint(sources).sort()).toEqual([`src/domain/last.ts:1 ${rule}`, `src/domain/planted.ts:1 ${rule}`]);
  });

  it('lets only main, server, cli and tests open a database', () => {
    const open = [`export { pgliteDatabase, postgresDatabase } from '../db/client.ts';`];
    const refused = ['services/planted.ts', 'auth/planted.ts', 'importers/planted.ts'];
    const allowed = ['server/planted.ts', 'cli/planted.ts', '../test/planted.ts'];
    const found = lint(Object.fromEntries([...refused, ...allowed].map((file) => [file, open])));
    expect([...new Set(found)].sort()).toEqual(
      refused.map((file) => `src/${file}:1 lint/style/noRestrictedImports`).sort(),
    );
  });

  it('lets only config.ts read the environment', () => {
    const reads = ['export const port = process.env.PORT;'];
    const named = [`import { env } from 'node:process';`, 'export const port = env.PORT;'];
    expect(lint({ 'main.ts': reads, 'services/planted.ts': named, 'config.ts': reads }).sort()).toEqual([
      'src/main.ts:1 lint/style/noProcessEnv',
      'src/services/planted.ts:2 lint/style/noProcessEnv',
    ]);
  });
});

/** What only SQL has; a line of a comment is none. */
const SQL =
  /\bselect (\S.* from\b|\w+\()|\b(insert into|delete from|update \w+ set|set transaction|set local) |= \$\d|::(jsonb|text|numeric|integer|bigint|boolean|date|timestamptz)\b|\b(jsonb_\w+|coalesce)\(/i;
const COMMENT = /^\s*(\*|\/\*|\/\/)/;

/** The lines of our sources, but those of comments, for which it holds, as `file:line`. */
function linesWhere(holds: (file: string, line: string) => boolean): string[] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      readFileSync(join(ROOT, 'src', file), 'utf8')
        .split('\n')
        .flatMap((line, i) => (!COMMENT.test(line) && holds(file, line) ? [`src/${file}:${i + 1}`] : [])),
    );
}

describe('SQL', () => {
  it.each([
    "await tx.query('set transaction isolation level repeatable read, read only');",
    'const NOW = `select current_setting($1)`;',
    "where: 'p.account_id = $1',",
    "'delete from price_alert'",
    "'insert into collection (id) '",
    "'update account set name = '",
    'return `h.variant_id in (select jsonb_array_elements_text($2))`;',
    'return `h.quantity = $2::numeric`;',
    "const text = 'select id from variant';",
  ])('is known by its text: %s', (line) => {
    expect(SQL.test(line)).toBe(true);
  });

  it('stands in src/db alone', () => {
    expect(linesWhere((file, line) => !file.startsWith('db/') && SQL.test(line))).toEqual([]);
  });

  it("is written as text: only the tables, and what migrates to them, are drizzle's", () => {
    const uses = linesWhere((_, line) => /(from|import\() ?'drizzle-orm/.test(line));
    const files = [...new Set(uses.map((place) => place.replace(/:\d+$/, '')))];
    expect(files.filter((file) => !/^src\/db\/(tables\/|migrate\.ts$)/.test(file))).toEqual([]);
    expect(files).toContain('src/db/migrate.ts');
  });
});
