import { z } from '@hono/zod-openapi';
import { CreateCollectionInput, parseInput, UpdateCollectionInput } from '../../domain/inputs.ts';
import { COLLECTION_SORTS } from '../../domain/orders.ts';
import { createCollection } from '../../services/collections/create.ts';
import { deleteCollection } from '../../services/collections/delete.ts';
import { getCollection } from '../../services/collections/get.ts';
import { collectionOrder, listCollections } from '../../services/collections/list.ts';
import { updateCollection } from '../../services/collections/update.ts';
import { idempotently } from '../../services/idempotency.ts';
import { collectionBody, pageBody } from '../representations.ts';
import { addRoute, type RestApp } from '../route.ts';
import { CollectionSchema, PAGE_QUERY, paginated } from '../schemas.ts';

const tag = 'Collections';

export const COLLECTION_ID = z.object({
  collectionId: z.string().meta({ example: 'col_01kn3w4v5h2c8q6r9t0m1n2p3q' }),
});

export function addCollectionRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'post',
    path: '/collection',
    operationId: 'createCollection',
    summary: 'Create a collection',
    tag,
    body: CreateCollectionInput.meta({ id: 'CreateCollection' }),
    response: CollectionSchema,
    problems: ['LimitExceeded', 'IdempotencyMismatch'],
    handle: async ({ context, body, idempotencyKey }) => {
      const input = parseInput(CreateCollectionInput, body);
      const create = (ctx: typeof context) => createCollection(ctx, input);
      const { value, replayed } = await idempotently(
        context,
        idempotencyKey,
        'POST /collection',
        input,
        create,
      );
      return { body: collectionBody(value), revision: value.revision, replayed };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/collection',
    operationId: 'listCollections',
    summary: 'List the collections',
    tag,
    query: z.strictObject({
      sort: z.enum(COLLECTION_SORTS).default('Chronological'),
      ...PAGE_QUERY,
    }),
    response: paginated(CollectionSchema, 'Collections'),
    problems: ['NotFound'],
    handle: async ({ context, query, page: request }) => {
      const page = await listCollections(context, collectionOrder(query.sort), request);
      return { body: pageBody(page, request, collectionBody) };
    },
  });

  addRoute(app, {
    method: 'get',
    path: '/collection/{collectionId}',
    operationId: 'getCollection',
    summary: 'Get a collection',
    tag,
    params: COLLECTION_ID,
    response: CollectionSchema,
    hasEtag: true,
    problems: ['NotFound'],
    handle: async ({ context, params }) => {
      const collection = await getCollection(context, params.collectionId!);
      return { body: collectionBody(collection), revision: collection.revision };
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
    problems: ['NotFound', 'LimitExceeded', 'PreconditionFailed'],
    handle: async ({ context, params, body, revision }) => {
      const all = parseInput(UpdateCollectionInput, body);
      const collection = await updateCollection(context, params.collectionId!, all, revision);
      return { body: collectionBody(collection), revision: collection.revision };
    },
  });

  addRoute(app, {
    method: 'delete',
    path: '/collection/{collectionId}',
    operationId: 'deleteCollection',
    summary: 'Delete a collection and its transactions',
    tag,
    params: COLLECTION_ID,
    response: null,
    problems: ['NotFound', 'CollectionInUse', 'PreconditionFailed'],
    handle: async ({ context, params, revision }) => {
      await deleteCollection(context, params.collectionId!, revision);
      return { body: null };
    },
  });
}
