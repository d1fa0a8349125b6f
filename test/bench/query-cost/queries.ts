import { OPERATION_LIMITS } from '../../../src/graphql/cost/limits.ts';
import { SUMMARY_SORTS } from '../../support/varied-queries.ts';
import { all } from './selections.ts';

/** Queries that are allowed, from ordinary ones to such as are meant to hurt, by what they are called. */
export interface Query {
  name: string;
  text: string;
  /** In its place, where that would be beyond the limits. */
  less?: Query;
}

/** What the queries of an account name. */
export interface Place {
  collectionId: string;
  collectionCount: number;
  /** Of the catalogue, all with a price; the first is held. */
  variantIds: readonly string[];
  /** Of the catalogue, those with the most variants first. */
  productIds: readonly string[];
  /** Of a file whose rows are of every kind. */
  importPreviewId: string;
  /** Of transactions and summaries of the collection. */
  transactionIds: readonly string[];
  summaryIds: readonly string[];
}

/** The days of the prices that the market has. */
export const PRICE_DAYS = { first: '2023-04-14', last: '2026-04-12' };

/** Numbered so that fields of one name with other arguments may stand beside each other. */
const times = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => (count === 1 ? field(i) : `a${i}: ${field(i)}`)).join(' ');

const hasFewTokens = (text: string) => text.match(/"[^"]*"|\w+|[^\s\w]/g)!.length < OPERATION_LIMITS.tokens;

const literal = (text: string) => JSON.stringify(text);

const TERMS = 'a e i o u r s t l n c d'.split(' ');

/** Searches of the catalogue, from what people type to what is meant to hurt. */
const SEARCHES = (i: number): Record<string, string> => ({
  'a word': ['ninja', 'snatch', 'command', 'fyendal', 'tunic'][i % 5]!,
  'a name': ['command and conquer', 'enlightened strike', 'art of war'][i % 3]!,
  misspelt: ['comand and conqer', 'enlightend strikke', 'fyendalls sprinng'][i % 3]!,
  filters: `class:ninja pitch:red cost<=${i % 4}`,
  'a letter': TERMS[i % 12]!,
  'many letters': [...TERMS.slice(i % 12), ...TERMS.slice(0, i % 12)].join(' '),
  'many words': `the of a an in to and red blue yellow ${i} attack action generic hero weapon`,
  'nonsense words': Array.from({ length: 20 }, (_, n) => `zq${'xkvw'[n % 4]}${'aeiou'[(n + i) % 5]}bn`).join(
    ' ',
  ),
  'long words': Array.from({ length: 5 }, (_, n) =>
    'abcdefghijklmnopqrstuvwxyz'.repeat(2).slice(n + (i % 9), n + 30),
  ).join(' '),
  'a negation': `-class:ninja -r:${'cmrl'[i % 4]}`,
  negations: Array.from({ length: 30 }, (_, n) => `-${TERMS[(n + i) % 12]}${n}`).join(' '),
  'negated filters': Array.from({ length: 18 }, (_, n) => `-cost:${n + i}`).join(' '),
  'or of words': Array.from({ length: 30 }, (_, n) => TERMS[(n + i) % 12]).join(' or '),
  'or of filters': Array.from({ length: 18 }, (_, n) => `cost>${n + i}`).join(' or '),
  'or of prices': Array.from({ length: 15 }, (_, n) => `price>${n + i}`).join(' or '),
  'or of misspelt': Array.from(
    { length: 15 },
    (_, n) => `comandd${n % 10 === i % 10 ? '' : 'xyz'[n % 3]}`,
  ).join(' or '),
  'or of negations': Array.from({ length: 22 }, (_, n) => `-"${TERMS[(n + i) % 12]}"`).join(' or '),
  'nested groups': `${'-('.repeat(60)}a${i}${')'.repeat(60)}`,
  'all but a phrase': `-"zz ${i}"`,
  texts: Array.from({ length: 20 }, (_, n) => `o:${TERMS[(n + i) % 12]}`).join(' '),
  'or of texts': Array.from({ length: 20 }, (_, n) => `o:${TERMS[(n + i) % 12]}`).join(' or '),
  'or of rarities': Array.from({ length: 20 }, (_, n) => `r>${'crsm'[(n + i) % 4]}`).join(' or '),
  printings: 'extended art rainbow foil 1st edition cold foil alternate art unlimited marvel'.repeat(2),
  'all variants': `price>=0 or -price>=0 or c${i}`,
});

