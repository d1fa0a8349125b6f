import { OpenAPIHono } from '@hono/zod-openapi';
import { DomainError } from '../domain/errors.ts';
import type { RestApp } from './route.ts';
import { addCollectionRoutes } from './routes/collections.ts';
import { addEvRoutes } from './routes/evs.ts';
import { describeTokenEndpoint } from './routes/oauth.ts';
import { addProductRoutes } from './routes/products.ts';
import { addTransactionRoutes } from './routes/transactions.ts';

/** The documented paths. The caller's context is set before a request gets here. */
export function createRestApp(): RestApp {
  const app: RestApp = new OpenAPIHono();
  describeTokenEndpoint(app);
  addCollectionRoutes(app);
  addTransactionRoutes(app);
  addProductRoutes(app);
  addEvRoutes(app);
  return app;
}

/** The methods that each path takes, from the routes of an app. */
export function methodsOfPaths(app: {
  routes: readonly { path: string; method: string }[];
}): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    const known = methods.get(path) ?? [];
    const more = method === 'GET' ? ['GET', 'HEAD'] : [method];
    methods.set(path, [...known, ...more.filter((name) => !known.includes(name))]);
  }
  return methods;
}

export function methodNotAllowed(method: string, allow: readonly string[]): DomainError {
  return new DomainError(
    'MethodNotAllowed',
    `This path does not take ${method}; it takes ${allow.join(', ')}.`,
    { allow },
  );
}

/** The OpenAPI document, made from the route descriptions. */
export function openApiDocument(app: RestApp) {
  app.openAPIRegistry.registerComponent('securitySchemes', 'oauth2', {
    type: 'oauth2',
    flows: {
      clientCredentials: { tokenUrl: '/oauth2/token', scopes: { default: 'Everything of your account' } },
    },
  });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'cardledger',
      version: '1.0.0',
      description:
        'Collections of trading cards, the transactions recorded in them, the catalogue, and expected values.',
    },
    servers: [{ url: '/' }],
  });
}
