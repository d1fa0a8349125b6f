import type { RequestParts } from '../compare/load.ts';

/** What the account that attacks has: a large ledger, and many collections. */
export interface Targets {
  /** A collection of 100,000 transactions over 10,000 variants. */
  large: string;
  /** An empty collection, which is written to. */
  empty: string;
  productIds: string[];
  variantIds: string[];
}

/** Whose request it is. */
export type Owner = 'large' | 'many';

export interface Attack {
  name: string;
  owner: Owner;
  request: RequestParts;
}

const DAYS = 'from: "2025-03-01", to: "2026-04-01"';

/** Requests that the limits allow, or that are refused only once they are looked at. */
export function attacksOn(targets: Targets): Attack[] {
  return [...documents(targets), ...bodies(targets), ...searches(), ...answers(targets), ...plain(targets)];
}

const attack = (name: string, request: RequestParts, owner: Owner = 'large'): Attack => ({
  name,
  owner,
  request,
});

const graphql = (name: string, query: string, variables: object = {}, owner: Owner = 'large'): Attack =>
  attack(name, { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }) }, owner);

const times = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

/** What is hard to validate, of 2,000 tokens or 64 KiB. */
function documents({ productIds }: Targets): Attack[] {
  return [
    graphql('1,990 fields of one name', `{ viewer { ${times(1990, () => 'id')} } }`),
    graphql('490 objects of one name', `{ ${times(490, () => 'viewer { id }')} }`),
    graphql(
      '150 objects of 10 fields of one name',
      `{ ${times(150, () => `viewer { ${times(10, () => 'id')} }`)} }`,
    ),
    graphql(
      'fields of one name in nested fragments',
      `{ viewer { ...F0 } } ${times(190, (i) => `fragment F${i} on Account { id ...F${i + 1} }`)} fragment F190 on Account { id }`,
    ),
    graphql(
      '300 objects of two fragments by turns',
      `{ ${times(300, (i) => `viewer { id ...F${i % 2} }`)} } fragment F0 on Account { id } fragment F1 on Account { id }`,
    ),
    graphql('190 objects within inline fragments', `{ ${times(195, () => '... { viewer { id } }')} }`),
    graphql('150 objects, four deep', `{ ${times(150, () => 'viewer { dashboard { gain { value } } }')} }`),
    graphql(
      'fragments that spread two others',
      `{ viewer { ...F0 } } ${times(110, (i) => `fragment F${i} on Account { id ...F${i + 1} ...F${Math.min(i + 2, 111)} }`)} fragment F110 on Account { id } fragment F111 on Account { name }`,
    ),
    graphql(
      'one field, 240 fragments of it',
      `{ viewer { ${times(240, (i) => `...F${i % 200}`)} } } ${times(200, (i) => `fragment F${i} on Account { id }`)}`,
    ),
    graphql(
      'fields of one name with arguments',
      `{ ${times(100, () => 'products(query: "a", first: 1, after: null) { totalCount }')} }`,
    ),
    graphql('1,990 unknown fields', `{ viewer { ${times(1990, (i) => `unknownFieldNamed${i}`)} } }`),
    graphql('90 unknown fields of 650 characters', `{ ${times(90, (i) => `${'products'.repeat(80)}${i}`)} }`),
    graphql('320 unknown types', `{ ${times(320, (i) => `... on TransactionSummaryConnectio${i} { id }`)} }`),
    graphql(
      '390 unused variables',
      `query (${times(390, (i) => `$variable${i}: CreateTransactionsInput`)}) { viewer { id } }`,
    ),
    graphql('190 unknown variables', `{ ${times(190, (i) => `node(id: $variable${i}) { id }`)} }`),
    graphql('lists in lists, 990 deep', `{ node(id: ${'['.repeat(990)}${']'.repeat(990)}) { id } }`),
    graphql('inline fragments, 640 deep', `{ ${'... {'.repeat(640)} viewer { id } ${'}'.repeat(640)} }`),
    graphql(
      '140 inline fragments with directives',
      `{ ${times(140, () => '... @include(if: true) { viewer { id } }')} }`,
    ),
    graphql(
      '60 KiB of a string',
      `{ products(query: "${'\\u0041'.repeat(10_500)}", first: 1) { totalCount } }`,
    ),
    graphql(
      'an input of 150 entries in the document',
      `mutation { createTransactions(input: { collectionId: "x", transactions: [${times(150, () => '{ variantId: "v", occured: "x", action: BUY }')}] }) { __typename } }`,
    ),
    graphql('introspection', INTROSPECTION),
    graphql(
      'a type 30 times, all fields',
      `{ ${times(29, (i) => `t${i}: __type(name: "Collection") { fields { name description args { name description type { name } } type { name kind } } }`)} }`,
    ),
    graphql('a node of 200 ids', `query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }`, {
      ids: productIds.slice(0, 200),
    }),
  ];
}

