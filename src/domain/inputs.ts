import { z } from 'zod';
import { hasAtMostCharacters } from '../lib/text.ts';
import { ACCOUNT_STATUSES, ACCOUNT_TOKEN_SCOPES, DEFAULT_SCOPE, READ_SCOPE } from './accounts.ts';
import { COLLECTION_KINDS, NOT_SOLD, NOT_VALUED } from './collections.ts';
import { COST_BASES } from './cost-basis.ts';
import { CURRENCIES, type Currency } from './currencies.ts';
import { addDays, isCalendarDate, notCalendarDate } from './dates.ts';
import { LIMITS } from './limits.ts';
import { hasAtMostDecimals } from './money.ts';
import { CARD_COLUMNS, IMPORT_COSTS, MAPPED_COLUMNS, TRANSACTION_FORMATS } from './transaction-file.ts';
import { ACTIONS, CARD_CONDITIONS, CLEARED_DETAILS, LANGUAGES } from './transactions.ts';
import { WEBHOOK_EVENTS, WEBHOOK_STATUSES } from './webhooks.ts';
import { DATE_ORDERS, DECIMAL_SIGNS } from './written-values.ts';

/** The rules for every value that a client sends. Both transports and the OpenAPI document use these. */

export const PRICE_SOURCES = ['VendorMarket'] as const;
export type PriceSource = (typeof PRICE_SOURCES)[number];
/** As long as it is the only one, every account prefers it, and what is in memory is priced by it. */
export const PRICE_SOURCE: PriceSource = PRICE_SOURCES[0];

/** Without what PostgreSQL cannot store, and what nobody sees. */
export const cleanText = (allowedControls = '') => {
  const control = new RegExp(`(?![${allowedControls}])\\p{Cc}`, 'u');
  return z
    .string()
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode (it has a lone surrogate)')
    .refine((text) => !control.test(text), 'must not contain control characters');
};

/** In any case: all codes are in capitals. */
export const SetCode = cleanText()
  .max(LIMITS.idCharacters, `must have at most ${LIMITS.idCharacters} characters`)
  .transform((code) => code.toUpperCase());

/** Of a collection, an account or a client. */
export const Name = cleanText()
  .trim()
  .refine(
    (name) => name !== '' && hasAtMostCharacters(name, LIMITS.nameCharacters),
    `must have 1 to ${LIMITS.nameCharacters} characters besides leading and trailing spaces`,
  )
  .meta({
    pattern: `^\\s*\\S(.{0,${LIMITS.nameCharacters - 2}}\\S)?\\s*$`,
    maxLength: LIMITS.bodyBytes,
    example: 'My binder',
    description: `1 to ${LIMITS.nameCharacters} characters after trimming; no control characters`,
  });

/** As it is given: it is the app's, and only compared. */
export const ExternalId = cleanText()
  .min(1, `must have 1 to ${LIMITS.externalIdCharacters} characters`)
  .max(LIMITS.externalIdCharacters, `must have 1 to ${LIMITS.externalIdCharacters} characters`)
  .meta({
    example: 'user-4711',
    description: `What your app knows the user by: 1 to ${LIMITS.externalIdCharacters} characters; no control characters`,
  });

export const CreateSubAccountInput = z.strictObject({ name: Name, externalId: ExternalId });

/** A limit that can be set to so much. */
export const limitUpTo = (most: number) => {
  const rule = `must be a whole number from 0 to ${most}`;
  return z.int(rule).min(0, rule).max(most, rule).meta({ format: 'int32' });
};

/** Of what an account may have. */
export const AccountLimits = {
  maxCollections: limitUpTo(LIMITS.maxCollections),
  maxValuedCollections: limitUpTo(LIMITS.maxCollections),
  maxTransactions: limitUpTo(LIMITS.maxTransactions),
};

export const UpdateSubAccountInput = z.strictObject({
  name: Name.nullish(),
  status: z.enum(ACCOUNT_STATUSES).nullish(),
  maxCollections: AccountLimits.maxCollections.nullish(),
  maxValuedCollections: AccountLimits.maxValuedCollections.nullish(),
  maxTransactions: AccountLimits.maxTransactions.nullish(),
});

const EXPIRES_IN = `must be a whole number from ${LIMITS.accountTokenMinSeconds} to ${LIMITS.accountTokenMaxSeconds}`;

