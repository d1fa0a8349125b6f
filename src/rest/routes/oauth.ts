import { z } from '@hono/zod-openapi';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Auth } from '../../auth/index.ts';
import { type OAuthAnswer, refusal } from '../../auth/token-endpoint.ts';
import { OAuthError } from '../../auth/token-request.ts';
import { SCOPE } from '../../auth/tokens.ts';
import type { RestApp } from '../route.ts';

/** What @hono/node-server tells of a request's socket. */
interface NodeBindings {
  incoming?: { socket?: { remoteAddress?: string } };
}

type Env = { Bindings: NodeBindings };

const FORM_BYTES = 16 * 1024;
const METADATA_MAX_AGE_SECONDS = 3600;

const limitForm = bodyLimit({
  maxSize: FORM_BYTES,
  onError: (c) =>
    send(c, refusal(new OAuthError('invalid_request', `The form must not exceed ${FORM_BYTES} bytes.`))),
});

/** The token endpoint, the keys that verify its tokens, and the description of both (decisions §2). */
export function oauthRoutes(auth: Auth): Hono<Env> {
  const routes = new Hono<Env>();

  routes.post('/oauth2/token', limitForm, async (c) => {
    const request = {
      contentType: c.req.header('Content-Type'),
      authorization: c.req.header('Authorization'),
      body: await c.req.text(),
    };
    const peer = {
      socketAddress: c.env?.incoming?.socket?.remoteAddress,
      forwardedFor: c.req.header('X-Forwarded-For'),
    };
    return send(c, await auth.token(request, peer));
  });

  routes.get('/.well-known/jwks.json', async (c) => {
    const { keys, maxAgeSeconds } = await auth.jwks();
    return c.json({ keys }, 200, { 'Cache-Control': `public, max-age=${maxAgeSeconds}` });
  });

  routes.get('/.well-known/oauth-authorization-server', (c) =>
    c.json(auth.metadata(), 200, { 'Cache-Control': `public, max-age=${METADATA_MAX_AGE_SECONDS}` }),
  );

  return routes;
}

function send(c: Context, { status, headers, body }: OAuthAnswer): Response {
  return c.json(body, status, headers);
}

const TokenRequestSchema = z
  .object({
    grant_type: z.literal('client_credentials'),
    client_id: z.string(),
    client_secret: z.string(),
    scope: z.literal(SCOPE),
  })
  .openapi('TokenRequest');

const TokenSchema = z
  .object({
    access_token: z.string(),
    expires_in: z.int().meta({ description: 'Seconds for which the token is good', example: 3600 }),
    token_type: z.literal('Bearer'),
    scope: z.literal(SCOPE),
  })
  .openapi('Token');

const OAuthErrorSchema = z
  .object({ error: z.string().meta({ example: 'invalid_client' }), error_description: z.string() })
  .openapi('OAuthError', { description: 'RFC 6749 §5.2' });

/** Adds the token endpoint to the OpenAPI document. */
export function describeTokenEndpoint(app: RestApp): void {
  const failure = (description: string) => ({
    description,
    content: { 'application/json': { schema: OAuthErrorSchema } },
  });
  app.openAPIRegistry.registerPath({
    method: 'post',
    path: '/oauth2/token',
    operationId: 'createToken',
    summary: 'Get an access token',
    description:
      'The client id and secret may be sent by HTTP Basic instead, never both. Use the token until it expires.',
    tags: ['Token'],
    security: [],
    request: {
      body: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: TokenRequestSchema } },
      },
    },
    responses: {
      200: { description: 'Success', content: { 'application/json': { schema: TokenSchema } } },
      400: failure('invalid_request, unsupported_grant_type or invalid_scope'),
      401: failure('invalid_client'),
      429: failure('too_many_requests; `Retry-After` says for how many seconds'),
      503: failure('temporarily_unavailable'),
    },
  });
}
