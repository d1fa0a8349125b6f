import { occurredAt } from '../domain/dates.ts';
import { type Money, toJson, toNumber } from '../domain/money.ts';
import { checkPosition, type Page } from '../domain/pagination.ts';
import type { EvBreakdown, ProductEv } from '../domain/product-ev.ts';
import type { Grade, TransactionDetails } from '../domain/transactions.ts';
import type { VariantLabel } from '../memory/names.ts';
import type { Collection } from '../services/collections/model.ts';
import type { IdentityProvider } from '../services/identity-providers/model.ts';
import type { Product } from '../services/products/model.ts';
import type { PricedProduct } from '../services/products/priced.ts';
import type { SubAccount } from '../services/sub-accounts/model.ts';
import type { LabelledSummary } from '../services/summaries/labelled.ts';
import type { ImportPreview, ImportRowCounts } from '../services/transactions/import-preview.ts';
import type { Transaction } from '../services/transactions/model.ts';
import type { Webhook, WebhookDelivery } from '../services/webhooks/model.ts';
import type { PagePosition } from './route-description.ts';
import type {
  AccountBody,
  CollectionBody,
  EvBreakdownBody,
  IdentityProviderBody,
  ImportPreviewBody,
  ProductBody,
  ProductEvBody,
  ProductSearchBody,
  SummaryBody,
  TransactionBody,
  WebhookBody,
  WebhookDeliveryBody,
} from './schemas.ts';

/** The services' results in the contract's shapes; a field of `schemas.ts` that is forgotten here is an error of types. */

function money(amount: Money) {
  return { currency: amount.currency, value: toNumber(amount) };
}

function moneyOrNull(amount: Money | null) {
  return amount && money(amount);
}

export function accountBody({ id, revision: _, ...account }: SubAccount): AccountBody {
  return { accountId: id, ...account };
}

export function identityProviderBody({ revision: _, ...provider }: IdentityProvider): IdentityProviderBody {
  return provider;
}

export function webhookBody({ id, revision: _, ...webhook }: Webhook): WebhookBody {
  return { webhookId: id, ...webhook };
}

export function webhookDeliveryBody({ id, ...delivery }: WebhookDelivery): WebhookDeliveryBody {
  return { deliveryId: id, ...delivery };
}

export function collectionBody(collection: Collection): CollectionBody {
  return {
    collectionId: collection.id,
    name: collection.name,
    valued: collection.valued,
    pinned: collection.pinned,
    isGoalCollection: collection.isGoalCollection,
    description: collection.description,
    quantity: collection.quantity,
    image: collection.image,
    cashPosition: moneyOrNull(collection.cashPosition),
    invested: moneyOrNull(collection.invested),
    profit: moneyOrNull(collection.profit),
    gain: moneyOrNull(collection.gain),
    marketValue: money(collection.marketValue),
    // The contract's collections have none.
    ...(collection.kind === 'Wishlist' && { collectionKind: collection.kind }),
  };
}

export function importPreviewBody(
  { id, collectionId, createdAt, format, rowCount, skipped }: ImportPreview,
  { Matched, Unclear, Wrong, Skipped }: ImportRowCounts,
): ImportPreviewBody {
  const counts = { matched: Matched, unclear: Unclear, wrong: Wrong, skipped: Skipped };
  return { importPreviewId: id, collectionId, createdAt, format, rowCount, skipped, counts };
}

export function transactionBody(transaction: Transaction): TransactionBody {
  return {
    transactionId: transaction.id,
    variantId: transaction.variantId,
    productId: transaction.productId,
    occurred: occurredAt(transaction.occurred),
    action: transaction.action,
    quantity: transaction.quantity,
    unitAmount: money(transaction.unitAmount),
    variantName: transaction.variantName,
    productName: transaction.productName,
    number: transaction.number,
    imageUrl: transaction.imageUrl,
    fcId: transaction.fcId,
    ...(transaction.fees && { fees: money(transaction.fees) }),
    ...(transaction.shipping && { shipping: money(transaction.shipping) }),
    ...(transaction.costUnknown && { costUnknown: true as const }),
    ...detailsBody(transaction),
  };
}

/** Of what is said alone: the contract's transactions have none of it. */
function detailsBody({ cardCondition, grade, language, notes, tags }: TransactionDetails): DetailsBody {
  return {
    ...(cardCondition && { cardCondition }),
    ...(grade && { grade: gradeBody(grade) }),
    ...(language && { language }),
    ...(notes && { notes }),
    ...(tags.length > 0 && { tags }),
  };
}

type DetailsBody = Pick<TransactionBody, keyof TransactionDetails>;

