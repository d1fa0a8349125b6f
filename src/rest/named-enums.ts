import { OAUTH_ERRORS } from '../auth/token-request.ts';
import { SCOPES } from '../auth/tokens.ts';
import { ACCOUNT_STATUSES, ACCOUNT_TOKEN_SCOPES } from '../domain/accounts.ts';
import { PRODUCT_TYPES } from '../domain/catalogue.ts';
import { COLLECTION_KINDS } from '../domain/collections.ts';
import { CURRENCIES } from '../domain/currencies.ts';
import { PROBLEMS } from '../domain/errors.ts';
import { PRICE_SOURCES } from '../domain/inputs.ts';
import { COLLECTION_SORTS, PRODUCT_EV_SORTS, SUMMARY_SORTS, TRANSACTION_SORTS } from '../domain/orders.ts';
import { TRANSACTION_FORMATS } from '../domain/transaction-file.ts';
import { ACTIONS, CARD_CONDITIONS, CLEARED_DETAILS, LANGUAGES } from '../domain/transactions.ts';
import { DELIVERY_STATUSES, WEBHOOK_EVENTS, WEBHOOK_STATUSES } from '../domain/webhooks.ts';
import { DATE_ORDERS, DECIMAL_SIGNS } from '../domain/written-values.ts';

/** The enumerations of the routes, by the names of the types that generators of clients make of them. */
const NAMED_ENUMS: Record<string, readonly string[]> = {
  AccountStatus: ACCOUNT_STATUSES,
  AccountTokenScope: ACCOUNT_TOKEN_SCOPES,
  Action: ACTIONS,
  CardCondition: CARD_CONDITIONS,
  ClearedDetail: CLEARED_DETAILS,
  CollectionKind: COLLECTION_KINDS,
  CollectionSort: COLLECTION_SORTS,
  Currency: CURRENCIES,
  DateOrder: DATE_ORDERS,
  DecimalSign: DECIMAL_SIGNS,
  Language: LANGUAGES,
  OAuthErrorCode: OAUTH_ERRORS,
  PriceSource: PRICE_SOURCES,
  ProblemType: Object.keys(PROBLEMS).map((name) => `/problems/${name}`),
  ProductEvSort: PRODUCT_EV_SORTS,
  ProductType: PRODUCT_TYPES,
  TransactionFormat: TRANSACTION_FORMATS,
  TokenScope: SCOPES,
  TransactionSort: TRANSACTION_SORTS,
  TransactionSummarySort: SUMMARY_SORTS,
  WebhookDeliveryStatus: DELIVERY_STATUSES,
  WebhookEvent: WEBHOOK_EVENTS,
  WebhookStatus: WEBHOOK_STATUSES,
};

const NAMES = new Map(Object.entries(NAMED_ENUMS).map(([name, values]) => [values.join(), name]));

/** The schemas of the named enumerations, as components. */
export function enumSchemas() {
  return Object.fromEntries(
    Object.entries(NAMED_ENUMS).map(([name, values]) => [
      name,
      { type: 'string' as const, enum: [...values] },
    ]),
  );
}

/** A part of an OpenAPI document with references in place of enumerations that have a name, whatever else stands beside them. */
export function withNamedEnums<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withNamedEnums) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).map(([key, value]) => [key, withNamedEnums(value)]);
  const { enum: values, type, ...rest } = Object.fromEntries(entries);
  if (!Array.isArray(values)) return Object.fromEntries(entries);
  const isNullable = values.includes(null);
  const name = NAMES.get(values.filter((value) => value !== null).join());
  if (!name) return Object.fromEntries(entries);
  const $ref = `#/components/schemas/${name}`;
  return { ...(isNullable ? { anyOf: [{ $ref }, { type: 'null' }] } : { $ref }), ...rest } as Part;
}
