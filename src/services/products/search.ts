import type { CursorShape, Page, PageRequest } from '../../domain/pagination.ts';
import type { Context } from '../context.ts';
import type { Product } from './model.ts';

export function searchOrder(_query: string): CursorShape {
  return { name: 'products-relevance', kinds: ['position'] };
}
export async function searchProducts(
  _ctx: Context,
  _query: string,
  _request: PageRequest,
): Promise<Page<Product>> {
  return { items: [], keys: [], hasNextPage: false, hasPreviousPage: false };
}
export async function countMatches(_ctx: Context, _query: string): Promise<number> {
  return 0;
}
export async function matchingProducts(_ctx: Context, _query: string): Promise<string[]> {
  return [];
}
