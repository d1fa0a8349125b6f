import { Hono } from 'hono';
import { sealedDrawing } from '../../domain/pictures.ts';
import { textHeaders } from '../../http/text.ts';

const DAY_SECONDS = 86_400;

/** Drawings of sealed products that have no picture; without a token, as an `img` sends none. */
export function pictureRoutes(): Hono {
  const routes = new Hono();
  routes.get('/pictures/:set/:file', (c) => {
    const { set, file } = c.req.param();
    const drawing = file.endsWith('.svg') ? sealedDrawing(set, file.slice(0, -'.svg'.length)) : undefined;
    if (drawing === undefined) return c.notFound();
    return c.body(drawing, 200, {
      ...textHeaders(drawing, 'image/svg+xml'),
      'Cache-Control': `public, max-age=${DAY_SECONDS}`,
    });
  });
  return routes;
}