const HOLDING_SEARCHES = (i: number): Record<string, string> => ({
  'a word': ['ninja', 'snatch', 'command', 'fyendal', 'tunic'][i % 5]!,
  'a quantity': `quantity>${i}`,
  'a value': `value>${i}`,
  'all but': `-zzz${i}`,
  'values and words': `(value>${i} or -ninja) -(gain<${i} class:guardian)`,
  'or of values': Array.from({ length: 16 }, (_, n) => `value>${n + i}`).join(' or '),
  'or of parts': Array.from({ length: 9 }, (_, n) => `(-a${n + i} quantity>${n})`).join(' or '),
  'many letters': [...TERMS.slice(i % 12), ...TERMS.slice(0, i % 12)].join(' '),
});

/** Of what transactions say of the cards. */
const RECORDED_SEARCHES = (i: number): Record<string, string> => ({
  'a condition': `condition>=${['NM', 'LP', 'MP', 'HP'][i % 4]}`,
  'a grade': `grade>=${1 + (i % 9)} or is:graded -zz${i}`,
  'a tag': `tag:none${i}`,
  'a word': ['ninja', 'snatch', 'command', 'fyendal', 'tunic'][i % 5]!,
  'or of conditions': Array.from(
    { length: 6 },
    (_, n) => `-condition:${n % 2 ? 'NM' : 'LP'} -tag:t${n + i}`,
  ).join(' or '),
});

const CURRENCIES = ['AUD', 'BRL', 'CAD', 'CHF', 'CNY', 'CZK', 'EUR', 'GBP', 'JPY', 'KRW', 'PLN', 'SEK'];

const PRODUCT_SORTS = ['NUMBER', 'NAME', 'PRICE', 'RELEASE', 'VOLUME'];

const EXPORT_FORMATS = [
  'ARCHIDEKT',
  'CARDLEDGER',
  'COLLECTR',
  'DRAGON_SHIELD',
  'FABRARY',
  'JSON',
  'LIST',
  'MANABOX',
  'TCGPLAYER',
];

const EV_SORTS = [
  'HIGHEST_ESTIMATED_VALUE',
  'LOWEST_MARKET_PRICE',
  'MARKET_PRICE_DELTA_POSITIVE',
  'NEWEST_RELEASE_DATE',
];

const moversOf = (i: number) =>
  `period: ${['DAY', 'WEEK', 'MONTH', 'YEAR'][i % 4]}, by: ${['PERCENTAGE', 'AMOUNT'][(i >> 2) % 2]}, direction: ${['GAIN', 'LOSS'][(i >> 3) % 2]}`;

/** Fields that a collection and the dashboard have. */
function* commonFields(): Generator<[name: string, field: (i: number) => string]> {
  for (const [range, from] of [
    ['a month', '2026-02'],
    ['three years', '2023-04'],
  ]) {
    yield [
      `performance over ${range}`,
      (i) => `performance(from: "${from}-${10 + (i % 19)}", to: "2026-04-12") { ${all('Performance')} }`,
    ];
  }
  yield [
    'valueHistory of 30 days',
    (i) => `valueHistory(from: "2026-02-${10 + (i % 19)}", to: "2026-04-02") { marketValue { value } }`,
  ];
  yield [
    'valueHistory of a year',
    (i) =>
      `valueHistory(from: "2025-04-${13 + (i % 18)}", to: "2026-04-${10 + (i % 3)}") { ${all('ValuePoint')} }`,
  ];
  yield [
    'valueHistory of three years by week',
    (i) =>
      `valueHistory(from: "2023-04-${14 + (i % 17)}", to: "2026-04-12", interval: WEEK) { knownMarketValue { value } }`,
  ];
  yield [
    'movers',
    (i) => `movers(${moversOf(i)}, first: ${1 + i}) { unknownCount movers { change { value } } }`,
  ];
  yield [
    'a long list of movers',
    (i) =>
      `movers(${moversOf(i)}, first: ${200 - i}) { ${all('Movers')} movers { ${all('Mover')} variant { ${all('Variant')} } } }`,
  ];
  yield [
    'allocation',
    (i) =>
      `allocation(by: ${['SET', 'RARITY', 'CLASS', 'FINISH'][i % 4]}, first: ${1 + i}) { parts { share } }`,
  ];
  yield [
    'a long allocation',
    (i) =>
      `allocation(by: ${['SET', 'RARITY', 'CLASS', 'FINISH'][i % 4]}, first: ${200 - i}) { parts { ${all('AllocationPart')} } }`,
  ];
}

