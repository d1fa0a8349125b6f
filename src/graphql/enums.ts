import { ACCOUNT_STATUSES, ACCOUNT_TOKEN_SCOPES } from '../domain/accounts.ts';
import { ALLOCATION_KEYS } from '../domain/allocation.ts';
import { SET_KINDS } from '../domain/card-sets.ts';
import { PRODUCT_TYPES } from '../domain/catalogue.ts';
import { COLLECTION_KINDS } from '../domain/collections.ts';
import { COST_BASES } from '../domain/cost-basis.ts';
import { CURRENCIES } from '../domain/currencies.ts';
import { GOAL_MATCHES } from '../domain/goals.ts';
import { INTERVALS } from '../domain/history.ts';
import { PRICE_SOURCES } from '../domain/inputs.ts';
import { LIMITS } from '../domain/limits.ts';
import { INDEX_WEIGHTINGS } from '../domain/market-index.ts';
import { DIRECTIONS, MOVER_MEASURES, PERIODS } from '../domain/movers.ts';
import {
  COLLECTION_SORTS,
  PRODUCT_EV_SORTS,
  PRODUCT_SORTS,
  SUMMARY_SORTS,
  TRANSACTION_SORTS,
} from '../domain/orders.ts';
import { UNDEFINED_RETURNS } from '../domain/performance.ts';
import { PICTURE_SIZES } from '../domain/pictures.ts';
import { CHANGE_DIRECTIONS, PRICE_ALERT_CONDITIONS } from '../domain/price-alerts.ts';
import { SUGGESTION_KINDS } from '../domain/search/suggestions.ts';
import {
  EXPORT_FORMATS,
  IMPORT_COSTS,
  IMPORT_PHASES,
  IMPORT_ROW_STATES,
  TRANSACTION_FORMATS,
} from '../domain/transaction-file.ts';
import { ACTIONS, CARD_CONDITIONS, CLEARED_DETAILS, LANGUAGES } from '../domain/transactions.ts';
import { DELIVERY_STATUSES, WEBHOOK_EVENTS, WEBHOOK_STATUSES } from '../domain/webhooks.ts';
import { DATE_ORDERS, DECIMAL_SIGNS } from '../domain/written-values.ts';
import { withCommas } from '../lib/text.ts';
import type { Builder } from './builder.ts';

const enumOf =
  <const V extends string>(
    description: string,
    values: readonly V[],
    describe: Readonly<Record<V, string>> | ((value: V) => string),
  ) =>
  (builder: Builder, name: string) => {
    const textOf = typeof describe === 'function' ? describe : (value: V) => describe[value];
    return builder.enumType(name, {
      description,
      values: Object.fromEntries(
        values.map((value) => [inCapitals(value), { value, description: textOf(value) }]),
      ) as Record<string, { value: V; description: string }>,
    });
  };

const SORT_DESCRIPTIONS = {
  Chronological: 'By time, oldest first.',
  Alphabetical: 'By name, without regard to case.',
  Value: 'By market value, highest first.',
  MarketValue: 'By market value, highest first.',
  UnitValue: 'By the market price of one card, highest first.',
  Gain: 'By gain, highest first; unknown last.',
  PercentageGain: 'By percentage gain, highest first; unknown last.',
  Quantity: 'By quantity held, highest first.',
  CardNumber: 'By card number in natural order; none last.',
};

const namer = (type: 'currency' | 'language') => {
  const names = new Intl.DisplayNames('en', { type });
  return (code: string) => `${names.of(code)}.`;
};
const currencyName = namer('currency');
const languageName = namer('language');

