import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Auth } from '../../auth/index.ts';
import { type OAuthAnswer, refusal } from '../../auth/token-endpoint.ts';
import { OAuthError } from '../../auth/token-request.ts';

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
