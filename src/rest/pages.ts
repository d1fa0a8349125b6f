import { z } from '@hono/zod-openapi';
import { LIMITS } from '../domain/limits.ts';
import { checkPosition, type Page } from '../domain/pagination.ts';
import { whole } from './models/parts.ts';
import type { PagePosition } from './route-description.ts';

/** One page of a list. */
export function paginated<T extends z.ZodType>(item: T, name: string) {
  return z
    .object({
      results: z.array(item).max(LIMITS.pageSize),
      nextCursor: whole(1, Number.MAX_SAFE_INTEGER, {
        description: 'Present only when there are more results',
      }).optional(),
    })
    .openapi(`Paginated${name}`);
}

/** Texts in the URL, so the rules of `pageByPosition` read them; the document says what they stand for. */
export const PAGE_QUERY = {
  cursor: z
    .string()
    .optional()
    .meta({
      ...{ type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      description: 'The nextCursor of the page before; 0 for the first page',
      example: 0,
    }),
  pageSize: z
    .string()
    .optional()
    .meta({
      ...{ type: 'integer', format: 'int32', minimum: 1, maximum: LIMITS.pageSize },
      description: `Results on a page, 1 to ${LIMITS.pageSize}; ${LIMITS.defaultPageSize} where it is left out`,
      example: 2,
    }),
};

/** A page by position. Throws `NotFound` for a cursor past the last item. */
export function pageBody<T>(page: Page<T>, request: PagePosition, body: (item: T, place: number) => unknown) {
  const nextCursor = nextCursorOf(page, request);
  const results = page.items.map(body);
  return nextCursor === undefined ? { results } : { results, nextCursor };
}

/** The same of items whose JSON is at hand. */
export function pageText<T>(page: Page<T>, request: PagePosition, text: (item: T, place: number) => string) {
  const nextCursor = nextCursorOf(page, request);
  const results = `{"results":[${page.items.map(text).join()}]`;
  return nextCursor === undefined
    ? { body: {}, text: `${results}}` }
    : { body: { nextCursor }, text: `${results},"nextCursor":${nextCursor}}` };
}

function nextCursorOf({ items, hasNextPage }: Page<unknown>, { position }: PagePosition): number | undefined {
  checkPosition(position, items.length);
  return hasNextPage ? position + items.length : undefined;
}
