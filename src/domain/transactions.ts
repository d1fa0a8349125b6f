import { DecimalSum, decimalOf } from './money.ts';

export const ACTIONS = ['Purchase', 'Sale'] as const;
export type Action = (typeof ACTIONS)[number];

interface Recorded {
  action: Action;
  quantity: number;
  unitAmount: { value: number };
  fees?: { value: number } | undefined;
  shipping?: { value: number } | undefined;
}

/** What was paid in all, or what a sale brought, in the currency of its amounts. */
export function totalOf({ action, quantity, unitAmount, fees, shipping }: Recorded): string {
  const total = new DecimalSum();
  total.add(decimalOf(unitAmount.value), quantity);
  for (const charge of [fees, shipping])
    total.add(decimalOf(charge?.value ?? 0), action === 'Purchase' ? 1 : -1);
  return total.text;
}

/** The best first. */
export const CARD_CONDITIONS = [
  'NearMint',
  'LightlyPlayed',
  'ModeratelyPlayed',
  'HeavilyPlayed',
  'Damaged',
] as const;
export type CardCondition = (typeof CARD_CONDITIONS)[number];

/** Those that the game is printed in (ISO 639-1). */
export const LANGUAGES = ['EN', 'DE', 'FR', 'ES', 'IT', 'JA'] as const;
export type Language = (typeof LANGUAGES)[number];

/** By a company that grades cards. */
export interface Grade {
  /** In capitals, such as `PSA`. */
  company: string;
  /** As the company writes it, such as `9.5`. */
  grade: string;
  certificate: string | null;
}

/** What a collector says of the cards of a transaction; no amount follows from it. */
export interface TransactionDetails {
  cardCondition: CardCondition | null;
  grade: Grade | null;
  language: Language | null;
  /** Empty where there are none. */
  notes: string;
  tags: string[];
}

export const NO_DETAILS: TransactionDetails = {
  cardCondition: null,
  grade: null,
  language: null,
  notes: '',
  tags: [],
};

/** What an update takes away by its name; notes and tags are taken away by empty ones. */
export const CLEARED_DETAILS = ['CardCondition', 'Grade', 'Language'] as const;
export type ClearedDetail = (typeof CLEARED_DETAILS)[number];
