import { z } from 'zod';
import { COLLECTION_KINDS } from './collections.ts';
import { COST_BASES } from './cost-basis.ts';
import { CURRENCIES } from './currencies.ts';
import { GOAL_MATCHES } from './goals.ts';
import {
  CollectionDescription,
  CollectionImage,
  cleanText,
  MoneyInput,
  Name,
  PRICE_SOURCES,
} from './inputs.ts';
import { LIMITS } from './limits.ts';
import { CHANGE_DIRECTIONS, PRICE_ALERT_CONDITIONS } from './price-alerts.ts';

/** What the archive of an account has (docs/platform.md#leaving); ids are those of the account that it was written of. */

export const ARCHIVE_FORMAT = 'cardledger-account';
/** Grows when an older version could not read the archive any more. */
export const ARCHIVE_VERSION = 1;

export const ARCHIVE_FOLDER = 'cardledger-account';
export const CHECKSUMS_FILE = 'SHA256SUMS';

/** In this order; what has `parts` is one file or several, numbered from 1. */
export const ARCHIVE_FILES = [
  { kind: 'account', parts: false, ending: 'json' },
  { kind: 'collections', parts: true, ending: 'json' },
  { kind: 'goal', parts: false, ending: 'json' },
  { kind: 'transactions', parts: true, ending: 'csv' },
  // What they are judged by is what collections hold.
  { kind: 'price-alerts', parts: false, ending: 'json' },
] as const;
export type ArchiveKind = (typeof ARCHIVE_FILES)[number]['kind'];

/** @param part from 1, of what has parts */
export function archiveFile(kind: ArchiveKind, part = 1): string {
  const { parts, ending } = ARCHIVE_FILES.find((file) => file.kind === kind)!;
  return parts ? `${kind}-${String(part).padStart(4, '0')}.${ending}` : `${kind}.${ending}`;
}

const Id = cleanText().max(LIMITS.idCharacters);
/** To the microsecond. */
const Time = z.iso
  .datetime()
  .max('2026-01-01T00:00:00.000000Z'.length, 'must be a time to the microsecond at most');
const Day = z.iso
  .date()
  .refine((day) => day >= LIMITS.firstOccurredDate, `must be from ${LIMITS.firstOccurredDate}`);
const Count = z.int().min(0);
const DecimalText = z.string().regex(/^-?\d{1,40}(\.\d{1,40})?$/, 'must be a decimal number');

export const ArchivedAccount = z.strictObject({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.literal(ARCHIVE_VERSION),
  exportedAt: Time,
  accountId: Id,
  name: z.string(),
  createdAt: Time,
  preferences: z.strictObject({
    preferredCurrency: z.enum(CURRENCIES),
    preferredPriceSource: z.enum(PRICE_SOURCES),
    costBasis: z.enum(COST_BASES),
  }),
  collectionCount: Count,
  priceAlertCount: Count,
  transactionCount: Count,
});

export const ArchivedCollection = z.strictObject({
  collectionId: Id,
  name: Name,
  description: CollectionDescription,
  collectionKind: z.enum(COLLECTION_KINDS),
  valued: z.boolean(),
  pinned: z.boolean(),
  image: CollectionImage,
  isGoalCollection: z.boolean(),
  createdAt: Time,
  transactionCount: Count,
});

export const ArchivedGoalItem = z.strictObject({ variantId: Id, quantity: z.int().min(1) });

/** What the goal collection is to hold, `ArchivedGoalItem` each; a list where there is no other collection. */
export const ArchivedGoal = z.strictObject({
  match: z.enum(GOAL_MATCHES),
  targetCollectionId: Id.nullable(),
  items: z.array(z.unknown()),
});

export const ArchivedAlert = z.strictObject({
  priceAlertId: Id,
  targetId: Id,
  condition: z.enum(PRICE_ALERT_CONDITIONS),
  /** Above, Below. */
  amount: MoneyInput.nullable(),
  /** Change. */
  percent: z.number().nullable(),
  days: z.int().nullable(),
  direction: z.enum(CHANGE_DIRECTIONS).nullable(),
  createdAt: Time,
  isMet: z.boolean(),
  triggerCount: Count.max(2 ** 31 - 1, 'must be below 2147483648'),
  lastTrigger: z
    .strictObject({
      triggeredAt: Time,
      day: Day,
      value: DecimalText,
      currency: z.enum(CURRENCIES),
      change: DecimalText.nullable(),
    })
    .nullable(),
});

/** Of collections or alerts, each of which has its own schema: a list is judged one by one. */
export const ArchivedList = z.array(z.unknown());

export type ArchivedAccount = z.output<typeof ArchivedAccount>;
export type ArchivedCollection = z.output<typeof ArchivedCollection>;
export type ArchivedGoal = Omit<z.output<typeof ArchivedGoal>, 'items'> & {
  items: z.output<typeof ArchivedGoalItem>[];
};
export type ArchivedAlert = z.output<typeof ArchivedAlert>;