/** Bodies of 1 MiB. */
function bodies({ empty, variantIds }: Targets): Attack[] {
  const filled = (piece: string, bytes = 1024 * 1024 - 400) =>
    Array.from({ length: Math.floor(bytes / (piece.length + 1)) }, () => piece).join(',');
  const withVariables = (name: string, json: string, query = '{ viewer { id } }') =>
    attack(name, {
      method: 'POST',
      path: '/graphql',
      body: `{"query":${JSON.stringify(query)},"variables":${json}}`,
    });
  const CREATE = `mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) { __typename ... on Error { message } ... on ValidationFailed { errors { path detail } } } }`;
  const entry = (variantId: string) =>
    `{"variantId":"${variantId}","occurredDate":"2025-03-01","action":"PURCHASE","quantity":1,"unitAmount":{"currency":"USD","value":1.25}}`;
  const row = (i: number) => `2025-03-01,Purchase,2,4.50,USD,ZZZ${i},Normal,${'x'.repeat(50)}`;
  const importOf = (name: string, csv: string) =>
    graphql(
      name,
      `mutation ($input: ImportTransactionsInput!) { importTransactions(input: $input) { ... on ImportTransactionsPayload { written transactionCount errorCount errors { line column detail suggestions { fcId variantName } } duplicates { line sameAsLine } } ... on ValidationFailed { errors { path detail } } ... on Error { message } } }`,
      { input: { collectionId: empty, dryRun: true, csv } },
    );
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',');
  const IN_PLACES = `mutation ($e: TransactionEntryInput!) { createTransactions(input: { collectionId: "${empty}", transactions: [${'$e '.repeat(900)}] }) { __typename } }`;
  const head = 'occurredDate,action,quantity,unitAmount,currency,number,variantName,note';
  const csvRows = (count: number, of: (i: number) => string) =>
    [head, ...Array.from({ length: count }, (_, i) => of(i))].join('\n');
  return [
    withVariables('350,000 empty objects', `{"a":[${filled('{}')}]}`),
    withVariables('500,000 numbers', `{"a":[${filled('1')}]}`),
    withVariables('50,000 long numbers', `{"a":[${filled('1234567890123456789')}]}`),
    withVariables('lists in lists, 500,000 deep', `{"a":${'['.repeat(524_000)}${']'.repeat(524_000)}}`),
    withVariables(
      'objects in objects, 130,000 deep',
      `{"a":${'{"a":'.repeat(170_000)}1${'}'.repeat(170_000)}}`,
    ),
    withVariables('170,000 keys', `{${Array.from({ length: 100_000 }, (_, i) => `"${i}":1`).join(',')}}`),
    withVariables('500,000 colons in a string', `{"a":"${'\\":'.repeat(340_000)}"}`),
    withVariables(
      'ids that are lists, 500,000 deep',
      `{"ids":${'['.repeat(524_000)}${']'.repeat(524_000)}}`,
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    ),
    withVariables(
      '500,000 ids',
      `{"ids":[${filled('1')}]}`,
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    ),
    withVariables(
      '500,000 entries that are numbers',
      `{"input":{"collectionId":"${empty}","transactions":[${filled('0')}]}}`,
      CREATE,
    ),
    withVariables(
      '500,000 lists in an id',
      `{"ids":[[${filled('[]')}]]}`,
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    ),
    withVariables(
      '9,000 entries',
      `{"input":{"collectionId":"${empty}","transactions":[${filled(entry('var_x'))}]}}`,
      CREATE,
    ),
    withVariables('one of 10,000 keys in 900 places', `{"e":{${keys(10_000)}}}`, IN_PLACES),
    withVariables('one of 9,900 lists in 900 places', `{"e":{"x":[${'[],'.repeat(9900)}[]]}}`, IN_PLACES),
    withVariables('19,900 keys that are unknown', `{"input":{${keys(19_900)}}}`, CREATE),
    withVariables(
      '60 keys that are unknown, and 900 kB',
      `{"input":{${keys(60)},"collectionId":"${'\\"'.repeat(450_000)}"}}`,
      CREATE,
    ),
    withVariables(
      '1,000 bad entries',
      `{"input":{"collectionId":"${empty}","transactions":[${Array.from({ length: 1000 }, () => `{"variantId":"${'x'.repeat(400)}","occurredDate":"x","action":"SALE","quantity":-1,"unitAmount":{"currency":"USD","value":-1.23456}}`).join(',')}]}}`,
      CREATE,
    ),
    withVariables(
      '1,000 entries recorded, with all that they give',
      `{"input":{"collectionId":"${empty}","transactions":[${Array.from({ length: 1000 }, (_, i) => entry(variantIds[i % variantIds.length]!)).join(',')}]}}`,
      `mutation ($input: CreateTransactionsInput!) { createTransactions(input: $input) { ... on CreateTransactionsPayload { transactions { id occurred action quantity unitAmount { value decimal currency } variant { id fcId product { name description number } } collection { name quantity gain { decimal } } ${times(20, (i) => `q${i}: occurred`)} } } } }`,
    ),
    attack('REST: a body of 1 MiB', {
      method: 'POST',
      path: '/collection',
      body: `{"name":"x","x":[${filled('{"a":1}')}]}`,
    }),
    importOf(
      'import: 10,000 rows of cards',
      csvRows(
        10_000,
        (i) => `2025-03-01,Purchase,2,${(i % 900) + 1}.50,USD,WTR${String(i % 200).padStart(3, '0')},Normal,`,
      ),
    ),
    importOf('import: 10,000 rows that are not known', csvRows(10_000, row)),
    importOf(
      'import: 10,000 rows, all the same',
      csvRows(10_000, () => '2025-03-01,Purchase,2,4.50,USD,WTR001,Normal,'),
    ),
    ...['e', 'é', '\uFDFA'].map((letter) =>
      importOf(
        `import: 16 cards with names of 60 kB of ${letter}`,
        csvRows(16, (i) => `2025-03-01,Purchase,2,4.50,USD,Strike ${i} (,Normal,x`)
          .replace('number', 'productName')
          .replaceAll('(', `(${letter.repeat(60_000 / Buffer.byteLength(letter))}`),
      ),
    ),
    importOf('import: 500,000 empty columns', `${head}\n${','.repeat(1_000_000)}`),
    importOf('import: 300,000 short lines', `${head}\n${'x\n'.repeat(300_000)}`),
    importOf('import: one quote of 1 MB', `${head}\n"${'a""'.repeat(190_000)}`),
  ];
}

