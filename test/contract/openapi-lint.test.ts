import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, it } from 'vitest';
import { readDocument } from '../support/readme-blocks.ts';

const ERROR = 0;
const DOCUMENT = readDocument('schema/openapi.json');

/** What the rules say that is wrong for this API, by rule and place, each with the reason. */
const WAIVED = [
  // RFC 6749 §4.4.3: the client-credentials grant gives no refresh token, so there is no address for one. Tokens are good
  // for an hour.
  /^owasp:api2:2023-short-lived-access-tokens components\.securitySchemes\.oauth2\./,
  // The token endpoint is where the credentials are checked. The one scheme that it takes, beside the form, is HTTP Basic
  // (RFC 6749 §2.3.1), and a rule of the same set refuses every document that names that.
  /^owasp:api2:2023-write-restricted paths\.\/oauth2\/token\./,
];

it('has no error by the rules of Spectral and of OWASP', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({
    extends: [
      [rulesets.oas as RulesetDefinition, 'all'],
      [owasp as unknown as RulesetDefinition, 'all'],
    ],
  });
  const found = await linter.run(DOCUMENT);
  const errors = found.filter(({ severity }) => severity === ERROR);
  const named = errors.map(({ code, path }) => `${code} ${path.join('.')}`);
  expect(named.filter((error) => !WAIVED.some((waived) => waived.test(error)))).toEqual([]);
  // A waiver that nothing needs any more goes.
  for (const waived of WAIVED) expect(named.some((error) => waived.test(error))).toBe(true);
});

it('has no error by the rules of Redocly', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const found = await lintFromString({ source: DOCUMENT, absoluteRef: 'openapi.json', config });
  expect(found.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)).toEqual([]);
});
