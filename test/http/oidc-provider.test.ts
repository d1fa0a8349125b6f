import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, type JWK } from 'jose';
// @ts-expect-error: the package has no types.
import Provider from 'oidc-provider';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { bearing, describeOnDatabases, newTestApp, type TestApp } from '../harness.ts';
import { expectProblem } from './support.ts';

/** A certified provider, at a port of this machine: what it gives is what apps will send. */

const AUDIENCE = 'https://cards.app.example';
const CLIENT = 'app';
const REDIRECT = 'https://app.example/callback';

interface OpenIdProvider {
  issuer: string;
  server: Server;
}

async function startProvider(keys: JWK[], port = 0): Promise<OpenIdProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    jwks: { keys },
    cookies: { keys: ['test'] },
    // A public client, as a phone is: it has no secret.
    clients: [
      {
        client_id: CLIENT,
        token_endpoint_auth_method: 'none',
        redirect_uris: [REDIRECT],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        application_type: 'web',
      },
    ],
    scopes: ['openid', 'cardledger:default', 'cardledger:read'],
    features: {
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'cardledger:default cardledger:read',
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 900,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
  });
  server.on('request', provider.callback());
  return { issuer, server };
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomBytes(8).toString('hex'), alg: 'ES256', use: 'sig' };
}

/** Signs a user in as a browser does: authorization code with PKCE, log-in, consent. */
async function signIn({ issuer }: OpenIdProvider, sub: string, scope: string) {
  const cookies = new Map<string, string>();
  const browse = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      cookies.set(name!, value!);
    }
    const next = answer.headers.get('Location');
    if (next === null || next.startsWith(REDIRECT)) return answer;
    return browse(new URL(next, url).href);
  };
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: CLIENT,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope,
    resource: AUDIENCE,
    nonce: 'n-1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  let answer = await browse(`${issuer}/auth?${query}`);
  for (const prompt of ['login', 'consent']) {
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(await answer.text())!;
    answer = await browse(new URL(action!, issuer).href, { prompt, login: sub, password: 'x' });
  }
  const code = new URL(answer.headers.get('Location')!).searchParams.get('code')!;
  const tokens = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: CLIENT,
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    }),
  });
  return (await tokens.json()) as { access_token: string; id_token: string };
}

describeOnDatabases('a user whom an OpenID provider signs in', (database) => {
  let idp: OpenIdProvider;
  let platform: TestApp;
  let key: JWK;
  let start: number;
  /** Moved by tests. */
  let aheadMillis = 0;

  beforeAll(async () => {
    // It says of each default that it is for development alone.
    for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {});
    key = await newKey();
    idp = await startProvider([key]);
    start = performance.now();
    platform = await newTestApp(database(), {
      maxAccounts: 10,
      now: () => new Date(Date.now() + aheadMillis),
      elapsed: () => performance.now() - start + aheadMillis,
      config: { outboundNetworks: '127.0.0.0/8' },
    });
    const provider = { issuer: idp.issuer, audience: AUDIENCE, createsAccounts: true };
    await database().query('delete from identity_provider where audience = $1', [AUDIENCE]);
    expect((await platform.send('PUT', '/identity-provider', provider)).status).toBe(200);
  });
  afterAll(() => {
    vi.restoreAllMocks();
    idp.server.close();
  });

  const asHolder = (token: string) => bearing(platform.fetch, token, platform.accountId);

  it('has an account, with the access token that the app was given', async () => {
    const { access_token: token, id_token: idToken } = await signIn(idp, 'ada', 'openid cardledger:default');
    expect(decodeProtectedHeader(token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    expect(decodeJwt(token)).toMatchObject({ sub: 'ada', aud: AUDIENCE, iss: idp.issuer });
    const made = await asHolder(token).send('POST', '/collection', { name: 'Binder of Ada' });
    expect(made.status).toBe(200);
    const { body } = await platform.send('GET', '/account?externalId=ada');
    expect(body.results).toMatchObject([{ externalId: 'ada' }]);
    const refused = await asHolder(idToken).send('GET', '/collection');
    expectProblem(refused, 'Unauthorized');
  });

  it('reads with a token of the scope for that, and changes nothing', async () => {
    const { access_token: token } = await signIn(idp, 'ada', 'openid cardledger:read');
    const reader = asHolder(token);
    expect((await reader.send('GET', '/collection')).body.results).toMatchObject([{ name: 'Binder of Ada' }]);
    expectProblem(await reader.send('POST', '/collection', { name: 'x' }), 'Forbidden');
    const { access_token: none } = await signIn(idp, 'ada', 'openid');
    expectProblem(await asHolder(none).send('GET', '/collection'), 'Forbidden');
  });

  it('goes on when the provider rotates its keys, is down for a while, and comes back', async () => {
    const before = await signIn(idp, 'ada', 'openid cardledger:read');
    expect((await asHolder(before.access_token).send('GET', '/collection')).status).toBe(200);
    const { port } = idp.server.address() as AddressInfo;
    const stop = () =>
      new Promise<void>((resolve) => {
        idp.server.closeAllConnections();
        idp.server.close(() => resolve());
      });
    await stop();
    // Beyond what is kept of the token, and of the keys without asking.
    aheadMillis += 11 * 60_000;
    expect((await asHolder(before.access_token).send('GET', '/collection')).status).toBe(200);
    // The new key is the first, which signs; the old one stays until its tokens have ended.
    idp = await startProvider([await newKey(), key], port);
    const after = await signIn(idp, 'grace', 'openid cardledger:read');
    expect(decodeProtectedHeader(after.access_token).kid).not.toBe(key.kid);
    aheadMillis += 30_000;
    for (const { access_token: token } of [before, after])
      expect((await asHolder(token).send('GET', '/collection')).status).toBe(200);
    await stop();
    idp = await startProvider([key], port);
  });
});
