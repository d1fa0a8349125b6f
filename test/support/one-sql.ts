import { REFERENCE_TABLES, TENANT_TABLES } from '../../src/db/placement.ts';

/**
 * What a statement may be for all three engines to run it: Citus plans one for the node of its account, and refuses there what
 * PostgreSQL alone would do. By its text, so that it is seen without a Citus.
 */

export interface Rule {
  name: string;
  /** What of the statement breaks it; null where nothing does. */
  breach(sql: Sql): string | null;
}

/** A statement in small letters with single spaces, without comments, and with empty texts for what is in quotes. */
interface Sql {
  text: string;
  /** The CTEs and sub-selects that change data, and the statement itself where it does. */
  changes: Change[];
}

interface Change {
  /** `insert`, `update` or `delete`. */
  verb: string;
  table: string;
  text: string;
  isCte: boolean;
  /** What an update, also `on conflict`, sets; empty where there is none. */
  set: string;
  /** Which rows; empty for all. */
  where: string;
  /** What it returns; null for none. */
  returning: string | null;
}

/** What is not immutable, as PostgreSQL has it. */
const STABLE =
  /\b(now|concat_ws|to_char|to_jsonb|jsonb_build_\w+|json_build_\w+|jsonb_agg|json_agg|array_to_string) ?\(/;
const VOLATILE = /\b(random|gen_random_uuid|clock_timestamp|pg_\w*advisory\w*) ?\(/;
/** Functions of ours that read tables. */
const READERS = /\b(exchange_rate|latest_exchange_rate|units_per_euro) ?\(/;

const READS = new RegExp(
  `\\b(from|join|update|using) (?:only )?(${[...TENANT_TABLES, ...REFERENCE_TABLES].join('|')})\\b`,
);

const OF_A_FUNCTION = /\( ?select\b[^()]*\bfrom jsonb_(to|populate)_recordset ?\(/;

export const RULES: readonly Rule[] = [
  {
    name: 'no function that reads a table beside a table: its text instead (src/db/queries/exchange.ts)',
    breach: ({ text }) => (READS.test(text) ? (READERS.exec(text)?.[1] ?? null) : null),
  },
  {
    name: 'CASE WHEN x = …, not CASE x WHEN …',
    breach: ({ text }) => /\bcase (?!when\b)\S+/.exec(text)?.[0] ?? null,
  },
  {
    name: 'a CTE that changes data has RETURNING, even where nobody reads it',
    breach: of(({ isCte, returning }) => isCte && returning === null),
  },
  {
    name: 'INSERT … SELECT where a value is a sub-select',
    breach: of(({ verb, text }) => verb === 'insert' && /\bvalues ?\(.*\( ?select\b/.test(text)),
  },
  {
    name: 'INSERT … SELECT has RETURNING or ON CONFLICT: else rows are copied, which row-level security refuses',
    breach: of(
      ({ verb, table, text, returning }) =>
        verb === 'insert' &&
        isTenant(table) &&
        / select /.test(text) &&
        returning === null &&
        !text.includes(' on conflict '),
    ),
  },
  {
    name: 'no sub-select in SET but on the market: in FROM instead',
    breach: of(({ set }) =>
      [...set.matchAll(/\( ?select\b.*?\bfrom (\w+)/g)].some(([, table]) => !isReference(table!)),
    ),
  },
  {
    name: 'the time in SET within a CASE or COALESCE comes from a sub-select in FROM, or a parameter',
    breach: of(({ set }) => /\b(case\b[^)]*|coalesce ?\([^)]*)\bnow ?\(/.test(set)),
  },
  { name: 'nothing by chance in SET: a parameter', breach: of(({ set }) => VOLATILE.test(set)) },
  {
    name: 'what SET makes of columns is immutable: no JSON is built there',
    breach: of(({ set }) => STABLE.test(set.replaceAll(/\bnow ?\(\)/g, ''))),
  },
  {
    name: 'what WHERE makes of columns is immutable where rows are changed',
    breach: of(({ verb, where }) => verb !== 'insert' && STABLE.test(where.replaceAll(/\bnow ?\(\)/g, ''))),
  },
  {
    name: 'what a function gives several of is cast behind FROM where rows are changed',
    breach: of(({ where }) => /\bselect jsonb_\w+ ?\([^()]*\)::/.test(where)),
  },
  {
    name: 'what RETURNING makes is immutable: the select behind it makes the rest',
    breach: of(
      ({ returning }) => returning !== null && (STABLE.test(returning) || /::text\b/.test(returning)),
    ),
  },
  {
    name: 'rows of one table of accounts are locked at a time: the other by a CTE, and a sub-select of it',
    breach: ({ text }) => lockingSelects(text).find((select) => tenantsLocked(select) > 1) ?? null,
  },
  {
    name: 'ON CONFLICT … WHERE compares with columns and parameters alone',
    breach: of(({ text }) => / on conflict .* where .*\b(interval|now ?\()/.test(text)),
  },
  {
    name: 'no sub-select of the rows of a function beside a table that all nodes are asked for: in a CTE behind it',
    breach: ({ text }) =>
      partsOf(text).find((part) => OF_A_FUNCTION.test(part) && tablesOnAllNodes(part).length > 0) ?? null,
  },
];

/** A rule on each part of a statement that changes data of accounts or of the market. */
function of(isBroken: (change: Change) => boolean): Rule['breach'] {
  return ({ changes }) =>
    changes.find((change) => (isTenant(change.table) || isReference(change.table)) && isBroken(change))
      ?.text ?? null;
}

/** The selects that lock rows, each without the parentheses that it is in. */
function lockingSelects(text: string): string[] {
  return [...text.matchAll(/ for (?:(?:no key )?update|(?:key )?share)\b/g)].map(({ index }) => {
    const from = startOf(text, index);
    return text.slice(from, endOf(text, from));
  });
}

/** How many tables of accounts a select locks rows of: those of `of`, or of its own FROM. */
function tenantsLocked(select: string): number {
  const locks = clauseOf(select, 'for', []) ?? '';
  const named = [...locks.matchAll(/\bof ([\w, ]+?)(?= skip locked| nowait| for | limit |$)/g)];
  if (named.length > 0) return named.flatMap(([, names]) => names!.split(',')).length;
  const from = clauseOf(select, 'from', ['where', 'for', 'order', 'limit']) ?? '';
  return from.split(/[\s,()]+/).filter(isTenant).length;
}

const isTenant = (table: string) => (TENANT_TABLES as readonly string[]).includes(table);
const isReference = (table: string) => (REFERENCE_TABLES as readonly string[]).includes(table);

/**
 * The names of the rules that the statement breaks, each with what breaks it. One of all accounts is the service's own, which no
 * row-level security holds.
 */
export function breachesOfOneSql(statement: string, isOfAll = false): string[] {
  const sql = parsed(statement);
  const rules = RULES.filter(({ name }) => !isOfAll || !name.includes('row-level security'));
  return rules.flatMap(({ name, breach }) => {
    const what = breach(sql);
    return what === null ? [] : [`${name}: ${what}`];
  });
}

/** Each tenant table that the statement names without its account as a parameter: it is looked for on all nodes. */
export function tablesOnAllNodes(statement: string): string[] {
  const { text } = parsed(statement);
  const reference = new RegExp(
    `\\b(from|join|update|using|,) (${TENANT_TABLES.join('|')})\\b(?: as)?(?: (\\w+))?`,
    'g',
  );
  return [...text.matchAll(reference)].flatMap(([, , table, word]) => {
    const alias = word === undefined || KEYWORDS.has(word) ? null : word;
    const column = alias ? `\\b${alias}\\.` : `(?:\\b${table}\\.|(?<![\\w.]))`;
    const isBound = new RegExp(`${column}account_id = (any ?\\()?(\\$\\d|'')`).test(text);
    return isBound ? [] : [`${table}${alias ? ` ${alias}` : ''}`];
  });
}

const KEYWORDS = new Set(
  'where set on for order group limit values select returning using join left cross full inner union default'.split(
    ' ',
  ),
);

function parsed(statement: string): Sql {
  const text = statement
    .replace(/--[^\n]*/g, ' ')
    .replace(/e?'(?:[^']|'')*'/gi, "''")
    .replaceAll('"', '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .trim();
  const changes: Change[] = [];
  for (const match of text.matchAll(/(^|\( ?|\) )(insert into|update|delete from) (\w+)/g)) {
    const from = match.index + match[1]!.length;
    const isCte = match[1]!.startsWith('(');
    changes.push(changeOf(text.slice(from, endOf(text, from)), match[2]!, match[3]!, isCte));
  }
  return { text, changes };
}

/** The CTEs of a statement, and what is behind them. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let rest = 0;
  for (const match of text.matchAll(/\bas (?:materialized )?\(/g)) {
    const from = match.index + match[0].length;
    rest = endOf(text, from);
    parts.push(text.slice(from, rest));
  }
  return [...parts, text.slice(rest)];
}

function changeOf(text: string, verb: string, table: string, isCte: boolean): Change {
  return {
    verb: verb.split(' ')[0]!,
    table,
    text,
    isCte,
    set: clauseOf(text, 'set', ['from', 'where', 'returning']) ?? '',
    where: clauseOf(text, 'where', ['returning']) ?? '',
    returning: clauseOf(text, 'returning', []),
  };
}

/** The place behind the parenthesis that the part at `at` is in, or the beginning. */
function startOf(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i > 0; i--) {
    if (text[i - 1] === ')') depth++;
    if (text[i - 1] === '(' && depth-- === 0) return i;
  }
  return 0;
}

/** The place of the parenthesis that closes the one that the part at `from` is in, or the end. */
function endOf(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')' && depth-- === 0) return i;
  }
  return text.length;
}

/** What follows the word outside of all parentheses, up to one of the others. */
function clauseOf(text: string, word: string, ends: readonly string[]): string | null {
  let depth = 0;
  let start: number | null = null;
  for (const { 0: token, index } of text.matchAll(/[()]|[^\s()]+/g)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (depth === 0 && start === null && token === word) start = index + token.length;
    else if (depth === 0 && start !== null && ends.includes(token)) return text.slice(start, index);
  }
  return start === null ? null : text.slice(start);
}
