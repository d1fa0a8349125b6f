import type { GraphQLInterfaceType } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { PoolUse } from '../../src/db/client.ts';
import {
  COLLECTION_SORTS,
  DEFAULT_SORTS,
  PRODUCT_EV_SORTS,
  SUMMARY_SORTS,
  TRANSACTION_SORTS,
} from '../../src/domain/orders.ts';
import { OTHER_NAMES, SUMMARY_SEARCH_FIELDS } from '../../src/domain/search/fields.ts';
import { FLAGS } from '../../src/domain/search/query.ts';
import { EXPORT_FORMATS, TRANSACTION_FORMATS } from '../../src/domain/transaction-file.ts';
import { OPERATION_LIMIT_CODES, OPERATION_LIMITS } from '../../src/graphql/cost/limits.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { ownDialect, TRANSACTION_DIALECTS } from '../../src/importers/transaction-dialects.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { documentTables } from '../support/document-tables.ts';
import { codesIn, readDocument } from '../support/readme-blocks.ts';

/** Tables of the documents that say what is in the code, and need no service to be compared with it. */

describe('the fields of docs/search.md', () => {
  const rows = documentTables('search.md', '## Filters')[1]!.map(([fields, also, takes]) => ({
    fields: codesIn(fields!),
    also: codesIn(also!),
    takes: codesIn(takes!),
  }));
  /** `e` takes an edition or a set. */
  const meantBy = (name: string): string[] => (name === 'e' ? ['edition', 'set'] : [OTHER_NAMES.get(name)!]);

  it('are those of the language', () => {
    expect(rows.flatMap(({ fields }) => fields).sort()).toEqual([...SUMMARY_SEARCH_FIELDS].sort());
  });

  it.each(rows.map((row) => [row.fields.join(), row] as const))(
    '%s: the other names',
    (_, { fields, also }) => {
      const known = [...OTHER_NAMES.keys()].filter((name) =>
        meantBy(name).some((field) => fields.includes(field)),
      );
      expect(also.sort()).toEqual(known.sort());
    },
  );

  it('is, not: the flags', () => {
    expect(rows.find(({ fields }) => fields.includes('is'))!.takes).toEqual([...FLAGS]);
  });
});

describe('the formats of docs/imports.md', () => {
  /** As the command line has them. */
  const typed = (format: string) =>
    format.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const rows = new Map(
    documentTables('imports.md', '## Transactions')[0]!.map(([format, cards, day, price]) => [
      codesIn(format!)[0],
      { cards: cards!, day: day!, price: price! },
    ]),
  );

  it('are those that are read, but for files whose columns are named', () => {
    expect([...rows.keys()]).toEqual(TRANSACTION_FORMATS.filter((format) => format !== 'Columns').map(typed));
  });

  it('are those that are written, under their heading', () => {
    const written = documentTables('imports.md', '### Exports')[0]!.map(([format]) => codesIn(format!)[0]);
    const others = EXPORT_FORMATS.filter((format) => format !== 'Cardledger' && format !== 'Json');
    expect(written.sort()).toEqual(others.map(typed).sort());
  });

  it.each(TRANSACTION_DIALECTS.map((dialect) => [dialect.name, dialect] as const))(
    '%s: the columns',
    (_, { format, columns }) => {
      const { cards, day, price } = rows.get(typed(format))!;
      const { card, occurredDate, unitAmount, currency } = columns;
      expect(codesIn(cards)).toContain(card);
      expect(day).toBe(occurredDate === null ? 'give it' : `\`${occurredDate}\``);
      expect(codesIn(price)).toEqual([unitAmount, currency].filter((column) => column !== null));
      expect(price.includes('give')).toBe(currency === null);
    },
  );

  it.each(['README.md', 'docs/graphql.md', 'web/import.tsx', 'src/cli/commands/transactions.ts'])(
    'are named in %s, too',
    (file) => {
      const text = readDocument(file).replaceAll(/\s+/g, ' ');
      const names = TRANSACTION_DIALECTS.filter((dialect) => dialect !== ownDialect).map(({ name }) =>
        name.replace(/ \(.*/, ''),
      );
      expect(names.filter((name) => !text.includes(name))).toEqual([]);
    },
  );
});

it('docs/rest.md has the orders of lists, the one that is usual first', () => {
  const listed = documentTables('rest.md', '## Pages')[0]!.map(([, , values]) => codesIn(values!));
  const orders = [
    [COLLECTION_SORTS, DEFAULT_SORTS.collections],
    [TRANSACTION_SORTS, DEFAULT_SORTS.transactions],
    [SUMMARY_SORTS, DEFAULT_SORTS.summaries],
    [PRODUCT_EV_SORTS, DEFAULT_SORTS.productEvs],
  ] as const;
  expect(listed.map(([usual, ...others]) => [usual, ...others.sort()])).toEqual(
    orders.map(([sorts, usual]) => [usual, ...sorts.filter((sort) => sort !== usual).sort()]),
  );
});

it('web/client.ts knows every failure that a mutation may answer with', () => {
  const [, names] = /ERRORS = \[([^\]]+)\]/.exec(readDocument('web/client.ts'))!;
  const schema = createSchema();
  const failures = schema.getPossibleTypes(schema.getType('Error') as GraphQLInterfaceType);
  expect([...names!.matchAll(/\w+/g)].flat()).toEqual(failures.map(({ name }) => name).sort());
});

it('docs/operations.md has every metric of ours', () => {
  const pool: PoolUse = { size: 1, inUse: 0, waiting: 0, waits: 0, waitedSeconds: 0, refusals: 0 };
  const metrics = createMetrics({
    pools: { alone: pool, shared: pool, housekeeping: pool },
    readUse: { primaryReads: 0, replicas: [] },
    importAges: async () => [],
    webhookBacklogAge: async () => 0,
  });
  metrics.watchSubscriptions(() => ({}));
  const ofOurs = (names: string[]) => names.filter((name) => name.startsWith('cardledger_')).sort();
  const listed = documentTables('operations.md', '## Metrics')[0]!.flatMap(([names]) => codesIn(names!));
  expect(ofOurs(listed)).toEqual(ofOurs(metrics.registry.getMetricsAsArray().map(({ name }) => name)));
});

it('docs/graphql.md has the figures of the limits of an operation', () => {
  const shown = new Map(documentTables('graphql.md', '## Limits')[0]!.map(([code, limit]) => [code, limit!]));
  for (const [name, limit] of Object.entries(OPERATION_LIMITS)) {
    const code = OPERATION_LIMIT_CODES[name as keyof typeof OPERATION_LIMITS];
    const figure = name.endsWith('Bytes') ? `${limit / 1024} KiB` : limit.toLocaleString('en-US');
    expect(shown.get(`\`${code}\``)).toContain(figure);
  }
});