/** Fields of a collection by what they are called. */
function* collectionFields(): Generator<[name: string, field: (i: number) => string]> {
  for (const sort of ['CHRONOLOGICAL', 'ALPHABETICAL']) {
    yield [
      `transactions ${sort}`,
      (i) =>
        `transactions(sort: ${sort}, first: ${10 + i}) { nodes { occurred quantity variant { product { name } } } }`,
    ];
    yield [
      `transactions ${sort} from the end`,
      (i) => `transactions(sort: ${sort}, last: ${10 + i}) { edges { cursor node { id } } }`,
    ];
    yield [
      `transactions ${sort}, a long page`,
      (i) => `transactions(sort: ${sort}, first: ${200 - i}) { nodes { id unitAmount { value } } }`,
    ];
  }
  for (const sort of SUMMARY_SORTS) {
    yield [
      `summaries ${sort}`,
      (i) =>
        `transactionSummaries(sort: ${sort}, first: ${10 + i}) { nodes { quantity marketValue { value } } }`,
    ];
    yield [
      `summaries ${sort}, reversed`,
      (i) => `transactionSummaries(sort: ${sort}, reverse: true, last: ${1 + i}) { nodes { id } }`,
    ];
    yield [
      `summaries ${sort} by quantity`,
      (i) =>
        `transactionSummaries(sort: ${sort}, first: ${1 + i}, searchQuery: "quantity>${i}") { nodes { id } }`,
    ];
  }
  for (const kind of Object.keys(HOLDING_SEARCHES(0))) {
    yield [
      `summaries by search, ${kind}`,
      (i) =>
        `transactionSummaries(first: ${1 + i}, searchQuery: ${literal(HOLDING_SEARCHES(i)[kind]!)}) { nodes { id } }`,
    ];
    yield [
      `count of a search, ${kind}`,
      (i) =>
        `transactionSummaries(first: 1, searchQuery: ${literal(HOLDING_SEARCHES(i)[kind]!)}) { totalCount }`,
    ];
    yield [
      `search with matches, ${kind}`,
      (i) =>
        `transactionSummaries(first: 5, searchQuery: ${literal(HOLDING_SEARCHES(i)[kind]!)}) { edges { matches { field value } } }`,
    ];
  }
  yield ['realizedGains', (i) => `realizedGains(year: ${2024 + (i % 30)}) { quantity gain { value } }`];
  yield ['realizedGains, only the year', (i) => `realizedGains(year: ${2024 - i}) { year }`];
  yield [
    'valueHistory of 2 days',
    (i) => `valueHistory(from: "2025-10-${10 + (i % 20)}", to: "2025-10-31", interval: MONTH) { date }`,
  ];
  yield [
    'valueHistory of 400 days',
    (i) => `valueHistory(from: "2025-03-${10 + (i % 20)}", to: "2026-04-10") { date }`,
  ];
  yield [
    'valueHistory by month',
    (i) =>
      `valueHistory(from: "2023-05-${10 + (i % 20)}", to: "2026-04-10", interval: MONTH) { invested { value } }`,
  ];
  yield [
    'valueHistory of one day',
    (i) => `valueHistory(from: "2025-10-${10 + (i % 20)}", to: "2025-10-${10 + (i % 20)}") { date }`,
  ];
  yield* commonFields();
  yield [
    'progress of a goal by card',
    () =>
      'goal { progress { missing costToComplete { value } } missingCards(first: 1) { nodes { missing } } }',
  ];
  yield [
    'missing cards of a goal',
    (i) => `goal { missingCards(first: ${1 + i}) { nodes { missing unitPrice { value } } } }`,
  ];
  yield [
    'sales of a year',
    (i) => `realizedGains(year: ${2024 + (i % 2)}) { sales(first: ${1 + i}) { nodes { quantity } } }`,
  ];
  yield ['sales of a year as CSV', (i) => `realizedGains(year: ${2024 + (i % 2)}) { salesCsv { csv } }`];
  yield [
    'realizedGains by FIFO',
    (i) => `realizedGains(year: ${2024 + (i % 30)}, method: FIFO) { gain { value } }`,
  ];
  yield [
    'lots of the largest',
    (i) =>
      `transactionSummaries(sort: QUANTITY, reverse: true, first: ${1 + i}) { nodes { lots(first: 1) { totalCount } } }`,
  ];
  for (const kind of Object.keys(RECORDED_SEARCHES(0))) {
    const search = (i: number) => literal(RECORDED_SEARCHES(i)[kind]!);
    yield [
      `transactions by search, ${kind}`,
      (i) => `transactions(first: ${1 + i}, searchQuery: ${search(i)}) { nodes { id } }`,
    ];
    yield [
      `count of transactions by search, ${kind}`,
      (i) => `transactions(first: 1, searchQuery: ${search(i)}) { totalCount }`,
    ];
    yield [
      `summaries by what is recorded, ${kind}`,
      (i) => `transactionSummaries(first: ${1 + i}, searchQuery: ${search(i)}) { nodes { id } }`,
    ];
  }
  yield [
    'transactions by a filter',
    (i) =>
      `transactions(first: 1, filter: { from: "2020-01-${10 + (i % 20)}", to: "2026-10-10", action: SALE, cardCondition: [DAMAGED], tags: ["none${i}"] }) { totalCount nodes { id } }`,
  ];
  yield [
    'quantities of holdings',
    (i) =>
      `transactionSummaries(first: ${100 + i}) { nodes { quantities { quantity } boughtAtUnknownCost } }`,
  ];
  yield [
    'a long page of lots',
    (i) =>
      `transactionSummaries(sort: QUANTITY, reverse: true, first: 40) { nodes { lots(first: ${200 - i}) { totalCount edges { cursor } nodes { ${all('Lot')} } pageInfo { ${all('PageInfo')} } } } }`,
  ];
  for (const method of ['AVERAGE', 'MOVING_AVERAGE', 'FIFO']) {
    yield [
      `sales by ${method} with their lots`,
      (i) =>
        `realizedGains(year: ${2024 + (i % 2)}, method: ${method}) { sales(first: ${20 + i}) { nodes { quantity lots(first: 200) { totalCount edges { cursor } nodes { ${all('SaleLot')} } pageInfo { endCursor } } } } }`,
    ];
    yield [
      `a long page of sales by ${method}`,
      (i) =>
        `realizedGains(year: ${2024 + (i % 2)}, method: ${method}) { ${all('RealizedGains')} sales(last: ${200 - i}) { totalCount edges { cursor } nodes { ${all('RealizedSale')} variant { id } } pageInfo { startCursor } } }`,
    ];
    yield [
      `sales by ${method} as CSV`,
      (i) => `realizedGains(year: ${2024 + (i % 2)}, method: ${method}) { salesCsv { ${all('SalesCsv')} } }`,
    ];
  }
  for (const filter of ['graded: false', 'action: SALE, from: "2025-01-10"', 'tags: ["none"]']) {
    yield [
      `summaries by a filter, ${filter}`,
      (i) =>
        `transactionSummaries(first: ${1 + i}, filter: { ${filter} }, sort: GAIN) { totalCount nodes { id } }`,
    ];
  }
  yield [
    'a long page of summaries with all',
    (i) =>
      `transactionSummaries(first: ${200 - i}) { nodes { ${all('TransactionSummary')} quantities { ${all('QuantityPart')} } collection { id } variant { ${all('Variant')} product { ${all('Product')} } } } pageInfo { ${all('PageInfo')} } }`,
  ];
  yield [
    'a long page of transactions with all',
    (i) =>
      `transactions(first: ${200 - i}) { totalCount nodes { ${all('Transaction')} collection { id } variant { product { imageUrl } } } pageInfo { ${all('PageInfo')} } }`,
  ];
  yield [
    'a long page of missing cards',
    (i) =>
      `goal { match targetCollection { id } progress { ${all('GoalProgress')} } missingCards(last: ${200 - i}) { totalCount edges { cursor } pageInfo { startCursor } nodes { ${all('MissingCard')} variant { id } } } }`,
  ];
  for (const format of EXPORT_FORMATS) {
    yield [
      `transactionsCsv in ${format}`,
      () => `transactionsCsv(format: ${format}) { ${all('TransactionsCsv')} }`,
    ];
  }
  yield ['amounts', () => all('Collection')];
}

