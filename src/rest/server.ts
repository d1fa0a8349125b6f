import { OpenAPIHono } from '@hono/zod-openapi';
import { DomainError } from '../domain/errors.ts';
import type { RestApp } from './route-description.ts';
import { addAccountRoutes } from './routes/accounts.ts';
import { addCollectionRoutes } from './routes/collections.ts';
import { addEvRoutes } from './routes/evs.ts';
import { addIdentityProviderRoutes } from './routes/identity-provider.ts';
import { addImportRoutes } from './routes/imports.ts';
import { describeTokenEndpoint } from './routes/oauth.ts';
import { addProductRoutes } from './routes/products.ts';
import { addSummaryRoutes } from './routes/summaries.ts';
import { addTransactionRoutes } from './routes/transactions.ts';
import { addWebhookRoutes } from './routes/webhooks.ts';

/** The documented paths. */
export function createRestApp(): RestApp {
  const app: RestApp = new OpenAPIHono();
  describeTokenEndpoint(app);
  addAccountRoutes(app);
  addIdentityProviderRoutes(app);
  addWebhookRoutes(app);
  addCollectionRoutes(app);
  addTransactionRoutes(app);
  addImportRoutes(app);
  addSummaryRoutes(app);
  addProductRoutes(app);
  addEvRoutes(app);
  return app;
}

let made: RestApp | undefined;

/** The same for all apps of a process: to describe the paths takes longer than all else that an app is made of. */
export function restApp(): RestApp {
  made ??= createRestApp();
  return made;
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
