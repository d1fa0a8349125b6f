import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { replaceResponse, sent } from '../http/answer.ts';
import type { Context } from '../services/context.ts';
import { ObservedRequest, type Observers } from './requests.ts';

interface Env {
  Variables: { requestId: string; observed: ObservedRequest; context: Context };
}

/** Gives each request its id, which its answer carries, and observes it. */
export function observeRequests(observers: Observers): MiddlewareHandler<Env> {
  return async (c, next) => {
    const observed = new ObservedRequest(
      {
        method: c.req.method,
        path: c.req.path,
        givenId: c.req.header('X-Request-Id'),
        traceparent: c.req.header('traceparent'),
      },
      observers,
    );
    c.set('observed', observed);
    c.set('requestId', observed.requestId);
    await next();
    c.res.headers.set('X-Request-Id', observed.requestId);
    const response = sent(c.res);
    if (response !== c.res) replaceResponse(c, response);
    observed.end({ status: c.res.status, route: routeOf(routePath(c)), caller: c.get('context')?.caller });
  };
}

const documented = new Map<string, string>();

/** A path of Hono's as the documents have it; `unmatched` where no route took the request. */
function routeOf(path: string): string {
  let route = documented.get(path);
  if (route === undefined) {
    route = path.includes('*') ? 'unmatched' : path.replaceAll(/:(\w+)/g, '{$1}');
    documented.set(path, route);
  }
  return route;
}