const SEARCHES: Record<string, string> = {
  'plain words': 'command and conquer snatch tunic dash boltyn reflex strike the of a ninja warrior guardian',
  'misspelt words':
    'comandd conqueer snathc tunik boltinn refllex stryke ninjaa warriorr guardiann brutte rangeer wizzard runeblde mechnologist',
  negations: `${'-a -b -c -d -e -f -g -h -i -j -k -l -m -n -o -p -q -r -s -t -u -v -w -x -y -z '.repeat(3)}`
    .trim()
    .slice(0, 200),
  'filters that are negated':
    '-class:ninja -rarity:common -pitch:1 -cost:0 -power:3 -set:wtr -set:arc -type:action -finish:foil -price>5 -life:20 -talent:light -class:brute -class:wizard',
  alternatives:
    'a or b or c or d or e or f or g or h or i or j or k or l or m or n or o or p or q or r or s or t or u or v or w or x or y or z'.slice(
      0,
      200,
    ),
  parentheses: `${'(a or -(b or -(c or -(d or -('.repeat(3)}x${')'.repeat(12)}`,
  beginnings:
    'at de fi ga he in ju ki lo mi no op pr qu ra st th un vi wa xe yo ze bl co dr ea fo gr ho ig jo kn li ma ne or pl re sh ti up vo wi',
  quotes:
    '"a" "the" "of the" "attack action" "gain" "target" "hero" "this turn" "go again" "card" "you may" "deal" "damage" "arena"',
  'one word of 200 letters': 'comandandconqer'.repeat(14).slice(0, 200),
  'a hundred letters': 'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(4).slice(0, 199).trim(),
  'misspelt, short':
    'xqa xqb xqc xqd xqe xqf xqg xqh xqi xqj xqk xql xqm xqn xqo xqp xqq xqr xqs xqt xqu xqv xqw xqx xqy xqz',
};