function gradeBody({ certificate, ...rest }: Grade) {
  return certificate === null ? rest : { ...rest, certificate };
}

/** The JSON of what follows from the variant alone, around its amounts. */
type LabelTexts = readonly [head: string, middle: string, tail: string];

/** Makes the text of an object once: those of the catalogue in memory stay the same objects until the next import. */
function oncePerObject<K extends object, T>(make: (object: K) => T): (object: K) => T {
  const made = new WeakMap<K, T>();
  return (object) => {
    let text = made.get(object);
    if (text === undefined) {
      text = make(object);
      made.set(object, text);
    }
    return text;
  };
}

const textsOf = oncePerObject((label: VariantLabel): LabelTexts => {
  const { imageUrl, number, fcId, ...names } = labelBody(label);
  return [
    `${membersOf(names)},"quantity":`,
    `,${membersOf({ imageUrl, number })},`,
    `,${membersOf({ fcId })}`,
  ];
});

/** All of a summary that is the same for everybody who holds the variant. */
function labelBody(label: VariantLabel): Omit<SummaryBody, 'quantity' | 'warning' | AmountName> {
  return {
    variantId: label.variantId,
    variantName: label.variantName,
    productId: label.productId,
    productName: label.productName,
    imageUrl: label.imageUrl,
    number: label.number,
    fcId: label.fcId,
  };
}

type AmountName = 'cashPosition' | 'invested' | 'profit' | 'gain' | 'marketValue';

function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

function moneyText(name: AmountName, amount: Money | null): string {
  return amount ? `"${name}":{"currency":"${amount.currency}","value":${toJson(amount)}}` : `"${name}":null`;
}

/** As JSON; without `warning` where there is nothing to warn of. */
export function summaryText({ summary, label, warning }: LabelledSummary): string {
  const [head, middle, tail] = textsOf(label);
  const { cashPosition, invested, profit, gain, marketValue } = summary;
  const amounts = `${moneyText('cashPosition', cashPosition)},${moneyText('invested', invested)},${moneyText('profit', profit)},${moneyText('gain', gain)},${moneyText('marketValue', marketValue)}`;
  const more = warning === null ? '' : `,${membersOf({ warning })}`;
  return `{${head}${summary.quantity}${middle}${amounts}${tail}${more}}`;
}

export function productBody({ product, variants, prices }: PricedProduct): ProductBody {
  return {
    productId: product.id,
    vendorProductId: product.vendorProductId ?? 0,
    name: product.name,
    number: product.number,
    imageUrl: product.imageUrl,
    description: product.description,
    cardType: product.cardType,
    cardSubType: product.cardSubType,
    class: product.class,
    rarity: product.rarity,
    cost: product.cost,
    defenseValue: product.defenseValue,
    pitchValue: product.pitchValue,
    talent: product.talent,
    power: product.power,
    intellect: product.intellect,
    life: product.life,
    variants: variants.map((variant, i) => ({
      variantId: variant.id,
      variantName: variant.variantName,
      marketPrice: moneyOrNull(prices[i]!),
      fcId: variant.fcId,
      saleVolumes: variant.saleVolumes,
    })),
  };
}

/** As JSON. */
export const productSearchText = oncePerObject(({ id, name, imageUrl, number }: Product): string =>
  JSON.stringify({ productId: id, name, imageUrl, number } satisfies ProductSearchBody),
);

/** As JSON. */
export const evBreakdownText = oncePerObject((breakdown: EvBreakdown): string =>
  JSON.stringify({
    productId: breakdown.productId,
    productName: breakdown.productName,
    fcId: breakdown.fcId,
    imageUrl: breakdown.productImage,
    currentEstimatedValue: money(breakdown.currentEstimatedValue),
    warning: breakdown.warning,
    categories: breakdown.categories.map((category) => ({
      category: category.category,
      categoryName: category.categoryName,
      multiplier: category.multiplier,
      averageMarketPrice: money(category.averageMarketPrice),
      contributedValue: money(category.contributedValue),
    })),
  } satisfies EvBreakdownBody),
);

/** As JSON. */
export const productEvText = oncePerObject((ev: ProductEv): string =>
  JSON.stringify({
    setType: ev.setType,
    productType: ev.productType,
    productId: ev.productId,
    productImage: ev.productImage,
    productName: ev.productName,
    fcId: ev.fcId,
    currentEstimatedValue: money(ev.currentEstimatedValue),
    marketPrice: money(ev.marketPrice),
    marketPriceDelta: money(ev.marketPriceDelta),
    warning: ev.warning,
  } satisfies ProductEvBody),
);

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
