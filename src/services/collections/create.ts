import { ACCOUNT, type AccountRow } from '../../db/queries/accounts.ts';
import { type CollectionRow, CREATE_COLLECTION } from '../../db/queries/collections.ts';
import { LOCKS } from '../../db/turns.ts';
import { DomainError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { CreateCollectionInput } from '../../domain/inputs.ts';
import { parseInput } from '../../domain/parse-input.ts';
import { type Context, observed } from '../context.ts';
import { idempotently } from '../idempotency.ts';
import { Collection } from './model.ts';
import { tooManyValued } from './update.ts';

/** Throws `ValidationFailed`; `LimitExceeded` where the account has all the collections that it may have. */
export async function createCollection(ctx: Context, input: unknown): Promise<Collection> {
  const parsed = parseInput(CreateCollectionInput, input);
  return idempotently(ctx, 'createCollection', parsed, (once) => insert(once, parsed));
}

async function insert(
  ctx: Context,
  { name, valued = false, collectionKind = 'Collection' }: CreateCollectionInput,
): Promise<Collection> {
  const { accountId } = ctx.caller;
  const now = ctx.now();
  const id = newId('Collection', now.getTime());
  const params = [accountId, id, name, now.toISOString(), valued, collectionKind];
  const rows = await ctx.db.query<CollectionRow>(CREATE_COLLECTION, params, {
    writes: LOCKS.account,
  });
  const [row] = observed(ctx, rows);
  if (row) return new Collection(row);
  const [account] = await ctx.db.query<AccountRow>(ACCOUNT, [accountId]);
  if (!account) throw new DomainError('Unauthorized', 'The account of this token does not exist any more.');
  if (account.collectionCount < account.maxCollections) throw tooManyValued(account);
  throw new DomainError(
    'LimitExceeded',
    `An account may have ${account.maxCollections} collections; delete one first.`,
    {
      limit: account.maxCollections,
      current: account.collectionCount,
    },
  );
}
