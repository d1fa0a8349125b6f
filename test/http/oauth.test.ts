import { createLocalJWKSet, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.ts';
import { oauthRoutes } from '../../src/rest/routes/oauth.ts';
import type { ClientCredentials } from '../../src/services/clients/create.ts';
import { FORM, ISSUER, newAddress, newClient, node } from '../auth/support.ts';
import { describeOnDatabases, NOW } from '../harness.ts';

const now = () => NOW;

/** As the app gives it to its routes, from an address of its own where none is named. */
const environment = ({ body }: { body: string }, remoteAddress = newAddress()) => ({
  incoming: { socket: { remoteAddress } },
  exchange: { readBody: async (maxBytes: number) => (body.length > maxBytes ? null : Buffer.from(body)) },
});

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

describeOnDatabases('OAuth routes', (database) => {
  async function post(
    body: string,
    headers: Record<string, string> = {},
    auth = node(database(), now),
    remoteAddress = newAddress(),
  ): Promise<Answer> {
    const request = { method: 'POST', body, headers: { 'Content-Type': FORM, ...headers } };
    const env = environment(request, remoteAddress);
    const response = await oauthRoutes(auth).request('/oauth2/token', request, env);
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  const fields = ({ clientId, clientSecret }: ClientCredentials) => ({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'default',
  });
  const form = (values: Record<string, string>) => new URLSearchParams(values).toString();
  const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const GRANT = form({ grant_type: 'client_credentials', scope: 'default' });

  function expectToken({ status, headers, body }: Answer): void {
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'default',
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
  }

  function expectError(answer: Answer, status: number, error: string): void {
    expect(answer.body).toEqual({ error, error_description: expect.any(String) });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('pragma')).toBe('no-cache');
    expect(answer.headers.get('www-authenticate')).toBe(
      status === 401 ? 'Basic realm="cardledger", charset="UTF-8"' : null,
    );
  }

  it('give a token for credentials in the form', async () => {
    const client = await newClient(database());
    expectToken(await post(form(fields(client))));
    expectToken(await post(form(fields(client)), { 'Content-Type': `${FORM}; charset=UTF-8` }));
    expectToken(await post(form({ ...fields(client), unknown: 'parameter' })));
  });

  it('give a token for HTTP Basic, with id and secret form-encoded', async () => {
    const { clientId, clientSecret } = await newClient(database());
    expectToken(await post(GRANT, { Authorization: basic(clientId, clientSecret) }));
    expectToken(
      await post(GRANT, { Authorization: basic(clientId, clientSecret).replace('Basic', 'basic') }),
    );
    const encoded = clientSecret.replaceAll(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);
    expectToken(await post(GRANT, { Authorization: basic(clientId.replace('_', '%5F'), encoded) }));
  });

  it('take no credentials from the query', async () => {
    const client = await newClient(database());
    const request = { method: 'POST', body: GRANT, headers: { 'Content-Type': FORM } };
    const response = await oauthRoutes(node(database(), now)).request(
      `/oauth2/token?${form(fields(client))}`,
      request,
      environment(request),
    );
    expect(response.status).toBe(401);
  });

  it('refuse wrong credentials alike', async () => {
    const client = await newClient(database());
    const nobody = `cli_${'0'.repeat(26)}`;
    const answers = [
      await post(form({ ...fields(client), client_secret: 'wrong' })),
      await post(form({ ...fields(client), client_secret: client.clientSecret.toUpperCase() })),
      await post(form({ ...fields(client), client_id: nobody })),
      await post(form({ ...fields(client), client_id: 'x\u0000y' })),
      await post(form({ ...fields(client), client_id: client.clientId.toUpperCase() })),
      await post(GRANT, { Authorization: basic(client.clientId, 'wrong') }),
      await post(GRANT, { Authorization: basic(nobody, client.clientSecret) }),
    ];
    for (const answer of answers) {
      expectError(answer, 401, 'invalid_client');
      expect(answer.body).toEqual(answers[0]!.body);
    }
  });

  it('refuse missing and malformed credentials', async () => {
    const client = await newClient(database());
    const { client_id, client_secret, ...grant } = fields(client);
    for (const values of [
      grant,
      { ...grant, client_id },
      { ...grant, client_secret },
      { ...grant, client_id, client_secret: '' },
    ]) {
      expectError(await post(form(values)), 401, 'invalid_client');
    }
    const bad = [
      'Basic',
      'Basic !',
      'Basic YWJj',
      'Basic OmE=',
      'Basic YTo=',
      'Bearer x',
      basic('%', 'x'),
      basic('a', '%zz'),
      '',
    ];
    for (const Authorization of bad) {
      expectError(await post(GRANT, { Authorization }), 401, 'invalid_client');
    }
  });

  it('refuse credentials in both places', async () => {
    const client = await newClient(database());
    const Authorization = basic(client.clientId, client.clientSecret);
    const { client_secret: _, ...idOnly } = fields(client);
    for (const values of [fields(client), idOnly]) {
      expectError(await post(form(values), { Authorization }), 400, 'invalid_request');
    }
  });

  it('refuse a parameter that stands twice', async () => {
    const good = form(fields(await newClient(database())));
    for (const extra of [
      'scope=default',
      'grant_type=client_credentials',
      'client_id=x',
      'client_secret=',
      'a=1&a=2',
    ]) {
      expectError(await post(`${good}&${extra}`), 400, 'invalid_request');
    }
  });

  it('refuse other grants and scopes', async () => {
    const good = fields(await newClient(database()));
    for (const grant_type of [
      'password',
      'authorization_code',
      'Client_Credentials',
      'client_credentials ',
    ]) {
      expectError(await post(form({ ...good, grant_type })), 400, 'unsupported_grant_type');
    }
    expectError(await post(form({ ...good, grant_type: '' })), 400, 'invalid_request');
    const { grant_type: _, ...noGrant } = good;
    expectError(await post(form(noGrant)), 400, 'invalid_request');
    for (const scope of ['admin', 'default admin', 'Default', '']) {
      expectError(await post(form({ ...good, scope })), 400, 'invalid_scope');
    }
    const { scope: __, ...noScope } = good;
    expectError(await post(form(noScope)), 400, 'invalid_scope');
  });

  it('refuse other content types', async () => {
    const values = fields(await newClient(database()));
    expectError(
      await post(JSON.stringify(values), { 'Content-Type': 'application/json' }),
      400,
      'invalid_request',
    );
    expectError(await post(form(values), { 'Content-Type': 'text/plain' }), 400, 'invalid_request');
    expectError(await post(form(values), { 'Content-Type': `${FORM}x` }), 400, 'invalid_request');
  });

  it('refuse a form that is compressed, or says that it is', async () => {
    const values = form(fields(await newClient(database())));
    for (const encoding of ['gzip', 'BR', 'deflate', 'identity, gzip', 'x']) {
      expectError(await post(values, { 'Content-Encoding': encoding }), 400, 'invalid_request');
    }
    expectToken(await post(values, { 'Content-Encoding': 'identity' }));
  });

  it('refuse a form above 16 KiB before anything is stored', async () => {
    const values = fields(await newClient(database()));
    expectToken(await post(form({ ...values, padding: 'x'.repeat(16_000) })));
    expectError(await post(form({ ...values, client_id: 'x'.repeat(1024 * 1024) })), 400, 'invalid_request');
  });

  it('answer 429 with Retry-After', async () => {
    const values = form(fields(await newClient(database())));
    const auth = node(database(), now, { tokenLimitPerMinute: 1 });
    const address = newAddress();
    expectToken(await post(values, {}, auth, address));
    const answer = await post(values, {}, auth, address);
    expectError(answer, 429, 'too_many_requests');
    expect(answer.headers.get('retry-after')).toBe('60');
  });

  it('answer 503 while the database cannot be reached', async () => {
    const down = () =>
      Promise.reject(new DomainError('Unavailable', 'Try again shortly.', { retryAfterSeconds: 2 }));
    const db = { ...database(), query: down, transaction: down };
    const auth = node(db, now, { tokenLimitPerMinute: 10 });
    const answer = await post(form(fields({ clientId: 'x', clientSecret: 'y' })), {}, auth);
    expectError(answer, 503, 'temporarily_unavailable');
    expect(answer.headers.get('retry-after')).toBe('2');
  });

  it('never repeat a secret in an error', async () => {
    const client = await newClient(database());
    const values = fields(client);
    const answers = [
      await post(form({ ...values, scope: client.clientSecret })),
      await post(form({ ...values, grant_type: client.clientSecret })),
      await post(`${form(values)}&client_secret=${client.clientSecret}`),
      await post(form({ ...values, client_id: client.clientSecret })),
      await post(form(values), { Authorization: basic(client.clientId, client.clientSecret) }),
      await post(form(values), { 'Content-Type': client.clientSecret }),
    ];
    for (const { status, body, headers } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify([body, [...headers]])).not.toContain(client.clientSecret);
    }
  });

  it('publish keys with which anybody can verify a token', async () => {
    const auth = node(database(), now);
    const { body } = await post(form(fields(await newClient(database()))), {}, auth);
    const response = await oauthRoutes(auth).request('/.well-known/jwks.json');
    expect(response.headers.get('cache-control')).toBe('public, max-age=240');
    const jwks = await response.json();
    expect(JSON.stringify(jwks)).not.toContain('"d"');
    const options = { issuer: ISSUER, audience: ISSUER, typ: 'at+jwt', currentDate: NOW };
    const verified = await jwtVerify(String(body.access_token), createLocalJWKSet(jwks), options);
    expect(verified.payload.scope).toBe('default');
  });

  it('describe themselves by RFC 8414', async () => {
    const response = await oauthRoutes(node(database(), now)).request(
      '/.well-known/oauth-authorization-server',
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      issuer: ISSUER,
      token_endpoint: `${ISSUER}/oauth2/token`,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      scopes_supported: ['default', 'read', 'platform'],
      response_types_supported: [],
    });
  });
});