const FACETS =
  'facets { class { value count } set { value count } rarity { value count } edition { value count } finish { value count } treatment { value count } }';

/** 30 of one kind in one operation. */
function searches(): Attack[] {
  return Object.entries(SEARCHES).flatMap(([name, text]) => {
    // Each another one: no answer is kept.
    const others = (i: number) =>
      JSON.stringify(
        `${text.slice(0, 196)} ${'bcdfghjklmnpqrstvwxyzaeiou'[i % 26]}${i >= 26 ? 'e' : ''}`.slice(0, 200),
      );
    return [
      graphql(
        `30 searches: ${name}`,
        `{ ${times(30, (i) => `s${i}: products(query: ${others(i)}, first: 1) { totalCount didYouMean nodes { id } }`)} }`,
      ),
      graphql(`1 search: ${name}`, `{ products(query: ${others(1)}, first: 1) { totalCount didYouMean } }`),
      graphql(
        `7 searches with facets: ${name}`,
        `{ ${times(7, (i) => `s${i}: products(query: ${others(i)}, first: 1) { totalCount ${FACETS} }`)} }`,
      ),
      graphql(
        `30 suggestions: ${name}`,
        `{ ${times(30, (i) => `s${i}: suggest(text: ${others(i)}, first: 20) { text kind completion }`)} }`,
      ),
      graphql(
        `a page of 200 with matches: ${name}`,
        `{ products(query: ${others(2)}, last: 200) { totalCount edges { cursor matches { field typed value place } node { id } } } }`,
      ),
    ];
  });
}

const aliased = (field: string) => times(28, (i) => `a${i}: ${field}`);

