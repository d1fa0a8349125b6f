import { z } from '@hono/zod-openapi';
import { occurredAt } from '../../domain/dates.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  ACTIONS,
  CARD_CONDITIONS,
  type Grade,
  LANGUAGES,
  type TransactionDetails,
} from '../../domain/transactions.ts';
import type { LabelledTransaction } from '../../services/transactions/labelled.ts';
import {
  EXAMPLE_IDS,
  fcId,
  imageUrl,
  MoneySchema,
  money,
  optionalText,
  productId,
  text,
  transactionId,
  variantId,
  whole,
} from './parts.ts';

const unlessUnsaid = (what: string) => `${what}; left out where nothing is said`;

const GradeSchema = z
  .strictObject({
    company: z
      .string()
      .max(LIMITS.gradeCompanyCharacters)
      .meta({ description: 'Who graded it, in capitals' }),
    grade: z.string().max(LIMITS.gradeCharacters).meta({ description: 'As the company writes it' }),
    certificate: z
      .string()
      .max(LIMITS.certificateCharacters)
      .optional()
      .meta({ description: unlessUnsaid('The number of its certificate') }),
  })
  .openapi('Grade', { description: 'Of a company that grades cards; left out where the cards have none' });

export const TransactionSchema = z
  .strictObject({
    transactionId,
    variantId,
    productId,
    occurred: z.iso.datetime().max(20).meta({ description: 'The day it occurred, at noon UTC' }),
    action: z.enum(ACTIONS),
    quantity: whole(1, LIMITS.quantity),
    unitAmount: MoneySchema,
    variantName: text('name'),
    productName: text('name'),
    number: optionalText,
    imageUrl,
    fcId,
    fees: MoneySchema.optional(),
    shipping: MoneySchema.optional(),
    costUnknown: z.literal(true).optional().meta({
      description: 'Of a purchase whose price nobody knows: unitAmount is 0, and no gain is made of it',
    }),
    cardCondition: z
      .enum(CARD_CONDITIONS)
      .optional()
      .meta({ description: unlessUnsaid('How well the cards are kept') }),
    grade: GradeSchema.optional(),
    language: z
      .enum(LANGUAGES)
      .optional()
      .meta({ description: unlessUnsaid('That the cards are printed in') }),
    notes: z
      .string()
      .max(LIMITS.notesCharacters)
      .optional()
      .meta({ description: unlessUnsaid('Text of yours') }),
    tags: z
      .array(z.string().max(LIMITS.tagCharacters))
      .max(LIMITS.tags)
      .optional()
      .meta({ description: unlessUnsaid('Words of yours') }),
  })
  .openapi('TransactionResponseModel');
type TransactionBody = z.output<typeof TransactionSchema>;

export function transactionBody({ transaction, label }: LabelledTransaction): TransactionBody {
  return {
    transactionId: transaction.id,
    variantId: transaction.variantId,
    productId: label.productId,
    occurred: occurredAt(transaction.occurred),
    action: transaction.action,
    quantity: transaction.quantity,
    unitAmount: money(transaction.unitAmount),
    variantName: label.variantName,
    productName: label.productName,
    number: label.number,
    imageUrl: label.imageUrl,
    fcId: label.fcId,
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

export const VARIANT = {
  variantId: EXAMPLE_IDS.variantId,
  variantName: 'Unlimited Edition Normal',
  productId: EXAMPLE_IDS.productId,
  productName: 'Command and Conquer',
  number: 'ARC159',
  imageUrl: 'https://tcgplayer-cdn.tcgplayer.com/product/225899_200w.jpg',
  fcId: 'ARC159-Unlimited',
};

export const BOUGHT: TransactionBody = {
  transactionId: EXAMPLE_IDS.transactionId,
  ...VARIANT,
  occurred: '2025-03-01T12:00:00Z',
  action: 'Purchase',
  quantity: 4,
  unitAmount: { currency: 'USD', value: 10 },
};

/** All that can be said of the cards. */
export const DETAILS = {
  cardCondition: 'NearMint',
  grade: { company: 'PSA', grade: '9.5', certificate: '12345678' },
  language: 'EN',
  notes: 'From the local store',
  tags: ['for trade'],
} as const satisfies Partial<TransactionBody>;

export const SOLD: TransactionBody = {
  ...BOUGHT,
  transactionId: 'txn_01kp34h880fh70tcrab7q3cez8',
  occurred: '2025-03-08T12:00:00Z',
  action: 'Sale',
  quantity: 1,
  unitAmount: { currency: 'USD', value: 15 },
};