export const CreateAccountTokenInput = z.strictObject({
  scope: z
    .enum(ACCOUNT_TOKEN_SCOPES)
    .meta({ description: 'default: everything of the account; read: without any change' }),
  expiresIn: z
    .int(EXPIRES_IN)
    .min(LIMITS.accountTokenMinSeconds, EXPIRES_IN)
    .max(LIMITS.accountTokenMaxSeconds, EXPIRES_IN)
    .meta({ format: 'int32', description: 'Seconds for which the token is good' }),
});

const ISSUER = 'must be an https address without a query, such as https://login.example';

function isIssuer(text: string): boolean {
  if (!/^https?:\/\//.test(text) || /[?#\s]/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

const upTo = (most: number) => {
  const rule = `must have 1 to ${most} characters`;
  return cleanText().min(1, rule).max(most, rule);
};

/** A value of a token's scope (RFC 6749 §3.3). */
const scopeValue = (fallback: string, what: string) =>
  upTo(LIMITS.scopeCharacters)
    .regex(
      /^[\x21\x23-\x5b\x5d-\x7e]*$/,
      'must have no spaces, quotes, backslashes, or characters beyond ASCII',
    )
    .nullish()
    .meta({
      example: fallback,
      description: `The value of a token's scope with which it may ${what}; \`${fallback}\` where it is left out`,
    });

export const IdentityProviderInput = z
  .strictObject({
    issuer: upTo(LIMITS.issuerCharacters).refine(isIssuer, ISSUER).meta({
      example: 'https://login.app.example',
      description:
        'The issuer of the tokens, exactly as their `iss` has it. Its document is read at `/.well-known/openid-configuration` behind it',
    }),
    audience: upTo(LIMITS.issuerCharacters).meta({
      example: 'https://cards.app.example',
      description: 'What the tokens have as their audience (`aud`), alone or among others',
    }),
    createsAccounts: z
      .boolean()
      .meta({ description: 'Whether a user who is seen for the first time is given an account' }),
    defaultScope: scopeValue(DEFAULT_SCOPE, 'do everything of the account'),
    readScope: scopeValue(READ_SCOPE, 'read, without any change'),
  })
  .refine(({ defaultScope, readScope }) => (defaultScope ?? DEFAULT_SCOPE) !== (readScope ?? READ_SCOPE), {
    path: ['readScope'],
    error: 'must be another one than defaultScope',
  });

const URL_RULE = `must be an address that begins with https:// and has at most ${LIMITS.webhookUrlCharacters} characters`;

/** As URLs are written; where it leads is looked at by who knows the networks. */
const WebhookUrl = cleanText()
  .max(LIMITS.webhookUrlCharacters, URL_RULE)
  .refine((text) => /^https?:\/\/[^/]/.test(text) && URL.canParse(text), URL_RULE)
  .refine(
    (text) => !/[#\s]|^https?:\/\/[^/?]*@/.test(text),
    'must have no user, password, fragment or spaces',
  )
  .meta({ example: 'https://app.example/webhooks', description: 'Where messages are sent' });

const EVENTS_RULE = `must be one or more of ${WEBHOOK_EVENTS.join(', ')}`;

const WebhookEvents = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1, EVENTS_RULE)
  .max(WEBHOOK_EVENTS.length, EVENTS_RULE)
  .meta({ description: 'What it is told of' });

export const CreateWebhookInput = z.strictObject({
  url: WebhookUrl,
  events: WebhookEvents.nullish().meta({
    description: 'What it is told of; everything where it is left out',
  }),
  allAccounts: z.boolean().nullish().meta({
    description: 'Whether it is told of all accounts below yours, too: for a token of the scope platform',
  }),
});

export const UpdateWebhookInput = z.strictObject({
  url: WebhookUrl.nullish(),
  events: WebhookEvents.nullish(),
  status: z.enum(WEBHOOK_STATUSES).nullish(),
});

export const CollectionDescription = cleanText('\n\r\t')
  .refine(
    (text) => hasAtMostCharacters(text, LIMITS.descriptionCharacters),
    `must have at most ${LIMITS.descriptionCharacters} characters`,
  )
  .meta({
    maxLength: LIMITS.descriptionCharacters,
    description: `At most ${LIMITS.descriptionCharacters} characters; of control characters only line ends and tabs`,
  });

export const CollectionImage = z
  .int(`must be a whole number from 0 to ${LIMITS.image}`)
  .min(0)
  .max(LIMITS.image)
  .meta({ format: 'int32' });

export const Quantity = z
  .int(`must be a whole number from 1 to ${LIMITS.quantity}`)
  .min(1)
  .max(LIMITS.quantity)
  .meta({ format: 'int32' });

const AMOUNT_RULE = `must be a number from 0 to ${LIMITS.unitAmount} with at most ${LIMITS.unitAmountDecimals} decimals`;

const CurrencyInput = z.enum(CURRENCIES, 'must be a currency code with a known exchange rate, such as USD');

const AmountValue = z
  .number(AMOUNT_RULE)
  .min(0)
  .max(LIMITS.unitAmount)
  .refine((value) => hasAtMostDecimals(value, LIMITS.unitAmountDecimals), AMOUNT_RULE)
  // −0 is 0: it must not come back as another number than it went in.
  .overwrite((value) => value + 0);

/** All such amounts are exact as numbers. */
export const DecimalAmount = z
  .string(AMOUNT_RULE)
  .regex(/^\d{1,10}(\.\d{1,4})?$/, { error: AMOUNT_RULE, abort: true })
  .refine((decimal) => Number(decimal) <= LIMITS.unitAmount, AMOUNT_RULE);

/** An amount, given as a number or as its decimal text. */
export const MoneyInput = z
  .strictObject({
    currency: CurrencyInput,
    value: AmountValue.optional().meta({ description: 'The amount as a number, unless decimal is given' }),
    decimal: DecimalAmount.optional().meta({
      description: 'The same as decimal text, in place of value',
      maxLength: 15,
      example: '9.99',
    }),
  })
  .refine(({ value, decimal }) => value !== undefined || decimal !== undefined, {
    path: ['value'],
    // Beside what else is wrong.
    when: ({ value: given }) => typeof given === 'object' && given !== null && !Array.isArray(given),
  })
  .refine(({ value, decimal }) => value === undefined || decimal === undefined, {
    path: ['decimal'],
    error: 'must not be given together with value',
  })
  .transform(({ currency, value, decimal }): MoneyInput => ({ currency, value: value ?? Number(decimal) }))
  .meta({ id: 'MoneyInput' });

/** A day; the rules of `transactionRules` bound it too. */
const OccurredDate = z
  .string()
  .refine(isCalendarDate, { error: ({ input }) => notCalendarDate(input as string) })
  .meta({
    example: '2026-01-31',
    format: 'date',
    maxLength: 10,
    description: 'From 1970-01-01 to tomorrow, in UTC',
  });

const ActionInput = z.enum(ACTIONS);

const VariantId = z
  .string('must be an id')
  .meta({ maxLength: LIMITS.idCharacters, description: 'Identifier of the variant' });

/** It is not valued where nothing is said of that. */
export const CreateCollectionInput = z
  .strictObject({
    name: Name,
    collectionKind: z
      .enum(COLLECTION_KINDS)
      .optional()
      .meta({ description: 'A collection where nothing is said' }),
    valued: z.boolean().optional(),
  })
  .refine(({ collectionKind, valued }) => collectionKind !== 'Wishlist' || valued !== true, {
    path: ['valued'],
    error: NOT_VALUED,
  });

export const UpdateCollectionInput = z.strictObject({
  name: Name,
  valued: z.boolean(),
  description: CollectionDescription,
  pinned: z.boolean(),
  image: CollectionImage,
});
export const UpdateCollectionChanges = UpdateCollectionInput.partial();

const shortText = (most: number) =>
  cleanText()
    .trim()
    .refine(
      (text) => text !== '' && hasAtMostCharacters(text, most),
      `must have 1 to ${most} characters besides leading and trailing spaces`,
    )
    .meta({ maxLength: LIMITS.bodyBytes });

export const GradeInput = z
  .strictObject({
    company: shortText(LIMITS.gradeCompanyCharacters)
      .toUpperCase()
      .meta({ description: 'Who graded it; kept in capitals', example: 'PSA' }),
    grade: shortText(LIMITS.gradeCharacters).meta({
      description: 'As the company writes it',
      example: '9.5',
    }),
    certificate: shortText(LIMITS.certificateCharacters).optional().meta({ description: 'Its number' }),
  })
  .meta({ id: 'GradeInput' });

const MOST_NOTES_UNITS = 2 * LIMITS.notesCharacters;

/** Line ends are one character, as files that are read have them; a text that is too long with any stays as it is. */
const Notes = cleanText('\n\r\t')
  .trim()
  .overwrite((text) => (text.length > 2 * MOST_NOTES_UNITS ? text : text.replaceAll(/\r\n?/g, '\n')))
  .refine(
    (text) => hasAtMostCharacters(text, LIMITS.notesCharacters),
    `must have at most ${LIMITS.notesCharacters} characters`,
  )
  .meta({
    maxLength: LIMITS.bodyBytes,
    description: `At most ${LIMITS.notesCharacters} characters; of control characters only line ends and tabs`,
  });

/** Files have tags in one column, so what separates them there is in none. */
export const Tag = shortText(LIMITS.tagCharacters).refine(
  (tag) => !/[,;]/.test(tag),
  'must have no commas and semicolons',
);
const Tags = z
  .array(Tag)
  .max(LIMITS.tags, `must have at most ${LIMITS.tags} tags`)
  .refine((tags) => new Set(tags).size === tags.length, 'must not have a tag twice')
  .meta({
    description: `At most ${LIMITS.tags}, each of 1 to ${LIMITS.tagCharacters} characters without commas and semicolons`,
    example: ['for trade'],
  });

/** What a collector says of the cards. */
const DETAILS = {
  cardCondition: z.enum(CARD_CONDITIONS).meta({ description: 'How well the cards are kept' }),
  grade: GradeInput,
  language: z.enum(LANGUAGES).meta({ description: 'That the cards are printed in' }),
  notes: Notes,
  tags: Tags,
};

const CostUnknown = z.boolean('must be true or false').meta({
  description: 'Of a purchase whose price nobody knows: unitAmount is 0 then, and no gain is made of it',
});

export const CreateTransactionInput = z.strictObject({
  variantId: VariantId,
  occurredDate: OccurredDate,
  action: ActionInput,
  quantity: Quantity,
  unitAmount: MoneyInput,
  costUnknown: CostUnknown.optional(),
  fees: MoneyInput.optional(),
  shipping: MoneyInput.optional(),
  ...z.object(DETAILS).partial().shape,
});

/** Only the fields that are there and not null are changed. */
export const UpdateTransactionInput = z.strictObject({
  occurredDate: OccurredDate.nullish(),
  action: ActionInput.nullish(),
  quantity: Quantity.nullish(),
  unitAmount: MoneyInput.nullish(),
  costUnknown: CostUnknown.nullish(),
  fees: MoneyInput.nullish(),
  shipping: MoneyInput.nullish(),
  cardCondition: DETAILS.cardCondition.nullish(),
  grade: DETAILS.grade.nullish(),
  language: DETAILS.language.nullish(),
  notes: DETAILS.notes.nullish(),
  tags: DETAILS.tags.nullish(),
  clear: z
    .array(z.enum(CLEARED_DETAILS))
    .max(CLEARED_DETAILS.length)
    .nullish()
    .meta({ description: 'What is to be said no more; empty notes and tags take away those' }),
});

const Id = z.string('must be an id');

const MOVED_RULE = `must have 1 to ${LIMITS.bulkTransactions} ids`;

/** From one collection to another: transactions by their ids, or all of a variant. */
export const MoveTransactionsInput = z
  .strictObject({
    fromCollectionId: Id,
    toCollectionId: Id,
    transactionIds: z.array(Id).min(1, MOVED_RULE).max(LIMITS.bulkTransactions, MOVED_RULE).optional(),
    variantId: Id.optional(),
  })
  .superRefine(({ fromCollectionId, toCollectionId, transactionIds, variantId }, { addIssue }) => {
    if (fromCollectionId === toCollectionId)
      addIssue({ code: 'custom', path: ['toCollectionId'], message: ANOTHER_RULE });
    if ((transactionIds === undefined) === (variantId === undefined)) {
      const message = 'either these or variantId must be given';
      addIssue({ code: 'custom', path: ['transactionIds'], message });
    }
  });

const ANOTHER_RULE = 'must be another collection';

export const MergeCollectionsInput = z
  .strictObject({ fromCollectionId: Id, intoCollectionId: Id })
  .refine(({ fromCollectionId, intoCollectionId }) => fromCollectionId !== intoCollectionId, {
    path: ['intoCollectionId'],
    error: ANOTHER_RULE,
  });

const COLUMN_NAME_RULE = `must have 1 to ${LIMITS.nameCharacters} characters`;
export const ColumnName = z
  .string()
  .trim()
  .min(1, COLUMN_NAME_RULE)
  .max(LIMITS.nameCharacters, COLUMN_NAME_RULE);

/** Names of columns by what they hold. */
const ColumnsInput = z
  .strictObject({
    ...(Object.fromEntries(MAPPED_COLUMNS.map((column) => [column, ColumnName.optional()])) as Record<
      (typeof MAPPED_COLUMNS)[number],
      z.ZodOptional<typeof ColumnName>
    >),
    quantity: ColumnName,
  })
  .refine((columns) => CARD_COLUMNS.some((column) => columns[column] !== undefined), {
    message: `must name the column of the card: one of ${CARD_COLUMNS.join(', ')}`,
  });

/** How a file of transactions is to be read; the last three are for what it does not say. */
const IMPORT_FORM = {
  format: z.enum(TRANSACTION_FORMATS).optional(),
  columns: ColumnsInput.optional(),
  dateOrder: z.enum(DATE_ORDERS).optional(),
  decimalSign: z.enum(DECIMAL_SIGNS).optional(),
  occurredDate: OccurredDate.optional(),
  unitAmount: MoneyInput.optional(),
  currency: CurrencyInput.optional(),
};

/** Its text, or its bytes where they came as a file. */
const FileOfTransactions = z.union([z.string(), z.instanceof(Uint8Array)], 'must be a text');

const CHOICES_RULE = `must have at most ${LIMITS.importChoices} choices`;

/** What is to be done with its rows. */
const IMPORT_DECISIONS = {
  choices: z
    .array(
      z
        .strictObject({
          line: z.int('must be a line of the file').min(1),
          variantId: VariantId.optional(),
          skip: z.boolean().optional(),
        })
        .refine(({ variantId, skip }) => (variantId === undefined) === (skip === true), {
          message: 'must have either variantId or skip',
        }),
    )
    .max(LIMITS.importChoices, CHOICES_RULE)
    .superRefine((choices, issues) => {
      const lines = new Set<number>();
      for (const [i, { line }] of choices.entries()) {
        if (lines.has(line))
          issues.addIssue({
            code: 'custom',
            path: [i, 'line'],
            message: 'must not be that of another choice',
          });
        lines.add(line);
      }
    })
    .default([]),
  skipErrors: z.boolean().default(false),
  cost: z.enum(IMPORT_COSTS).default('AsFiled'),
  dryRun: z.boolean().default(false),
};

export const ImportTransactionsInput = z.strictObject({
  csv: FileOfTransactions,
  ...IMPORT_FORM,
  ...IMPORT_DECISIONS,
});

/** Is read once, so while it comes. */
const ArrivingFile = z.custom<AsyncIterable<Uint8Array>>(
  (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
);

/** A file of which a preview is to be kept. */
export const PreviewImportInput = z.strictObject({
  csv: z.union([z.string(), ArrivingFile], 'must be a text'),
  ...IMPORT_FORM,
});

/** What is to be done with the rows of a kept preview. */
export const ImportPreviewedInput = z.strictObject({
  occurredDate: OccurredDate.optional(),
  unitAmount: MoneyInput.optional(),
  ...IMPORT_DECISIONS,
});

/** The rules for transactions as of a day: `occurredDate` reaches from 1970-01-01 to the day after it. */
export const transactionRules = keptForOneDay((today: string) => {
  const last = addDays(today, 1);
  const occurredDate = OccurredDate.refine(
    (date) => !isCalendarDate(date) || (date >= LIMITS.firstOccurredDate && date <= last),
    `must be from ${LIMITS.firstOccurredDate} to ${last}`,
  );
  const create = CreateTransactionInput.extend({ occurredDate })
    .superRefine(inOneCurrency)
    .superRefine(ofUnknownCost);
  const countRule = `must have 1 to ${LIMITS.bulkTransactions} transactions`;
  return {
    create,
    /** For a wish list. */
    wish: create.refine(({ action }) => action === 'Purchase', { path: ['action'], error: NOT_SOLD }),
    /** A list of `create`, each for itself. */
    createMany: z.array(z.unknown()).min(1, countRule).max(LIMITS.bulkTransactions, countRule),
    update: UpdateTransactionInput.extend({ occurredDate: occurredDate.nullish() })
      .superRefine(inOneCurrency)
      .superRefine(ofUnknownCost)
      .superRefine(notBoth),
    importFile: ImportTransactionsInput.extend({ occurredDate: occurredDate.optional() }),
    previewImport: PreviewImportInput.extend({ occurredDate: occurredDate.optional() }),
    importPreviewed: ImportPreviewedInput.extend({ occurredDate: occurredDate.optional() }),
  };
});

/** Of the amounts of a transaction that are given. */
function inOneCurrency(given: UpdateTransactionInput, { addIssue }: z.RefinementCtx): void {
  const [first, ...others] = AMOUNTS.filter((name) => given[name]);
  for (const name of others) {
    const { currency } = given[first!]!;
    if (given[name]!.currency === currency) continue;
    const message = `must be ${currency}, as that of ${first}`;
    addIssue({ code: 'custom', path: [name, 'currency'], message });
  }
}

const AMOUNTS = ['unitAmount', 'fees', 'shipping'] as const;

/** What is given beside a cost that is not known. */
function ofUnknownCost(
  { costUnknown, action, unitAmount }: UpdateTransactionInput,
  { addIssue }: z.core.$RefinementCtx,
): void {
  if (!costUnknown) return;
  if (action === 'Sale') addIssue({ code: 'custom', path: ['costUnknown'], message: COST_OF_SALE });
  if (unitAmount && unitAmount.value !== 0) {
    const message = 'must be 0, or costUnknown false: a price is given, or it is not known';
    addIssue({ code: 'custom', path: ['unitAmount', 'value'], message });
  }
}

export const COST_OF_SALE = 'must not be true of a sale: what it brought is its unitAmount';

/** What is given is not taken away. */
function notBoth(changes: UpdateTransactionInput, { addIssue }: z.core.$RefinementCtx): void {
  for (const [i, detail] of (changes.clear ?? []).entries()) {
    const name = uncapitalized(detail);
    if (changes[name] == null) continue;
    addIssue({ code: 'custom', path: ['clear', i], message: `must not name ${name}, which is given` });
  }
}

function uncapitalized<Text extends string>(text: Text): Uncapitalize<Text> {
  return (text[0]!.toLowerCase() + text.slice(1)) as Uncapitalize<Text>;
}

function keptForOneDay<T>(make: (today: string) => T): (today: string) => T {
  let kept: { today: string; made: T } | undefined;
  return (today) => {
    if (kept?.today !== today) kept = { today, made: make(today) };
    return kept.made;
  };
}

export const UpdatePreferencesInput = z.strictObject({
  preferredCurrency: z.enum(CURRENCIES).optional(),
  preferredPriceSource: z.enum(PRICE_SOURCES).optional(),
  costBasis: z.enum(COST_BASES).optional(),
});

const YEAR_RULE = 'must be a year from 1970 to 9999';

export const YearInput = z.int(YEAR_RULE).min(1970).max(9999);

export const IdempotencyKey = z
  .string()
  .regex(
    new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.idempotencyKeyCharacters}}$`),
    `must be 1 to ${LIMITS.idempotencyKeyCharacters} visible ASCII characters`,
  );

export type CreateSubAccountInput = z.output<typeof CreateSubAccountInput>;
export type IdentityProviderInput = z.output<typeof IdentityProviderInput>;
export type UpdateSubAccountInput = z.output<typeof UpdateSubAccountInput>;
export type CreateWebhookInput = z.output<typeof CreateWebhookInput>;
export type UpdateWebhookInput = z.output<typeof UpdateWebhookInput>;
export type CreateCollectionInput = z.output<typeof CreateCollectionInput>;
export type UpdateCollectionChanges = z.output<typeof UpdateCollectionChanges>;
export type UpdatePreferencesInput = z.output<typeof UpdatePreferencesInput>;
export type CreateTransactionInput = z.output<typeof CreateTransactionInput>;
export type UpdateTransactionInput = z.output<typeof UpdateTransactionInput>;
export type ImportTransactionsInput = z.output<typeof ImportTransactionsInput>;
export type PreviewImportInput = z.output<typeof PreviewImportInput>;
export type ImportPreviewedInput = z.output<typeof ImportPreviewedInput>;
export type MoneyInput = { currency: Currency; value: number };
