import { CURRENCIES } from '../../src/domain/currencies.ts';
import {
  AT_ONCE,
  type Attack,
  aliased,
  dear,
  inCollection,
  largeOf,
  type Noisy,
  newCollection,
  rest,
} from './attack.ts';
import { outcomeOf } from './outcome.ts';

const TERMS = [
  'quantity>1',
  'not quantity>3',
  'gain<0',
  'not gain<5',
  'price<5',
  'value>1',
  'profit<2',
  'invested>1',
  'class:ninja',
  '-rarity:common',
  'pitch:red',
  'cost<=2',
  'power>3',
  'set:wtr',
  'dragon',
  'strike',
  'not foil',
];

/** A search that differs from the others in its shape, not in its values alone. */
function shape(number: number): string {
  const terms = Array.from(
    { length: 4 },
    (_, i) => TERMS[Math.floor(number / TERMS.length ** i) % TERMS.length]!,
  );
  const [a, b, c, d] = terms;
  return number % 2 ? `(${a} or ${b}) (${c} or ${d})` : `${a} (${b} or (${c} ${d}))`;
}

const NEGATIONS =
  '-red -class:brute -"go again" -rarity:rare -set:wtr -price<1 -text:damage -foil -type:attack -finish:cold -cost>2';
/** Near to much, and right nowhere. */
const MISSPELT =
  'comandd conqerr dragn stirke snacth fyendl spreng tunik crimsn blodd rusch enlihtened strik';

/** About as many as are allowed, others for each number. */
const everyDay = (i: number) => `from: "2025-03-${10 + (i % 20)}", to: "2026-03-${10 + ((i * 7) % 19)}"`;

export const realizedGains = (i: number) => `realizedGains(year: ${2015 + (i % 12)}) { gain { decimal } }`;
export const valueHistory = (i: number) =>
  `valueHistory(${everyDay(i)}) { marketValue { decimal } profit { decimal } }`;

/** A month and a day of it, others for each number. */
const dayOf = (year: number, i: number) => `"${year}-0${1 + (i % 9)}-${10 + ((i * 7) % 19)}"`;
const moversOf = (i: number) =>
  `period: ${['DAY', 'WEEK', 'MONTH', 'YEAR'][i % 4]}, by: ${['PERCENTAGE', 'AMOUNT'][(i >> 2) % 2]}, direction: ${['GAIN', 'LOSS'][(i >> 3) % 2]}, first: ${1 + i}`;

const performanceOf = (i: number) =>
  `performance(from: ${dayOf(2024, i)}, to: ${dayOf(2026, i)}) { gain { decimal } timeWeightedReturn { value } internalRateOfReturn { value } }`;

/** What asks for the prices of many days, or for what was sold in a year. */
const OF_TIME: Attack[] = [
  dear('performance', 'large', (noisy, aliases, turn) =>
    inCollection(
      largeOf(noisy),
      aliased(aliases, (i) => performanceOf(turn + i)),
    ),
  ),
  dear(
    'performance of many collections',
    'many',
    (_, aliases, turn) =>
      `{ viewer { dashboard { ${aliased(aliases, (i) =>
        i % 2 ? valueHistory(turn + i) : performanceOf(turn + i),
      )} } } }`,
  ),
  dear('sales of a year', 'large', (noisy, aliases, turn) =>
    inCollection(
      largeOf(noisy),
      aliased(
        aliases,
        (i) =>
          `realizedGains(year: ${2024 + (i % 2)}, method: ${(i >> 1) % 2 ? 'FIFO' : 'AVERAGE'}) { sales(first: ${1 + ((turn + i) % 200)}) { nodes { quantity } } }`,
      ),
    ),
  ),
  dear('sales of a year as CSV', 'large', (noisy, aliases) =>
    inCollection(
      largeOf(noisy),
      aliased(
        aliases,
        (i) =>
          `realizedGains(year: ${2024 + (i % 2)}, method: ${(i >> 1) % 2 ? 'FIFO' : 'AVERAGE'}) { salesCsv { csv } }`,
      ),
    ),
  ),
  dear('movers', 'large', (noisy, aliases) =>
    inCollection(
      largeOf(noisy),
      aliased(aliases, (i) => `movers(${moversOf(i)}) { unknownCount movers { change { decimal } } }`),
    ),
  ),
  dear(
    'movers of the market',
    'small',
    (_, aliases) =>
      `{ ${aliased(aliases, (i) => `marketMovers(${moversOf(i)}) { movers { change { decimal } } }`)} }`,
  ),
  dear(
    'indexes of the market',
    'small',
    (_, aliases, turn) =>
      `{ ${aliased(aliases, (i) => `marketIndex(from: ${dayOf(2025, turn + i)}, to: ${dayOf(2026, i)}, interval: ${['WEEK', 'MONTH'][i % 2]}, weighting: ${['PRICE', 'EQUAL'][(i >> 1) % 2]}) { value }`)} }`,
  ),
  dear(
    'histories of prices',
    'small',
    ({ variantIds }, aliases, turn) =>
      `{ ${aliased(aliases, (i) => `variant(id: "${variantIds[(turn * 31 + i) % variantIds.length]}") { priceHistory(${everyDay(turn + i)}, currency: ${['EUR', 'JPY'][i % 2]}) { price { decimal } } }`)} }`,
  ),
];

