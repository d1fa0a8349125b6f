import { accountUuid } from '../../src/domain/credentials.ts';
import { responseOf, type TestApp } from '../harness.ts';
import { ORIGIN } from '../http/support.ts';
import { asCallerOf } from './tenancy.ts';

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
  const uuid = accountUuid(accountId)!;
  return { ...bearing(platform, body.accessToken, uuid), accountId: uuid };
}

/** The app as it is seen with another token, of an account (a uuid). */
export function bearing(app: TestApp, token: string, accountId: string): TestApp {
  const send: TestApp['send'] = async (method, path, body, headers = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const request = new Request(`${ORIGIN}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(text !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(text)),
        }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    return responseOf(await asCallerOf(accountId, () => app.fetch(request)));
  };
  return { ...app, token, send, graphql: graphqlBy(send), accountId };
}

function graphqlBy(send: TestApp['send']): TestApp['graphql'] {
  return async <Data>(query: string, variables?: Record<string, unknown>) => {
    const { body } = await send('POST', '/graphql', { query, variables });
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data as Data;
  };
}