/** The contract's enumerations, their values in capitals (docs/decisions.md#the-contract): `PercentageGain` is `PERCENTAGE_GAIN`. */
const ENUMS = {
  Currency: enumOf('ISO 4217 code of a currency with a known exchange rate.', CURRENCIES, currencyName),
  PictureSize: enumOf('How large a picture is.', PICTURE_SIZES, {
    Small: 'It is 200 pixels wide.',
    Medium: 'It is 400 pixels wide.',
    Large: 'It is up to 1,000 pixels wide and high.',
  }),
  AccountStatus: enumOf('Whether there is access to an account.', ACCOUNT_STATUSES, (status) =>
    status === 'Active' ? 'There is.' : 'Nobody has access, and nothing is lost.',
  ),
  AccountTokenScope: enumOf('What a token of an account may do.', ACCOUNT_TOKEN_SCOPES, (scope) =>
    scope === 'read' ? 'Read everything of it, and change nothing.' : 'Everything of it.',
  ),
  Action: enumOf('What a transaction does.', ACTIONS, {
    Purchase: 'Cards come in, money goes out.',
    Sale: 'Cards go out, money comes in.',
  }),
  CollectionKind: enumOf('What a collection is of.', COLLECTION_KINDS, (kind) =>
    kind === 'Collection'
      ? 'Cards that you have.'
      : 'Cards that you would like to have; they count for no value, and nothing is sold.',
  ),
  CardCondition: enumOf('How well cards are kept.', CARD_CONDITIONS, {
    NearMint: 'Near mint, or better.',
    LightlyPlayed: 'Lightly played.',
    ModeratelyPlayed: 'Moderately played.',
    HeavilyPlayed: 'Heavily played.',
    Damaged: 'Damaged.',
  }),
  Language: enumOf('A language that the game is printed in (ISO 639-1).', LANGUAGES, languageName),
  ClearedDetail: enumOf(
    'What an update can take away from a transaction.',
    CLEARED_DETAILS,
    (detail) => `Its \`${detail[0]!.toLowerCase()}${detail.slice(1)}\`.`,
  ),
  PriceSource: enumOf('Where market prices come from.', PRICE_SOURCES, () => "The vendor's market price."),
  CostBasis: enumOf(
    'How the cost of cards that are sold is worked out, and so of those that are left.',
    COST_BASES,
    {
      Average: 'The average of all purchases, whenever they were.',
      MovingAverage: 'The average of what is held, which each purchase moves.',
      Fifo: 'First in, first out: the cards bought first are sold first.',
    },
  ),
  ProductType: enumOf('A kind of sealed product.', PRODUCT_TYPES, (type) => `A ${type.toLowerCase()}.`),
  SuggestionKind: enumOf('What a suggestion completes.', SUGGESTION_KINDS, {
    Name: 'The name of a card or of a sealed product.',
    Field: 'A field of a filter.',
    Value: 'A value of a field.',
  }),
  CollectionSort: enumOf('Orders of collections.', COLLECTION_SORTS, SORT_DESCRIPTIONS),
  TransactionSort: enumOf('Orders of transactions.', TRANSACTION_SORTS, SORT_DESCRIPTIONS),
  TransactionSummarySort: enumOf('Orders of transaction summaries.', SUMMARY_SORTS, (sort) =>
    sort === 'Chronological' ? 'By the first transaction, oldest first.' : SORT_DESCRIPTIONS[sort],
  ),
  ProductSort: enumOf('Orders of products.', PRODUCT_SORTS, {
    Relevance: `As the search has them: the best first, then what sells most; the first ${withCommas(LIMITS.searchResults)}.`,
    Number: 'By card number: WTR2 before WTR10, those without one last.',
    Name: 'By name, without regard to case, accents and punctuation.',
    Price: 'By the market price of the cheapest variant, the highest first; unknown ones last.',
    Release: 'By the day of release, the newest first, then by card number; unknown ones last.',
    Volume: `By the sales of ${LIMITS.saleVolumeDays} days, the most first.`,
  }),
  SetKind: enumOf('What a set is sold as.', SET_KINDS, {
    Booster: 'In booster packs.',
    Deck: 'As a deck.',
    Promo: 'Promotional cards, given away.',
    Other: 'In another way.',
  }),
  Interval: enumOf('Distances between the points of a history.', INTERVALS, {
    Day: 'Every day.',
    Week: 'Every Sunday, and the last day asked for.',
    Month: 'The last day of every month, and the last day asked for.',
  }),
  UndefinedReturn: enumOf('Why a return is not defined.', UNDEFINED_RETURNS, {
    NothingHeld: 'Nothing was held, and nothing paid in or taken out.',
    UnknownCost: 'Cards were bought in the period whose cost is not known.',
    NoPrice: 'On a day that counts, none of what was held has a known price.',
    NothingPaidIn: 'Something came of nothing: the value before it was 0, and nothing was paid in.',
    NoOppositeFlows: 'Money only went in, or only came out, with the values at both ends.',
    NoRate: 'No rate makes the flows add up to 0, or none that a number holds.',
  }),
  PriceAlertCondition: enumOf('What a price alert waits for.', PRICE_ALERT_CONDITIONS, {
    Above: 'The value is more than an amount.',
    Below: 'The value is less than an amount.',
    Change: 'The value has moved by a percentage or more, against that of some days before.',
  }),
  ChangeDirection: enumOf('Where a value moves.', CHANGE_DIRECTIONS, {
    Up: 'It rises.',
    Down: 'It falls.',
    Either: 'It rises or falls.',
  }),
  MoverPeriod: enumOf('A time over which prices move.', PERIODS, {
    Day: 'Over one day.',
    Week: 'Over 7 days.',
    Month: 'Over 30 days.',
    Year: 'Over 365 days.',
  }),
  MoverMeasure: enumOf('By what a move is more than another.', MOVER_MEASURES, {
    Percentage: 'By the percentage of the price.',
    Amount: 'By the amount, of all that is held.',
  }),
  MoverDirection: enumOf('Where prices have moved.', DIRECTIONS, {
    Gain: 'They have risen.',
    Loss: 'They have fallen.',
  }),
  IndexWeighting: enumOf('How much each card counts in an index.', INDEX_WEIGHTINGS, {
    Price: 'As much as it costs, as if one of each was held: by the sums of prices.',
    Equal: 'As much as each other: by the geometric mean of what each has grown.',
  }),
  AllocationKey: enumOf('What the value of what is held is divided by.', ALLOCATION_KEYS, {
    Set: 'By the set.',
    Rarity: 'By the rarity of the product.',
    Class: 'By the class of the card; one of several classes is a part of its own.',
    Finish: 'By the finish of the variant.',
  }),
  GoalMatch: enumOf('What serves for a card that a goal wants.', GOAL_MATCHES, {
    Variant: 'That variant alone: its finish and edition.',
    Product: 'Any variant of its product: any finish of that printing.',
    Card: 'Any printing of the card, in any set: cards of one name and pitch are one card.',
  }),
  TransactionFormat: enumOf(
    'Formats of files with transactions; each is known by its header.',
    TRANSACTION_FORMATS,
    {
      Cardledger: "This service's own, as it is exported.",
      Fabrary: 'The collection of FaBrary: numbers held, without prices and days.',
      Collectr: 'The portfolio of Collectr.',
      Tcgplayer: 'The collection or the inventory of TCGplayer: numbers held, without prices paid and days.',
      DragonShield: 'The collection of Dragon Shield.',
      Manabox: 'The collection of ManaBox, without days.',
      Archidekt: 'The collection of Archidekt.',
      List: 'Lines such as "3 Command and Conquer (ARC) 159", as Moxfield and others write them: without prices and days.',
      Columns: 'Any other file with a header, by the columns that are named.',
    },
  ),
  ExportFormat: enumOf(
    'Formats that transactions are written in. All but the first two know purchases only: sales are left out.',
    EXPORT_FORMATS,
    {
      Cardledger: "This service's own: all that is recorded.",
      Json: 'The same as JSON, an object on each line.',
      Fabrary: 'The collection of FaBrary, without prices and days.',
      Collectr: 'The portfolio of Collectr.',
      Tcgplayer: "The collection of TCGplayer's app, without prices paid and days.",
      DragonShield: 'The collection of Dragon Shield.',
      Manabox: 'The collection of ManaBox, without days.',
      Archidekt: 'The collection of Archidekt.',
      List: 'Lines such as "3 Command and Conquer (ARC) 159 *Unlimited Edition Normal*": without prices and days.',
    },
  ),
  DateOrder: enumOf('What comes first in a day that is written with the year last.', DATE_ORDERS, (order) =>
    order === 'MonthDayYear'
      ? 'As in 3/2/2025 for the second of March.'
      : 'As in 3/2/2025 for the third of February.',
  ),
  DecimalSign: enumOf(
    'What stands before the decimals of an amount; the other one, spaces and apostrophes set thousands apart.',
    DECIMAL_SIGNS,
    (sign) => (sign === 'Point' ? 'As in 1,234.50.' : 'As in 1.234,50.'),
  ),
  ImportCost: enumOf('What cards cost of which a file of transactions has no price.', IMPORT_COSTS, {
    AsFiled: 'Each row must have one, unless `unitAmount` is given.',
    Flat: 'They cost the `unitAmount` that is given.',
    MarketPrice: 'What they were worth on their day. A row whose card has no known price then is an error.',
    Unknown: 'Nobody knows: no gain is made of them.',
  }),
  ImportRowState: enumOf('What is known of a row of an import.', IMPORT_ROW_STATES, {
    Matched:
      'It means one variant, and what it says is right. What it `lacks` may be given when it is imported.',
    Unclear: 'It does not mean exactly one variant; all else is right.',
    Wrong: 'It has another error.',
    Skipped: 'It stands for no transaction, or was left out by choice.',
  }),
  ImportPhase: enumOf('What an import does, one behind the other.', IMPORT_PHASES, {
    Reading: 'The rows of the file, or of the preview, are read.',
    Matching: 'Their cards are looked for.',
    Recording: 'They are recorded, or kept as a preview; nothing of them is there before the end.',
  }),
  ProductEvSort: enumOf('Orders of expected values.', PRODUCT_EV_SORTS, {
    NewestReleaseDate: 'Newest release date first.',
    OldestReleaseDate: 'Oldest release date first.',
    HighestMarketPrice: 'Highest market price first.',
    LowestMarketPrice: 'Lowest market price first.',
    HighestEstimatedValue: 'Highest expected value first.',
    LowestEstimatedValue: 'Lowest expected value first.',
    MarketPriceDeltaPositive: 'Highest marketPriceDelta first: most above its price.',
    MarketPriceDeltaNegative: 'Lowest marketPriceDelta first: most below its price.',
  }),
  WebhookEvent: enumOf('What webhooks are told of.', WEBHOOK_EVENTS, {
    'collection.changed':
      'A collection was created, changed, deleted or revalued, or transactions in it were.',
    'price_alert.triggered': 'A price alert has fired.',
    'account.deleted': 'An account below yours was deleted.',
    'market.imported':
      'Market data of a kind was imported: the catalogue, prices, exchange rates, sales or pull rates.',
  }),
  WebhookStatus: enumOf('Whether anything is sent to a webhook.', WEBHOOK_STATUSES, (status) =>
    status === 'Active' ? 'It is.' : 'Nothing is sent.',
  ),
  WebhookDeliveryStatus: enumOf('How far a message to a webhook is.', DELIVERY_STATUSES, {
    Pending: 'It is to be sent, or sent again.',
    Delivered: 'The receiver took it.',
    Failed: 'It was given up.',
  }),
};

export type Enums = { [Name in keyof typeof ENUMS]: ReturnType<(typeof ENUMS)[Name]> };

/** Adds them to the schema. */
export function addEnums(builder: Builder): Enums {
  const added = Object.entries(ENUMS).map(([name, add]) => [name, add(builder, name)]);
  return Object.fromEntries(added);
}

/** `PercentageGain` in capitals is `PERCENTAGE_GAIN`, as `percentage.gain` is; codes that are in capitals already stay. */
function inCapitals(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase();
}
