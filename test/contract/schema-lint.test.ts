import plugin from '@graphql-eslint/eslint-plugin';
import { ESLint } from 'eslint';
import { expect, it } from 'vitest';
import { projectPath } from '../../src/paths.ts';

const SCHEMA = 'schema/schema.graphql';
const { 'flat/schema-all': all, 'flat/schema-relay': relay } = plugin.configs;

/** What the rules say that is wrong for this schema, by rule and message, each with the reason. */
const WAIVED = [
  // Connections have `nodes` beside `edges`, and lists that are bounded, such as the variants of a product, are no connections.
  /^relay-edge-types A list type should only wrap an edge type\.$/,
  // Lots, sales and missing cards are derived, and have no id of their own to be asked for by.
  /^relay-edge-types Edge type's field `node` must implement `Node` interface\.$/,
  // What has an id is a Node, and a test of the schema says which types are. Amounts, pages, payloads and errors have none.
  /^strict-id-in-types type "/,
  // The contract's names.
  /^no-typename-prefix Field "(collectionId|productId|transactionId|variantId|variantName)" /,
  // A set has a kind of its own, and fields of one name have one type.
  /^no-typename-prefix Field "collectionKind" /,
  // A grade is of a company: neither has another name.
  /^no-typename-prefix Field "grade" /,
  // The list in an answer that has more than the list.
  /^no-typename-prefix Field "movers" /,
  // It asks for an argument that the specified directive does not have; ours stands in the reason, and a test reads it there.
  /^require-deprecation-date /,
  // For schemas that are only read.
  /^no-root-type /,
  // Failures that can be expected are members of the union, and with any other one there is no answer to give.
  /^require-nullable-result-in-root /,
  // The order in which the file is printed.
  /^alphabetize /,
];

it('has no error by the rules of GraphQL ESLint, with those of Relay', async () => {
  const eslint = new ESLint({
    cwd: projectPath('.'),
    overrideConfigFile: true,
    overrideConfig: {
      files: [SCHEMA],
      languageOptions: {
        parser: plugin.parser,
        parserOptions: { graphQLConfig: { schema: projectPath(SCHEMA) } },
      },
      // The package describes its rules in a type that is not ESLint's own.
      plugins: { '@graphql-eslint': plugin as unknown as ESLint.Plugin },
      rules: { ...all.rules, ...relay.rules } as unknown as Record<string, 'error'>,
    },
  });
  const [linted] = await eslint.lintFiles([SCHEMA]);
  const found = linted!.messages.map(({ ruleId, message }) =>
    `${ruleId} ${message}`.replace('@graphql-eslint/', ''),
  );
  expect(found.filter((error) => !WAIVED.some((waived) => waived.test(error)))).toEqual([]);
  // A waiver that nothing needs any more goes.
  for (const waived of WAIVED)
    expect(
      found.some((error) => waived.test(error)),
      String(waived),
    ).toBe(true);
});
