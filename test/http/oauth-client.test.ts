import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import * as oauth from 'oauth4webapi';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { ClientCredentials } from '../../src/services/clients/create.ts';
import { newClient } from '../auth/support.ts';
import { sharedDatabase } from '../harness.ts';

/** The server is at http on this machine, which the client takes only when told so. */
const INSECURE = { [oauth.allowInsecureRequests]: true };
const SCOPE = new URLSearchParams({ scope: 'default' });

describe('A stock OAuth client (oauth4webapi)', () => {
  let server: ReturnType<typeof serve>;
  let origin: string;
  let credentials: ClientCredentials;

  beforeAll(async () => {
    const db = await sharedDatabase('pglite');
    credentials = await newClient(db);
    // The issuer names the port, which is known once the server listens.
    let app: ReturnType<typeof createApp>;
    const port = await new Promise<number>((resolve) => {
      server = serve(
        { fetch: (request, env) => app.fetch(request, env), port: 0, hostname: '127.0.0.1' },
        () => resolve((server.address() as AddressInfo).port),
      );
    });
    origin = `http://127.0.0.1:${port}`;
    const config = { ...loadConfig({}), publicUrl: origin };
    app = createApp({ config, db, now: () => new Date(), logger: pino({ level: 'silent' }) });
  });

  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const discover = async () => {
    const issuer = new URL(origin);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE });
    return oauth.processDiscoveryResponse(issuer, found);
  };

  const ways = {
    'HTTP Basic': oauth.ClientSecretBasic,
    'the form': oauth.ClientSecretPost,
  };
  for (const [way, authenticate] of Object.entries(ways)) {
    it(`discovers the service, gets a token by ${way}, and uses it`, async () => {
      const service = await discover();
      const client = { client_id: credentials.clientId };
      const answer = await oauth.clientCredentialsGrantRequest(
        service,
        client,
        authenticate(credentials.clientSecret),
        SCOPE,
        INSECURE,
      );
      const token = await oauth.processClientCredentialsResponse(service, client, answer);
      expect(token).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'default' });

      const url = new URL('/collection', origin);
      const list = await oauth.protectedResourceRequest(
        token.access_token,
        'GET',
        url,
        undefined,
        null,
        INSECURE,
      );
      expect([list.status, await list.json()]).toEqual([200, { results: [] }]);

      // As a resource server of its own would check the token: by the published keys.
      const request = new Request(url, { headers: { Authorization: `Bearer ${token.access_token}` } });
      const claims = await oauth.validateJwtAccessToken(service, request, origin, INSECURE);
      expect(claims).toMatchObject({ iss: origin, client_id: credentials.clientId, scope: 'default' });
    });

    it(`is told what is wrong with its credentials by ${way}`, async () => {
      const service = await discover();
      const client = { client_id: credentials.clientId };
      const answer = await oauth.clientCredentialsGrantRequest(
        service,
        client,
        authenticate('wrong'),
        SCOPE,
        INSECURE,
      );
      await expect(oauth.processClientCredentialsResponse(service, client, answer)).rejects.toMatchObject({
        name: 'WWWAuthenticateChallengeError',
        status: 401,
      });
    });
  }
});
