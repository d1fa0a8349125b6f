import { z } from '@hono/zod-openapi';
import { CreateCollectionInput, UpdateCollectionInput } from '../../domain/inputs.ts';
import { LIMITS } from '../../domain/limits.ts';
import { COLLECTION_SORTS, DEFAULT_SORTS } from '../../domain/orders.ts';
import { createCollection } from '../../services/collections/create.ts';
import { deleteCollection } from '../../services/collections/delete.ts';
import { getCollection } from '../../services/collections/get.ts';
import { collectionOrder, listCollections } from '../../services/collections/list.ts';
import type { Collection } from '../../services/collections/model.ts';
import { replaceCollection } from '../../services/collections/update.ts';
import { CollectionSchema, collectionBody } from '../models/collections.ts';
import { EXAMPLE_IDS, idOf } from '../models/parts.ts';
import { PAGE_QUERY, pageBody, paginated } from '../pages.ts';
import { addRoute } from '../route.ts';
import type { Reply, RestApp } from '../route-description.ts';

const tag = 'Collections';

export const COLLECTION_ID = z.object({
  collectionId: idOf('col', EXAMPLE_IDS.collectionId, 'Identifier of the collection'),
});

function collectionReply(collection: Collection): Reply {
  const { revision } = collection;
  return {
    body: collectionBody(collection),
    ...(revision !== undefined && { revision }),
    ...unknownIn([collection]),
  };
}

/** Cards that are held without a known price, and those that were bought at a cost that is not known. */
export function unknownIn(
  held: readonly Pick<Collection, 'unpriced' | 'boughtAtUnknownCost'>[],
): Pick<Reply, 'unpriced' | 'unknownCost'> {
  return {
    unpriced: held.reduce((sum, { unpriced }) => sum + unpriced, 0),
    unknownCost: held.reduce((sum, { boughtAtUnknownCost }) => sum + boughtAtUnknownCost, 0),
  };
}

export function addCollectionRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'post',
    path: '/collection',
    operationId: 'createCollection',
    summary: 'Create a collection',
    description: `It is empty, valued only where that is said, not pinned, and not the goal collection. An account may have ${LIMITS.collections}, unless the operator has set another limit.`,
    tag,
    body: CreateCollectionInput.meta({ id: 'CreateCollection' }),
    response: CollectionSchema,
    problems: ['LimitExceeded', 'IdempotencyMismatch'],
    handle: async ({ context, body }) => {
      const collection = await createCollection(context, body);
      return { ...collectionReply(collection), location: `/collection/${collection.id}` };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/collection',
    operationId: 'listCollections',
    summary: 'List the collections',
    description: 'In pages; `Link` has the addresses of the others.',
    tag,
    query: z.strictObject({
      sort: z
        .enum(COLLECTION_SORTS)
        .default(DEFAULT_SORTS.collections)
        .meta({ description: 'The order', example: 'Alphabetical' }),
      ...PAGE_QUERY,
    }),
    response: paginated(CollectionSchema, 'Collections'),
    hasHeldValues: true,
    problems: ['NotFound'],
    handle: async ({ context, query, page: request }) => {
      const page = await listCollections(context, collectionOrder(query.sort), request);
      return { body: pageBody(page, request, collectionBody), ...unknownIn(page.items) };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/collection/{collectionId}',
    operationId: 'getCollection',
    summary: 'Get a collection',
    description: 'Its amounts are the sums over its transactions, in the preferred currency.',
    tag,
    params: COLLECTION_ID,
    response: CollectionSchema,
    hasEtag: true,
    hasHeldValues: true,
    problems: ['NotFound'],
    handle: async ({ context, params }) => {
      return collectionReply(await getCollection(context, params.collectionId!));
    },
  });

  addRoute(app, {
    method: 'put',
    path: '/collection/{collectionId}',
    operationId: 'updateCollection',
    summary: 'Update a collection',
    description:
      'All five fields must be present. `If-Match` with the ETag of a GET makes sure that nobody changed it meanwhile.',
    tag,
    params: COLLECTION_ID,
    body: UpdateCollectionInput.meta({ id: 'UpdateCollection' }),
    response: CollectionSchema,
    hasHeldValues: true,
    problems: ['NotFound', 'LimitExceeded', 'PreconditionFailed'],
    handle: async ({ context, params, body, revisions }) => {
      return collectionReply(await replaceCollection(context, params.collectionId!, body, revisions));
    },
  });

  addRoute(app, {
    method: 'delete',
    path: '/collection/{collectionId}',
    operationId: 'deleteCollection',
    summary: 'Delete a collection and its transactions',
    description: 'The goal collection, its target, and one with a price alert cannot be deleted.',
    tag,
    params: COLLECTION_ID,
    response: null,
    problems: ['NotFound', 'CollectionInUse', 'PreconditionFailed'],
    handle: async ({ context, params, revisions }) => {
      await deleteCollection(context, params.collectionId!, revisions);
      return { body: null };
    },
  });
}