/** Fields of a collection alone, each once and as often as it may be. */
export function* collectionQueries(id: string): Generator<Query> {
  for (const [name, field] of collectionFields()) {
    const inCollection = (count: number) => `{ collection(id: "${id}") { ${times(count, field)} } }`;
    yield { name, text: inCollection(1) };
    const isPlain = name === 'amounts' || name.startsWith('transactionsCsv');
    if (!isPlain) yield* asOftenAsAllowed(name, inCollection);
  }
}

/** Of what many transactions of one card make dearer. */
export function* oneCardQueries(id: string): Generator<Query> {
  for (const query of collectionQueries(id)) {
    if (!/summaries|search|movers|allocation|missing|goal/.test(query.name)) yield query;
  }
}

/** A field 28 times, or 8 times where those are too many. */
function* asOftenAsAllowed(name: string, text: (count: number) => string): Generator<Query> {
  const [most, less] = [28, 8].map((count) => ({ name: `${count} × ${name}`, text: text(count) }));
  if (hasFewTokens(most!.text)) yield { ...most!, less: less! };
  else if (hasFewTokens(less!.text)) yield less!;
}

/** Of a collection, of all collections, and of neither. */
export function* queries(place: Place): Generator<Query> {
  const { collectionId: id, collectionCount } = place;
  yield* collectionQueries(id);
  for (const [name, field] of collectionFields()) {
    yield {
      name: `${name}, of each collection`,
      text: `{ collections(first: ${collectionCount}) { nodes { ${field(0)} } } }`,
    };
  }
  for (const sort of ['CHRONOLOGICAL', 'ALPHABETICAL', 'VALUE', 'PERCENTAGE_GAIN']) {
    yield {
      name: `collections ${sort}`,
      text: `{ collections(first: ${collectionCount}, sort: ${sort}) { nodes { name marketValue { value } } } }`,
    };
  }
  yield {
    name: 'nested as in the documents',
    text: '{ collections(first: 10) { nodes { transactionSummaries(first: 10) { nodes { variant { product { name } } } } } } }',
  };
  yield {
    name: 'viewer',
    text: `{ viewer { ${all('Account')} dashboard { ${all('Dashboard')} } } }`,
  };
  for (const [name, field] of commonFields()) {
    const ofDashboard = (count: number) => `{ viewer { dashboard { ${times(count, field)} } } }`;
    yield { name: `${name}, of the dashboard`, text: ofDashboard(1) };
    yield* asOftenAsAllowed(`${name}, of the dashboard`, ofDashboard);
  }
  for (const count of [1, 30]) {
    for (const weighting of ['PRICE', 'EQUAL']) {
      for (const interval of ['DAY', 'MONTH']) {
        const index = (i: number) =>
          `marketIndex(from: "${interval === 'DAY' ? '2025-04' : '2023-05'}-${10 + (i % 20)}", to: "2026-04-10", interval: ${interval}, weighting: ${weighting}${i % 2 ? ', set: "WTR"' : ''}) { ${all('IndexPoint')} }`;
        yield {
          name: `${count} × market index, ${interval} ${weighting}`,
          text: `{ ${times(count, index)} }`,
        };
      }
    }
  }
  for (const count of [1, 16]) {
    yield {
      name: `${count} × movers of the market`,
      text: `{ ${times(count, (i) => `marketMovers(${moversOf(i)}, first: 1) { movers { change { value } } }`)} }`,
    };
  }
  yield* catalogueQueries(place);
  yield* accountQueries(place);
  for (const kind of Object.keys(SEARCHES(0))) {
    for (const count of [1, 30]) {
      const search = (i: number) => `products(query: ${literal(SEARCHES(i)[kind]!)}, first: 1)`;
      const of = count === 1 ? '' : `${count} × `;
      yield {
        name: `${of}products, ${kind}`,
        text: `{ ${times(count, (i) => `${search(i)} { totalCount }`)} }`,
      };
      if (count === 1) {
        yield {
          name: `products with all, ${kind}`,
          text: `{ ${search(0)} { didYouMean facets { class { count } finish { count } } edges { matches { value } node { name } } } }`,
        };
      }
      if (count === 30) {
        yield {
          name: `30 × didYouMean, ${kind}`,
          text: `{ ${times(30, (i) => `${search(i)} { didYouMean }`)} }`,
        };
        yield {
          name: `20 × matches, ${kind}`,
          text: `{ ${times(20, (i) => `products(query: ${literal(SEARCHES(i)[kind]!)}, first: 20) { edges { matches { value } } }`)} }`,
        };
      }
    }
  }
  yield {
    name: 'a page of 200 products',
    text: '{ products(query: "attack", first: 200) { nodes { name variants { marketPrice { value } } } } }',
  };
  for (const text of ['c', 'command and', 'class:', 'a b c d e f', `${'a '.repeat(90)}b`]) {
    for (const count of [1, 30]) {
      yield {
        name: `${count} × suggest ${text.slice(0, 12)}`,
        text: `{ ${times(count, (i) => `suggest(text: ${literal(text)}, first: ${1 + (i % 20)}) { ${all('SearchSuggestion')} }`)} }`,
      };
    }
  }
  for (const sort of EV_SORTS) {
    yield {
      name: `productEvs ${sort}`,
      text: `{ productEvs(sort: ${sort}, first: 50) { totalCount edges { cursor } pageInfo { endCursor } nodes { ${all('ProductEv')} productImage(size: LARGE) product { id } } } }`,
    };
  }
  yield {
    name: 'productEvs with breakdowns',
    text: `{ productEvs(first: 20) { nodes { breakdown { ${all('EvBreakdown')} imageUrl(size: SMALL) product { id } categories { ${all('EvCategory')} } } } } }`,
  };
  yield {
    name: 'histories of productEvs',
    text: `{ productEvs(first: 20) { nodes { history(from: "2025-01-01", to: "2025-12-31") { ${all('EvPoint')} } } } }`,
  };
  yield {
    name: '30 × histories of productEvs',
    text: `{ productEvs(first: 10) { nodes { ${times(28, (i) => `history(from: "2025-01-${1 + i < 10 ? '0' : ''}${1 + i}", to: "2025-01-31") { date }`)} } } }`,
  };
  yield {
    name: '30 × evBreakdown',
    text: `{ ${times(30, (i) => `evBreakdown(setType: "${['Wtr1stEdition', 'ArcUnlimitedEdition', 'Out', 'Dtd', 'Hnt'][i % 5]}", productType: ${['PACK', 'BOX', 'CASE'][i % 3]}) { distribution { samples } }`)} }`,
  };
}