/** What asks for more currencies than prices are kept in. */
const OF_CURRENCIES: Attack[] = [
  dear(
    'prices in every currency',
    'small',
    (_, aliases, turn) =>
      `{ products(sort: PRICE, first: 200) { nodes { variants { ${aliased(aliases, (i) => `marketPrice(currency: ${CURRENCIES[(turn + i) % CURRENCIES.length]}) { decimal }`)} } } } }`,
  ),
];

const SET_GOAL =
  'mutation ($input: SetGoalCollectionInput!) { setGoalCollection(input: $input) { __typename ... on Error { message } } }';

/** An attack on the large collection as a goal, to hold each variant of the catalogue that has a price. */
function onGoal(attack: Attack): Attack {
  return {
    ...attack,
    start: async (noisy) => {
      const items = noisy.variantIds
        .slice(0, 1000)
        .map((variantId, i) => ({ variantId, quantity: 1 + (i % 4) }));
      const input = { collectionId: largeOf(noisy), match: 'CARD', target: { items } };
      const outcome = outcomeOf(await noisy.client.graphql(SET_GOAL, { input }));
      if (outcome !== '200') throw new Error(`no goal: ${outcome}`);
      return attack.start(noisy);
    },
  };
}

const OF_GOALS: Attack[] = [
  onGoal(
    dear('missing cards of a goal', 'large', (noisy, aliases, turn) =>
      inCollection(
        largeOf(noisy),
        aliased(
          aliases,
          (i) =>
            `goal { progress { missing costToComplete { decimal } } missingCards(first: ${1 + ((turn + i) % 200)}) { nodes { missing unitPrice { decimal } } } }`,
        ),
      ),
    ),
  ),
  dear(
    'sets with what is complete',
    'large',
    (noisy, aliases) =>
      `{ ${aliased(aliases, (i) => `sets(first: ${100 - i}) { nodes { completion(collectionId: "${largeOf(noisy)}", match: ${['CARD', 'PRODUCT', 'VARIANT'][i % 3]}) { missing costToComplete { decimal } } } }`)} }`,
  ),
];

/** One that no other is like. */
const searchOf = (turn: number, i: number) =>
  `transactions(first: 1, searchQuery: "-condition:NM or -tag:t${turn} (grade>=${1 + (i % 9)} or -zz${turn}x${i})") { totalCount nodes { id } }`;

/** On the large collection, searches that the database has to do anew. */
export const searchesOf = (noisy: Noisy, turn: number) =>
  inCollection(
    largeOf(noisy),
    aliased(4, (i) => searchOf(turn, i)),
  );

/** What asks for what single transactions say. */
const OF_TRANSACTIONS: Attack[] = [
  dear('allocations', 'large', (noisy, aliases) =>
    inCollection(
      largeOf(noisy),
      aliased(
        aliases,
        (i) =>
          `allocation(by: ${['SET', 'RARITY', 'CLASS', 'FINISH'][i % 4]}, first: ${1 + i}) { parts { share } }`,
      ),
    ),
  ),
  dear('lots and quantities', 'large', (noisy, aliases, turn) =>
    inCollection(
      largeOf(noisy),
      aliased(
        aliases,
        (i) =>
          `transactionSummaries(sort: QUANTITY, reverse: true, first: ${41 + ((turn + i) % 10)}) { nodes { quantities { quantity } lots(first: ${1 + (i % 10)}) { totalCount nodes { quantityLeft } } } }`,
      ),
    ),
  ),
  dear('searches of transactions', 'large', (noisy, aliases, turn) =>
    inCollection(
      largeOf(noisy),
      aliased(aliases, (i) => searchOf(turn, i)),
    ),
  ),
  dear('filters of transactions', 'large', (noisy, aliases, turn) =>
    inCollection(
      largeOf(noisy),
      aliased(
        aliases,
        (i) =>
          `transactions(first: 1, sort: ALPHABETICAL, filter: { from: ${dayOf(2020, i)}, action: SALE, cardCondition: [DAMAGED], tags: ["none${turn}x${i}"] }) { totalCount nodes { id } }`,
      ),
    ),
  ),
];

