import type { Currency } from './generated/graphql.ts';

/** Those of the API, by name; a currency that is added there is missed by the compiler here. */
const CODES: Record<Currency, true> = {
  AUD: true,
  BRL: true,
  CAD: true,
  CHF: true,
  CNY: true,
  CZK: true,
  DKK: true,
  EUR: true,
  GBP: true,
  HKD: true,
  HUF: true,
  IDR: true,
  ILS: true,
  INR: true,
  ISK: true,
  JPY: true,
  KRW: true,
  MXN: true,
  MYR: true,
  NOK: true,
  NZD: true,
  PHP: true,
  PLN: true,
  RON: true,
  SEK: true,
  SGD: true,
  THB: true,
  TRY: true,
  USD: true,
  ZAR: true,
};

export const CURRENCIES = Object.fromEntries(Object.keys(CODES).map((code) => [code, code])) as Record<
  Currency,
  string
>;
