import { z } from '@hono/zod-openapi';
import { type Context, Hono } from 'hono';
import type { Auth } from '../../auth/index.ts';
import { TOKEN_SECONDS } from '../../auth/keys.ts';
import { type OAuthAnswer, refusal } from '../../auth/token-endpoint.ts';
import { OAUTH_ERRORS, OAuthError } from '../../auth/token-request.ts';
import { SCOPES } from '../../auth/tokens.ts';
import { isCompressed } from '../../http/body.ts';
import type { ExchangeBindings } from '../../http/exchange.ts';
import { headersWith, problemResponseOf, RATE_LIMIT } from '../openapi.ts';
import type { RestApp } from '../route-description.ts';

type Env = { Bindings: ExchangeBindings };

const FORM_BYTES = 16 * 1024;
const METADATA_MAX_AGE_SECONDS = 3600;

/** The token endpoint, the keys that verify its tokens, and the description of both (docs/decisions.md#tokens). */
export function oauthRoutes(auth: Auth): Hono<Env> {
  const routes = new Hono<Env>();

  routes.post('/oauth2/token', async (c) => {
    const refuse = (message: string) => send(c, refusal(new OAuthError('invalid_request', message)));
    if (isCompressed(c.req.raw.headers)) {
      return refuse('The form must not be compressed; the Content-Encoding says that it is.');
    }
    const bytes = await c.env.exchange.readBody(FORM_BYTES);
    if (bytes === null) return refuse(`The form must not exceed ${FORM_BYTES} bytes.`);
    const request = {
      contentType: c.req.header('Content-Type'),
      authorization: c.req.header('Authorization'),
      body: new TextDecoder().decode(bytes),
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

/** Of the shapes that real ones have; nobody is this client. */
const EXAMPLE_CLIENT = {
  clientId: 'cli_01kn3w4v5h2c8q6r9t0m1n2p3q',
  clientSecret: 'cls_EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXA',
};

const TokenRequestSchema = z
  .object({
    grant_type: z.literal('client_credentials'),
    client_id: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'Needed unless it comes by HTTP Basic', example: EXAMPLE_CLIENT.clientId }),
    client_secret: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'Needed unless it comes by HTTP Basic', example: EXAMPLE_CLIENT.clientSecret }),
    scope: z.enum(SCOPES),
  })
  .openapi('TokenRequest');

const TokenSchema = z
  .strictObject({
    access_token: z.string().max(4096).meta({ description: 'A JWT (RFC 9068)' }),
    expires_in: z
      .int()
      .min(1)
      .max(3600)
      .meta({ format: 'int32', description: 'Seconds for which the token is good', example: 3600 }),
    token_type: z.literal('Bearer'),
    scope: z.enum(SCOPES),
  })
  .openapi('Token');

const OAuthErrorSchema = z
  .strictObject({
    error: z.enum(OAUTH_ERRORS),
    error_description: z.string().max(1000).meta({ description: 'What is wrong, for developers' }),
  })
  .openapi('OAuthError', { description: 'RFC 6749 §5.2' });

/** Adds the token endpoint to the OpenAPI document. */
export function describeTokenEndpoint(app: RestApp): void {
  const failure = (description: string, examples: Record<string, string>, ...headers: string[]) => ({
    description,
    headers: headersWith('Pragma', ...headers),
    content: {
      'application/json': {
        schema: OAuthErrorSchema,
        examples: Object.fromEntries(
          Object.entries(examples).map(([error, error_description]) => [
            error,
            { value: { error, error_description } },
          ]),
        ),
      },
    },
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
        content: {
          'application/x-www-form-urlencoded': {
            schema: TokenRequestSchema,
            example: {
              grant_type: 'client_credentials',
              client_id: EXAMPLE_CLIENT.clientId,
              client_secret: EXAMPLE_CLIENT.clientSecret,
              scope: 'default',
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'Success',
        headers: headersWith('Pragma', ...RATE_LIMIT),
        content: {
          'application/json': {
            schema: TokenSchema,
            example: {
              access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.EXAMPLE.EXAMPLE',
              token_type: 'Bearer',
              expires_in: TOKEN_SECONDS,
              scope: 'default',
            },
          },
        },
      },
      400: failure(
        'The request is not one for a token',
        {
          invalid_request: 'The parameter grant_type is missing.',
          unsupported_grant_type: 'The grant_type must be client_credentials.',
          invalid_scope: 'The scope must be default, read or platform.',
        },
        ...RATE_LIMIT,
      ),
      401: failure(
        'The client is not known, or its secret is wrong',
        { invalid_client: 'The client is not known, or its secret is wrong.' },
        'WWW-Authenticate',
        ...RATE_LIMIT,
      ),
      429: failure(
        'Too many requests of the client or of its address',
        { too_many_requests: 'Too many token requests. Wait 60 seconds, and use a token until it expires.' },
        'Retry-After',
        ...RATE_LIMIT,
      ),
      500: problemResponseOf('Internal', '/oauth2/token'),
      503: failure(
        'The database cannot be reached',
        { temporarily_unavailable: 'The database cannot be reached at the moment. Try again shortly.' },
        'Retry-After',
      ),
    },
  });
}
