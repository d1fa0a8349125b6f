import { z } from '@hono/zod-openapi';
import { type Money, toJson } from '../../domain/money.ts';
import type { VariantLabel } from '../../memory/names.ts';
import type { LabelledSummary } from '../../services/summaries/labelled.ts';
import { COLLECTION } from './collections.ts';
import {
  derived,
  fcId,
  held,
  imageUrl,
  MoneySchema,
  membersOf,
  oncePerObject,
  optionalText,
  productId,
  text,
  variantId,
} from './parts.ts';
import { VARIANT } from './transactions.ts';

export const SummarySchema = z
  .strictObject({
    variantId,
    variantName: text('name'),
    productId,
    productName: text('name'),
    quantity: held,
    imageUrl,
    number: optionalText,
    cashPosition: derived,
    invested: derived,
    profit: derived,
    gain: derived,
    marketValue: MoneySchema,
    fcId,
    warning: text('warning', {
      description: 'What makes the figures less than they seem; left out where there is nothing of the kind',
    }).optional(),
  })
  .openapi('TransactionSummaryResponseModel');
type SummaryBody = z.output<typeof SummarySchema>;

/** The JSON of what follows from the variant alone, around its amounts. */
type LabelTexts = readonly [head: string, middle: string, tail: string];

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

const { quantity, cashPosition, invested, profit, gain, marketValue } = COLLECTION;

/** Of the one variant that the collection holds. */
export const SUMMARY: SummaryBody = {
  ...VARIANT,
  quantity,
  cashPosition,
  invested,
  profit,
  gain,
  marketValue,
};