/** The catalogue without a query, and what an account has of it. */
function* catalogueQueries({ collectionId: id, variantIds, productIds }: Place): Generator<Query> {
  for (const sort of PRODUCT_SORTS) {
    yield {
      name: `products ${sort}`,
      text: `{ products(sort: ${sort}, first: 200) { nodes { name number imageUrl(size: LARGE) } } }`,
    };
  }
  const mine = {
    owned: 'owned',
    'owned in a collection': `owned(collectionId: "${id}")`,
    holdings: 'holdings(first: 2) { nodes { quantity } }',
    transactions: 'transactions(first: 2) { totalCount nodes { quantity } }',
  };
  for (const [name, field] of Object.entries(mine)) {
    yield { name: `products, ${name}`, text: `{ products(sort: NAME, first: 50) { nodes { ${field} } } }` };
    yield {
      name: `variants, ${name}`,
      text: `{ products(sort: PRICE, first: 20) { nodes { variants { ${field} } } } }`,
    };
  }
  for (const [range, from, interval] of [
    ['a year', '2025-04-01', 'DAY'],
    ['three years', '2023-05-01', 'WEEK'],
  ]) {
    yield {
      name: `histories of prices over ${range}`,
      text: `{ products(sort: PRICE, first: 8) { nodes { variants { priceHistory(from: "${from}", to: "2026-04-10", interval: ${interval}, currency: EUR) { ${all('PricePoint')} } } } } }`,
    };
  }
  for (const match of ['PRODUCT', 'VARIANT', 'CARD']) {
    const completion = `completion(collectionId: "${id}", match: ${match}) { ${all('GoalProgress')} }`;
    yield {
      name: `sets with what is complete by ${match}`,
      text: `{ sets(first: 100) { totalCount edges { cursor } nodes { ${all('Set')} ${completion} } pageInfo { endCursor } } }`,
    };
    yield {
      name: `a set with what is complete by ${match}`,
      text: `{ set(code: "WTR") { ${completion} } }`,
    };
  }
  yield {
    name: 'prices in every currency',
    text: `{ products(sort: PRICE, first: 200) { nodes { variants { saleVolumes ${times(CURRENCIES.length, (i) => `marketPrice(currency: ${CURRENCIES[i]}) { value }`)} } } } }`,
  };
  yield {
    name: 'products with all',
    text: `{ products(query: "a", first: 50) { totalCount didYouMean pageInfo { ${all('PageInfo')} } nodes { ${all('Product')} imageUrl set { ${all('Set')} } variants { ${all('Variant')} marketPrice { ${all('Money')} } product { id } } }
      facets { ${['class', 'edition', 'finish', 'rarity', 'set', 'treatment'].map((name) => `${name} { ${all('Facet')} }`).join(' ')} } edges { cursor matches { ${all('SearchMatch')} } node { id } } } }`,
  };
  yield {
    name: '28 × what is owned, in a collection each',
    text: `{ products(sort: NAME, first: 200) { nodes { ${times(28, (i) => `owned(collectionId: "${i ? `col_${i}` : id}")`)} } } }`,
  };
  for (const [what, from, ids] of [
    ['product', 'product', productIds],
    ['variant', 'variant', variantIds],
  ] as const) {
    yield {
      name: `long lists of a ${what}`,
      text: `{ ${times(20, (i) => `${from}(id: "${ids[i]}") { holdings(first: 200) { totalCount edges { cursor } pageInfo { endCursor } nodes { quantity gain { value } } } transactions(last: 200) { totalCount edges { cursor } nodes { occurred } } }`)} }`,
    };
  }
  const names = Array.from({ length: 50 }, (_, i) => `"${TERMS[i % 12]}${i}"`).join(', ');
  yield {
    name: 'products by a long filter',
    text: `{ products(sort: NAME, first: 1, filter: { class: [${names}] }) { totalCount } }`,
  };
  for (const count of [1, 8]) {
    yield {
      name: `${count} × transactions of the account`,
      text: `{ viewer { ${times(count, (i) => `transactions(first: ${1 + i}, searchQuery: ${literal(RECORDED_SEARCHES(i)['or of conditions']!)}) { totalCount }`)} } }`,
    };
  }
}