/** Answers of many MB. */
function answers({ large, productIds }: Targets): Attack[] {
  const products = JSON.stringify(productIds.slice(0, 200));
  const DEEP = `variants { product { variants { product { ${aliased('description')} } } } }`;
  const PRODUCT =
    'id name description number imageUrl rarity class talent cardType cardSubType cost power pitchValue defenseValue variants { id fcId variantName saleVolumes marketPrice { value decimal currency } }';
  return [
    graphql(
      'products of products of 140 products, 28 descriptions',
      `{ nodes(ids: ${JSON.stringify(productIds.slice(0, 140))}) { ... on Product { ${DEEP} } } }`,
    ),
    graphql(
      '200 products, 28 descriptions',
      `{ nodes(ids: ${products}) { ... on Product { ${aliased('description')} } } }`,
    ),
    graphql(
      '90 products with variants of variants',
      `{ nodes(ids: ${JSON.stringify(productIds.slice(0, 90))}) { ... on Product { ${PRODUCT} variants { product { ${PRODUCT} } } } } }`,
    ),
    graphql(
      '1,600 variants, 28 times their sales',
      `{ nodes(ids: ${products}) { ... on Product { variants { ${aliased('saleVolumes')} } } } }`,
    ),
    graphql(
      '9,900 variants with prices',
      `{ nodes(ids: ${products}) { ... on Product { variants { product { variants { id fcId variantName saleVolumes marketPrice { value decimal currency } } } } } } }`.replace(
        'marketPrice { value decimal currency } ',
        '',
      ),
    ),
    graphql(
      '49 pages of 200 products',
      `{ ${times(30, (i) => `p${i}: products(query: "type:action", first: 200, after: null) { nodes { id name description number } }`)} }`,
    ),
    graphql(
      'all expected values with history',
      `{ productEvs(first: 24) { nodes { productName history(from: "2025-06-01", to: "2026-06-01") { date estimatedValue { value decimal } } } } }`,
    ),
    graphql(
      'all expected values with distributions',
      `{ productEvs(first: 100) { nodes { productName breakdown { warning distribution { mean { value } median { value } p5 { value } p95 { value } probabilityToBeatMarketPrice } categories { category contributedValue { value decimal } } } } } }`,
    ),
    ...[
      'ALPHABETICAL',
      'MARKET_VALUE',
      'UNIT_VALUE',
      'GAIN',
      'PERCENTAGE_GAIN',
      'CARD_NUMBER',
      'CHRONOLOGICAL',
      'QUANTITY',
    ].map((sort) =>
      graphql(
        `10,000 holdings in order: ${sort}`,
        `{ collection(id: "${large}") { transactionSummaries(first: 200, sort: ${sort}) { totalCount nodes { id quantity gain { decimal } marketValue { decimal } variant { id product { name } } } } } }`,
      ),
    ),
    graphql(
      '200 collections, 16 holdings each in order',
      `{ collections(first: 200) { nodes { id transactionSummaries(first: 8, sort: GAIN) { nodes { id gain { decimal } variant { id product { name } } } } } } }`,
      {},
      'many',
    ),
    graphql(
      '200 collections, 48 transactions each',
      `{ collections(first: 200) { nodes { id transactions(first: 47) { nodes { id occurred action quantity ${times(28, (i) => `x${i}: occurred`)} } } } } }`,
      {},
      'many',
    ),
    graphql(
      'all values of 200 collections',
      `{ viewer { dashboard { marketValue { decimal } gain { decimal } } } collections(first: 200, sort: VALUE) { nodes { id marketValue { decimal } gain { decimal } percentageGain } } }`,
      {},
      'many',
    ),
    graphql(
      '49 pages of 200 transactions',
      `{ collection(id: "${large}") { ${times(29, (i) => `t${i}: transactions(first: 200, reverse: ${i % 2 === 0}) { nodes { id transactionId occurred action quantity } }`)} } }`,
    ),
    graphql(
      'transactions by name',
      `{ collection(id: "${large}") { transactions(first: 200, sort: ALPHABETICAL) { nodes { id } } } }`,
    ),
    graphql(
      '9 parts of CSV',
      `{ collection(id: "${large}") { ${times(9, (i) => `t${i}: transactionsCsv { csv endCursor }`)} } }`,
    ),
    graphql(
      'the value of a year by days, 10 times',
      `{ collection(id: "${large}") { ${times(10, (i) => `v${i}: valueHistory(${DAYS}) { date marketValue { value decimal } }`)} } }`,
    ),
    graphql(
      'realised gains of 28 years',
      `{ collection(id: "${large}") { ${times(28, (i) => `r${i}: realizedGains(year: ${2000 + i}) { gain { decimal } }`)} } }`,
    ),
  ];
}

function plain({ large }: Targets): Attack[] {
  const get = (name: string, path: string, headers: Record<string, string> = {}): Attack =>
    attack(name, { method: 'GET', path, headers });
  return [
    get('/openapi.json', '/openapi.json', { 'Accept-Encoding': 'br' }),
    get('/metrics', '/metrics'),
    get('/docs', '/docs'),
    get(
      '/graphql with a long query',
      `/graphql?query=${encodeURIComponent(`{ viewer { ${times(1900, () => 'id')} } }`)}`,
    ),
    get(
      'REST: search, misspelt',
      `/product/search?q=${encodeURIComponent(SEARCHES['misspelt words']!)}&pageSize=200`,
    ),
    get('REST: summaries, 200', `/collection/${large}/transaction-summary?pageSize=200&sort=Gain`, {
      'Accept-Encoding': 'gzip',
    }),
    get(
      'REST: summaries by search',
      `/collection/${large}/transaction-summary?pageSize=200&searchQuery=${encodeURIComponent(SEARCHES['filters that are negated']!)}`,
    ),
    get('REST: transactions, 200', `/collection/${large}/transaction?pageSize=200&cursor=90000`),
    get('REST: expected values', '/ev/list?pageSize=200'),
    attack('token: 1 MiB', {
      method: 'POST',
      path: '/oauth2/token',
      body: 'a=b&'.repeat(250_000),
      headers: {},
    }),
  ];
}

const INTROSPECTION = `{ __schema { queryType { name } mutationType { name } types { kind name description fields(includeDeprecated: true) { name description args { name description type { ...T } defaultValue } type { ...T } isDeprecated deprecationReason } inputFields { name description type { ...T } defaultValue } interfaces { ...T } enumValues(includeDeprecated: true) { name description } possibleTypes { ...T } } directives { name description locations args { name description type { ...T } defaultValue } } } }
fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }`;
