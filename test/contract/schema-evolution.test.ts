import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';
import { breakingChanges, DEPRECATION_REASON } from './breaking-changes.ts';

const read = (file: string) => readFileSync(projectPath(file), 'utf8');
const TODAY = new Date().toISOString().slice(0, 10);

describe('the schema', () => {
  it('breaks no client of the last release', () => {
    const [released, current] = ['schema/released.graphql', 'schema/schema.graphql'].map((file) =>
      buildSchema(read(file)),
    );
    expect(breakingChanges(released!, current!, TODAY)).toEqual([]);
  });

  it('says of all that is deprecated what to use instead, and until when it stays', () => {
    const reasons = [...read('schema/schema.graphql').matchAll(/@deprecated(?:\(reason: "(.*)"\))?/g)];
    for (const [, reason] of reasons) expect(reason).toMatch(DEPRECATION_REASON);
  });
});

describe('the check of breaking changes', () => {
  const old = `@deprecated(reason: "Use \`b\` instead. Removed after 2026-01-01.")`;
  const released = buildSchema(`
    type Query { a(x: Int ${old}, y: Int): Int b: Int! old: Int ${old} bare: Int @deprecated c(in: In): E }
    enum E { ONE OLD ${old} }
    input In { a: Int }
  `);
  const changesTo = (sdl: string, today = '2026-01-02') => breakingChanges(released, buildSchema(sdl), today);
  const same = {
    query: 'a(x: Int, y: Int): Int b: Int! old: Int bare: Int c(in: In): E',
    rest: 'enum E { ONE OLD } input In { a: Int }',
  };

  it.each([
    ['nothing', `type Query { ${same.query} } ${same.rest}`],
    [
      'a field that is null by its own error alone',
      `directive @semanticNonNull on FIELD_DEFINITION type Query { ${same.query.replace('b: Int!', 'b: Int @semanticNonNull')} } ${same.rest}`,
    ],
    ['additions', `type Query { ${same.query} d: Int } ${same.rest}`],
    [
      'what was deprecated until a day that is past',
      'type Query { a(y: Int): Int b: Int! bare: Int c(in: In): E } enum E { ONE } input In { a: Int }',
    ],
  ])('lets %s pass', (_name, sdl) => {
    expect(changesTo(sdl)).toEqual([]);
  });

  it.each([
    ['a field that was not deprecated', same.query.replace('b: Int!', ''), 'Query.b was removed.'],
    ['one deprecated without a date', same.query.replace('bare: Int', ''), 'Query.bare was removed.'],
    ['an argument that was not deprecated', same.query.replace(', y: Int', ''), 'Query.a arg y was removed.'],
    ['another type', same.query.replace('b: Int!', 'b: Int'), 'Query.b changed type from Int! to Int.'],
    [
      'a day in place of a number',
      `${same.query.replace('b: Int!', 'b: Date!')}} scalar Date type More { a: Int`,
      'Query.b changed type from Int! to Date!.',
    ],
    [
      'a new argument that is required',
      same.query.replace('y: Int', 'y: Int, z: Int!'),
      'A required arg z on Query.a was added.',
    ],
  ])('refuses %s', (_name, query, change) => {
    expect(changesTo(`type Query { ${query} } ${same.rest}`)).toEqual([change]);
  });

  it('refuses to remove anything before its date is past', () => {
    const without = `type Query { ${same.query.replace('old: Int', '')} } ${same.rest}`;
    expect(changesTo(without, '2026-01-01')).toEqual(['Query.old was removed.']);
    expect(changesTo(without, '2026-01-02')).toEqual([]);
  });

  it('refuses a new field that an input requires', () => {
    const rest = 'enum E { ONE OLD } input In { a: Int b: Int! }';
    expect(changesTo(`type Query { ${same.query} } ${rest}`)).toEqual([
      'A required field b on input type In was added.',
    ]);
  });
});
