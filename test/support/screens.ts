import { blocksOf, readDocument } from './readme-blocks.ts';

/** A screen of docs/screens.md. */
export interface Screen {
  title: string;
  query: string;
  /** With the id of a collection in place of `COLLECTION_ID`. */
  variables(collectionId: string): Record<string, unknown>;
}

/** In the order of the document. */
export function screens(): Screen[] {
  const titles = [...readDocument('docs/screens.md').matchAll(/^## (.*)$/gm)].map(([, title]) => title!);
  const blocks = blocksOf('docs/screens.md');
  const queries = blocks.flatMap((block, i) =>
    block.language === 'graphql' ? [{ block, next: blocks[i + 1] }] : [],
  );
  if (queries.length !== titles.length)
    throw new Error('docs/screens.md has another number of screens than of queries.');
  return queries.map(({ block, next }, i) => ({
    title: titles[i]!,
    query: block.text,
    variables: (id) =>
      next?.meta === 'variables' ? JSON.parse(next.text.replaceAll('COLLECTION_ID', id)) : {},
  }));
}