/** What an account has beside its collections. */
function* accountQueries(place: Place): Generator<Query> {
  const { collectionId: id, variantIds, productIds, transactionIds, summaryIds } = place;
  yield {
    name: 'price alerts',
    text: `{ viewer { priceAlerts(first: 200) { totalCount edges { cursor } pageInfo { endCursor } nodes { ${all('PriceAlert')}
      target { ... on Collection { ${all('Collection')} } ... on Variant { variantName marketPrice { value } } } } } } }`,
  };
  const kinds = {
    transactions: transactionIds,
    summaries: summaryIds,
    variants: variantIds,
    products: productIds,
  };
  for (const [kind, ids] of Object.entries(kinds)) {
    yield {
      name: `nodes of ${kind}`,
      text: `{ nodes(ids: ${JSON.stringify(ids.slice(0, 200))}) { id ... on Transaction { notes variant { id } } ... on TransactionSummary { gain { value } lots(first: 1) { totalCount } } ... on Variant { marketPrice { value } owned } ... on Product { owned variants { id } } } }`,
    };
  }
  yield {
    name: 'nodes one by one',
    text: `{ ${times(30, (i) => `node(id: "${[id, transactionIds[i], summaryIds[i], variantIds[i], productIds[i]][i % 5]}") { id ... on Collection { marketValue { value } } }`)} }`,
  };
  yield {
    name: 'transactions one by one',
    text: `{ ${times(30, (i) => `transaction(id: "${transactionIds[i % transactionIds.length]}") { ${all('Transaction')} collection { id quantity } }`)} }`,
  };
  yield {
    name: 'summaries of variants one by one',
    text: `{ collection(id: "${id}") { ${times(30, (i) => `transactionSummary(variantId: "${variantIds[i]}") { ${all('TransactionSummary')} quantities { quantity } }`)} } }`,
  };
  for (const count of [1, 28]) {
    yield {
      name: `${count} × transactions of the account by a filter`,
      text: `{ viewer { ${times(count, (i) => `transactions(first: 1, reverse: true, filter: { tags: ["none${i}"], graded: true }) { totalCount nodes { id } }`)} } }`,
    };
  }
  yield {
    name: 'a long page of transactions of the account',
    text: `{ viewer { transactions(last: 200) { totalCount edges { cursor node { id } } pageInfo { ${all('PageInfo')} } nodes { ${all('Transaction')} } } } }`,
  };
  yield {
    name: 'every collection with all',
    text: `{ collections(first: 10, kind: COLLECTION, sort: VALUE) { totalCount edges { cursor node { id } } pageInfo { endCursor } nodes { ${all('Collection')} goal { match } } } }`,
  };
  yield* importQueries(place);
}

