import { Hono } from 'hono';
import type { ExchangeBindings } from '../http/exchange.ts';
import { textHeaders } from '../http/text.ts';
import { llmsText } from './llms-text.ts';
import type { McpOptions } from './server.ts';

/**
 * What assistants ask for: tools at `/mcp`, with a token, and what is where at `/llms.txt`, without one. `ready` rejects
 * where the tools cannot be made.
 */
export function assistantRoutes(options: McpOptions & { publicUrl: string }) {
  const routes = new Hono<{ Bindings: ExchangeBindings }>();
  // The protocol is loaded by those alone who have it switched on.
  const server = import('./server.ts').then(({ createMcpServer }) => createMcpServer(options));
  const text = llmsText(options.publicUrl);

  routes.post('/mcp', async (c) => (await server)(c.req.raw, c.env.exchange));
  routes.get('/llms.txt', (c) => c.body(text, 200, textHeaders(text, 'text/plain; charset=utf-8')));
  return { routes, ready: server.then(() => undefined) };
}
