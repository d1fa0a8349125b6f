import type { CardCondition, Language } from '../../domain/transactions.ts';

/**
 * The cards of each holding ($2, pairs of collection and variant as JSON) by what its transactions say of them: purchases less
 * sales, where that is not 0.
 */
export const QUANTITIES = `
  select x."collectionId", x."variantId", said.*
  from jsonb_to_recordset($2::jsonb) as x("collectionId" text, "variantId" text)
  join collection c on c.account_id = $1 and c.id = x."collectionId" and not c.deleted
  cross join lateral (
    select t.card_condition as "cardCondition", t.language,
      sum(case when t.action = 'Purchase' then t.quantity else -t.quantity end) as quantity
    from transaction t
    where t.account_id = $1 and t.collection_id = x."collectionId" and t.variant_id = x."variantId"
    group by t.card_condition, t.language
  ) said
  where said.quantity <> 0`;

export interface QuantityRow {
  collectionId: string;
  variantId: string;
  cardCondition: CardCondition | null;
  language: Language | null;
  quantity: number;
}
