import { accountUuid } from '../../src/domain/credentials.ts';
import { bearing, graphqlBy, type TestApp } from '../harness.ts';

/** A new account below a platform's: its id. */
export async function newSubAccount(platform: TestApp, externalId: string): Promise<string> {
  const { body } = await platform.send('POST', '/account', { name: externalId, externalId });
  return body.accountId;
}

/** The platform's view of the app when it acts for an account below it. */
export function actingFor(platform: TestApp, accountId: string): TestApp {
  const send: TestApp['send'] = (method, path, body, headers) =>
    platform.send(method, path, body, { 'Cardledger-Account': accountId, ...headers });
  return { ...platform, send, graphql: graphqlBy(send), accountId: accountUuid(accountId)! };
}

/** A device's view of the app, with a token of an account below the platform's. */
export async function deviceOf(
  platform: TestApp,
  accountId: string,
  scope: 'default' | 'read' = 'default',
  expiresIn = 600,
): Promise<TestApp> {
  const { body } = await platform.send('POST', `/account/${accountId}/token`, { scope, expiresIn });
  return bearing(platform.fetch, body.accessToken, accountUuid(accountId)!);
}