/** Of a file that was read. */
function* importQueries({ importPreviewId }: Place): Generator<Query> {
  const preview = `importPreview(id: "${importPreviewId}")`;
  for (const state of ['MATCHED', 'UNCLEAR', 'WRONG', 'SKIPPED']) {
    yield {
      name: `rows of an import that are ${state}`,
      text: `{ ${preview} { rows(last: 200, state: ${state}) { totalCount edges { cursor } pageInfo { endCursor } nodes { ${all('ImportRow')} variant { id } candidates { ${all('Variant')} } problems { ${all('ImportRowProblem')} } } } } }`,
    };
  }
  yield {
    name: 'an import, and what is left of it',
    text: `{ ${preview} { ${all('ImportPreview')} collection { id } skipped { ${all('ImportSkipped')} } counts { ${all('ImportRowCounts')} } restCsv { ${all('ImportRestCsv')} } } }`,
  };
}

/** What a platform asks of the accounts below it, and an account of its webhooks. */
export function* platformQueries({ accountIds, webhookId }: PlatformPlace): Generator<Query> {
  const account = all('SubAccount');
  yield {
    name: 'a page of accounts',
    text: `{ accounts(last: 200) { totalCount edges { cursor node { id } } pageInfo { startCursor } nodes { ${account} } } }`,
  };
  yield {
    name: '28 × accounts by what the app calls them',
    text: `{ ${times(28, (i) => `accounts(first: 1, externalId: "user-${1 + i}") { totalCount nodes { ${account} } }`)} }`,
  };
  yield {
    name: 'accounts one by one',
    text: `{ ${times(30, (i) => `account(id: "${accountIds[i % accountIds.length]}") { ${account} }`)} identityProvider { ${all('IdentityProvider')} } }`,
  };
  yield {
    name: 'webhooks and what was sent',
    text: `{ webhooks(first: 200) { totalCount edges { cursor } pageInfo { endCursor } nodes { ${all('Webhook')} } } webhook(id: "${webhookId}") { id }
      webhookDeliveries(webhookId: "${webhookId}", first: 200) { totalCount edges { cursor } pageInfo { endCursor } nodes { ${all('WebhookDelivery')} } } }`,
  };
}

export interface PlatformPlace {
  accountIds: readonly string[];
  webhookId: string;
}
