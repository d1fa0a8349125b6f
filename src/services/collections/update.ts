import { ACCOUNT, type AccountRow } from '../../db/queries/accounts.ts';
import { COLLECTION_STATE, type CollectionRow, UPDATE_COLLECTION } from '../../db/queries/collections.ts';
import { LOCKS } from '../../db/turns.ts';
import { type CollectionKind, NOT_VALUED } from '../../domain/collections.ts';
import { DomainError, notFound, validationFailed } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import { UpdateCollectionChanges, UpdateCollectionInput } from '../../domain/inputs.ts';
import { parseInput } from '../../domain/parse-input.ts';
import type { Context } from '../context.ts';
import { announceCollections } from '../events/announce.ts';
import { idempotently } from '../idempotency.ts';
import { checkRevision, type RequiredRevisions, revisionsParam } from '../revision.ts';
import { keepValueOf, writtenCollection } from './get.ts';
import type { Collection } from './model.ts';

/**
 * Changes the fields that are given. Throws `ValidationFailed`, `NotFound`, `PreconditionFailed` where the collection
 * is at none of `revisions`, `LimitExceeded` for one valued collection too many.
 */
export async function updateCollection(
  ctx: Context,
  id: string,
  changes: unknown,
  revisions: RequiredRevisions = null,
): Promise<Collection> {
  return changed(ctx, id, parseInput(UpdateCollectionChanges, changes), revisions);
}

/** The same, of which all fields must be given. */
export async function replaceCollection(
  ctx: Context,
  id: string,
  fields: unknown,
  revisions: RequiredRevisions = null,
): Promise<Collection> {
  return changed(ctx, id, parseInput(UpdateCollectionInput, fields), revisions);
}

async function changed(
  ctx: Context,
  id: string,
  changes: UpdateCollectionChanges,
  revisions: RequiredRevisions,
): Promise<Collection> {
  // With a key the answer is part of a transaction.
  if (ctx.idempotency) await keepValueOf(ctx, id);
  return idempotently(ctx, 'updateCollection', { id, ...changes }, (once) =>
    update(once, id, changes, revisions),
  );
}

async function update(
  ctx: Context,
  id: string,
  { name, valued, description, pinned, image }: UpdateCollectionChanges,
  revisions: RequiredRevisions,
): Promise<Collection> {
  if (!isIdOf('Collection', id)) throw notFound('collection');
  const params = [
    ctx.caller.accountId,
    id,
    name ?? null,
    valued ?? null,
    description ?? null,
    pinned ?? null,
    image ?? null,
    revisionsParam(revisions),
  ];
  const [row] = await ctx.db.query<CollectionRow>(UPDATE_COLLECTION, params, {
    writes: LOCKS.account,
  });
  if (!row) throw await reasonForNoChange(ctx, id, valued, revisions);
  announceCollections(ctx.db, ctx.caller.accountId, [row]);
  return writtenCollection(ctx, row);
}

async function reasonForNoChange(
  ctx: Context,
  id: string,
  valued: boolean | undefined,
  revisions: RequiredRevisions,
): Promise<DomainError> {
  const { accountId } = ctx.caller;
  const [state] = await ctx.db.query<{ revision: number; kind: CollectionKind }>(COLLECTION_STATE, [
    accountId,
    id,
  ]);
  if (!state) return notFound('collection');
  checkRevision(state.revision, revisions);
  if (valued && state.kind === 'Wishlist')
    return validationFailed([{ path: ['valued'], detail: NOT_VALUED }]);
  const [account] = await ctx.db.query<AccountRow>(ACCOUNT, [accountId]);
  return tooManyValued(account!);
}

export function tooManyValued({ maxValuedCollections, valuedCollectionCount }: AccountRow): DomainError {
  return new DomainError(
    'LimitExceeded',
    `An account may have ${maxValuedCollections} valued collections; set valued to false on another one first.`,
    { limit: maxValuedCollections, current: valuedCollectionCount },
  );
}
