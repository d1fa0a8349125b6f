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

/** By how people write them; what is better than near mint counts as that. */
const CONDITION_WORDS = new Map<string, CardCondition>([
  ...['mint', 'm', 'nearmint', 'nm'].map((word) => [word, 'NearMint'] as const),
  ...['lightlyplayed', 'lightplayed', 'lp'].map((word) => [word, 'LightlyPlayed'] as const),
  ...['moderatelyplayed', 'mp'].map((word) => [word, 'ModeratelyPlayed'] as const),
  ...['heavilyplayed', 'hp'].map((word) => [word, 'HeavilyPlayed'] as const),
  ...['damaged', 'dmg', 'd'].map((word) => [word, 'Damaged'] as const),
]);

/** The condition that is called so, such as `Near Mint`, `near-mint` or `NM`. */
export function conditionNamed(text: string): CardCondition | undefined {
  return CONDITION_WORDS.get(text.toLowerCase().replace(/[\s_-]/g, ''));
}

const LANGUAGE_NAMES = new Intl.DisplayNames('en', { type: 'language' });
const LANGUAGE_WORDS = new Map<string, Language>([
  ...LANGUAGES.flatMap((code) => [
    [code.toLowerCase(), code] as const,
    [LANGUAGE_NAMES.of(code)!.toLowerCase(), code] as const,
  ]),
  ['jp', 'JA'],
]);

/** The language of this code or English name. */
export function languageNamed(text: string): Language | undefined {
  return LANGUAGE_WORDS.get(text.toLowerCase());
}

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