/** Sends a query and closes the connection before it is answered. */
function left({ client }: Noisy, body: string, millis: number): Promise<string> {
  return new Promise((resolve) => {
    const outgoing = client.open('POST', '/graphql', body, { Connection: 'close' }, (response) => {
      resolve(String(response.statusCode));
      response.resume();
    });
    // Where its address has opened too many.
    outgoing.on('error', ({ code }: NodeJS.ErrnoException) => resolve(`refused ${code}`));
    setTimeout(() => {
      outgoing.destroy();
      resolve('left');
    }, millis);
  });
}

async function transactionCount(noisy: Noisy): Promise<number> {
  const { text } = await noisy.client.graphql(
    inCollection(largeOf(noisy), 'transactions(first: 1) { totalCount }'),
  );
  return JSON.parse(text).data.collection.transactions.totalCount;
}

/** Of places in the collection from its oldest transactions on. */
async function cursorsOf(noisy: Noisy): Promise<string[]> {
  const { text } = await noisy.client.graphql(
    inCollection(largeOf(noisy), 'transactions(first: 200) { edges { cursor } }'),
  );
  return JSON.parse(text).data.collection.transactions.edges.map(({ cursor }: { cursor: string }) => cursor);
}

export const QUERIES: Attack[] = [
  dear('realizedGains', 'large', (noisy, aliases) =>
    inCollection(largeOf(noisy), aliased(aliases, realizedGains)),
  ),
  dear('valueHistory', 'large', (noisy, aliases) =>
    inCollection(largeOf(noisy), aliased(aliases, valueHistory)),
  ),
  dear('valueHistory of few points', 'large', (noisy, aliases, turn) =>
    inCollection(
      largeOf(noisy),
      aliased(
        aliases,
        (i) =>
          `valueHistory(from: "2026-01-0${1 + (turn % 9)}", to: "2026-02-${10 + (i % 18)}", interval: MONTH) { date }`,
      ),
    ),
  ),
  dear('transactions by name', 'large', (noisy, aliases) =>
    inCollection(
      largeOf(noisy),
      aliased(
        aliases,
        (i) => `transactions(first: ${1 + i}, sort: ALPHABETICAL, reverse: ${i % 2 === 0}) { nodes { id } }`,
      ),
    ),
  ),
  dear('summaries by search', 'large', (noisy, aliases, turn) =>
    inCollection(
      largeOf(noisy),
      aliased(
        aliases,
        (i) =>
          `transactionSummaries(first: 1, searchQuery: "${shape(turn * 31 + i)}") { totalCount nodes { quantity } }`,
      ),
    ),
  ),
  dear('summaries in every order', 'large', (noisy, aliases) =>
    inCollection(
      largeOf(noisy),
      aliased(aliases, (i) => {
        const sort = [
          'GAIN',
          'PERCENTAGE_GAIN',
          'MARKET_VALUE',
          'UNIT_VALUE',
          'QUANTITY',
          'CARD_NUMBER',
          'CHRONOLOGICAL',
        ][i % 7];
        return `transactionSummaries(first: 1, sort: ${sort}, searchQuery: "quantity>${i}") { nodes { quantity } }`;
      }),
    ),
  ),
  dear(
    'products with negations',
    'small',
    (_, aliases, turn) =>
      `{ ${aliased(aliases, (i) => `products(first: 1, query: ${JSON.stringify(`${NEGATIONS} -power>${i} -life>${turn % 50}`)}) { totalCount nodes { id } }`)} }`,
  ),
  dear(
    'products in facets',
    'small',
    (_, aliases, turn) =>
      `{ ${aliased(aliases, (i) => `products(first: 1, query: "-life>${turn * 30 + i}") { totalCount facets { class { count } set { count } } }`)} }`,
  ),
  dear(
    'misspelt searches',
    'small',
    (_, aliases, turn) =>
      `{ ${aliased(aliases, (i) => `products(first: 1, query: "${MISSPELT} ${turn}${i}") { totalCount didYouMean }`)} }`,
  ),
  dear(
    'suggestions',
    'small',
    (_, aliases, turn) =>
      `{ ${aliased(aliases, (i) => `suggest(first: 20, text: "${MISSPELT} ${turn}${i}") { text }`)} }`,
  ),
  dear(
    'many collections',
    'many',
    () =>
      '{ collections(first: 200, sort: PERCENTAGE_GAIN) { nodes { transactionSummaries(first: 1, sort: GAIN) { totalCount nodes { gain { decimal } } } } } }',
  ),
  dear(
    'gains of many collections',
    'many',
    () =>
      '{ collections(first: 200) { nodes { realizedGains(year: 2025) { gain { decimal } } transactions(first: 1, sort: ALPHABETICAL) { nodes { id } } } } }',
  ),
  {
    ...dear('exports', 'large', () => ''),
    start: async (noisy) => {
      const cursors = await cursorsOf(noisy);
      const parts = (count: number, turn: number) =>
        inCollection(
          largeOf(noisy),
          aliased(
            count,
            (i) => `transactionsCsv(after: "${cursors[(turn * 7 + i) % cursors.length]}") { csv }`,
          ),
        );
      return dear('exports', 'large', (_, count, turn) => parts(count, turn)).start(noisy);
    },
  },
  {
    ...rest('last pages', 'large', () => ''),
    start: async (noisy) => {
      const count = await transactionCount(noisy);
      return rest('last pages', 'large', (_, turn) => {
        const cursor = count - 1 - (turn % 1000);
        return `/collection/${largeOf(noisy)}/transaction?sortOrder=Alphabetical&pageSize=1&cursor=${cursor}`;
      }).start(noisy);
    },
  },
  rest(
    'searches by REST',
    'large',
    (noisy, turn) =>
      `/collection/${largeOf(noisy)}/transaction-summary?pageSize=1&sort=PercentageGain&searchQuery=${encodeURIComponent(shape(turn))}`,
  ),
  {
    name: '5,000 different texts',
    stock: 'small',
    workers: AT_ONCE,
    // A collection that is empty: what it takes is for the texts alone.
    start: async ({ client }) => {
      const id = await newCollection(client);
      const field = (i: number) =>
        `transactionSummaries(first: ${1 + (i % 200)}, searchQuery: "${shape(i)}") { nodes { quantity } }`;
      return async (turn) =>
        outcomeOf(
          await client.graphql(
            `query Texts${turn} ${inCollection(
              id,
              aliased(10, (i) => field(turn * 10 + i)),
            )}`,
          ),
        );
    },
  },
  {
    name: 'dear queries, left at once',
    stock: 'large',
    workers: AT_ONCE,
    expected: /^refused ECONNRESET/,
    start: async (noisy) => async (turn) => {
      const query = inCollection(
        largeOf(noisy),
        `${aliased(10, realizedGains)} b: transactions(first: ${1 + (turn % 200)}, sort: ALPHABETICAL) { nodes { id } }`,
      );
      return left(noisy, JSON.stringify({ query }), 30);
    },
  },
  {
    name: 'ever new documents',
    stock: 'small',
    workers: AT_ONCE,
    start:
      async ({ client }) =>
      async (turn) => {
        const names = Array.from({ length: 29 }, (_, i) => `a${turn}x${i}`);
        const fields =
          'id name description quantity valued pinned gain { value decimal currency } marketValue { value decimal currency }';
        const selections = names.map(
          (name) => `${name}: collections(first: 1) { nodes { ${fields} ${fields} ${fields} } }`,
        );
        return outcomeOf(await client.graphql(`{ ${selections.join(' ')} }`));
      },
  },
  {
    name: 'documents that are wrong',
    stock: 'small',
    workers: AT_ONCE,
    expected:
      /^400 (GRAPHQL_VALIDATION_FAILED|GRAPHQL_PARSE_FAILED|BAD_USER_INPUT|TOO_MANY_TOKENS|ALIAS_LIMIT)|^200 GRAPHQL_VALIDATION_FAILED/,
    start:
      async ({ client }) =>
      async (turn) => {
        const unknown = () =>
          `{ ${Array.from({ length: 900 }, (_, i) => `colection${turn}x${i}`).join(' ')} }`;
        const overlapping = () => {
          const fragments = Array.from(
            { length: 70 },
            (_, i) =>
              `fragment F${i} on Query { product(id: "${turn}x${i}") { id } ${i ? `...F${i - 1} ...F${i >> 1}` : ''} }`,
          );
          return `{ ${fragments.map((_, i) => `...F${i}`).join(' ')} } ${fragments.join(' ')}`;
        };
        return outcomeOf(await client.graphql(turn % 2 ? unknown() : overlapping()));
      },
  },
  ...OF_TIME,
  ...OF_CURRENCIES,
  ...OF_GOALS,
  ...OF_TRANSACTIONS,
];
