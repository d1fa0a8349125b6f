import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { CARD_CONDITIONS, LANGUAGES } from '../../src/domain/transactions.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import { type LabelledTransaction, labelled } from '../../src/services/transactions/labelled.ts';
import { asNewAccount, describeOnDatabases, newTestApp, statementsOf, type TestApp } from '../harness.ts';
import { contextOf, type Entry, entry } from '../support/furnished.ts';
import { mutate } from './mutate.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on the shape of answers
type Any = any;

type Recorded = LabelledTransaction['transaction'] & LabelledTransaction['label'];

/** Each with and without something said, in many combinations. */
function details(i: number): Partial<Entry> {
  const cardCondition = CARD_CONDITIONS[i % 7];
  const language = LANGUAGES[(i * 3) % 8];
  const tags = [['for trade'], ['deck', 'für Ève'], [], ['deck', 'for trade']][i % 4]!;
  return {
    ...(cardCondition && { cardCondition }),
    ...(language && { language }),
    ...(tags.length > 0 && { tags }),
    ...(i % 6 === 0 && { grade: { company: 'PSA', grade: '9' } }),
  };
}

/** Transactions of what was bought and sold, over all collections, and those that match. */
describeOnDatabases('transactions by what they are of', (database) => {
  let app: TestApp;
  let stranger: TestApp;
  let variants: { id: string; product: string }[];
  let collections: string[];
  let all: Recorded[];

  beforeAll(async () => {
    app = await newTestApp(database());
    stranger = await asNewAccount(database(), app.fetch);
    variants = await database().query(
      `select id, product_id as product from variant where product_id in (
         select p.id from product p join variant v on v.product_id = p.id
         where p.set_code = 'WTR' and p.class = 'Ninja' and p.sealed_set_type is null group by 1 having count(*) = 2 order by 1 limit 3)
       order by id`,
    );
    expect(variants).toHaveLength(6);
    collections = [];
    all = [];
    const ctx = contextOf(database(), app);
    for (let c = 0; c < 3; c++) {
      const { id } = await createCollection(ctx, { name: `No. ${c}` });
      collections.push(id);
      const entries = Array.from({ length: 40 }, (_, i) =>
        entry(variants[(i * 7 + c) % variants.length]!.id, {
          occurredDate: `2025-0${1 + ((i * 5 + c) % 6)}-0${1 + ((i * 3) % 9)}`,
          action: i % 5 === 4 ? 'Sale' : 'Purchase',
          ...details(i + c),
        }),
      );
      for (const created of await createTransactions(ctx, id, entries)) {
        const { transaction, label } = await labelled(ctx, created);
        all.push({ ...transaction, ...label });
      }
    }
    // Of another account, which is in no list of the first.
    const theirs = contextOf(database(), stranger);
    const { id } = await createCollection(theirs, { name: 'Theirs' });
    await createTransactions(theirs, id, [entry(variants[0]!.id)]);
    const { id: gone } = await createCollection(ctx, { name: 'Gone' });
    await createTransactions(ctx, gone, [entry(variants[0]!.id)]);
    await app.send('DELETE', `/collection/${gone}`);
  });

  const inOrder = (transactions: Recorded[]) =>
    transactions.toSorted((a, b) => (a.occurred + a.id < b.occurred + b.id ? -1 : 1)).map(({ id }) => id);

  /** The ids of a connection, page by page, which is selected from by `at`. */
  async function walk(at: (field: string) => string, args: string, name: string, backwards = false) {
    const ids: string[] = [];
    let cursor = '';
    let total: number;
    for (;;) {
      const page = backwards
        ? `last: 13${cursor && `, before: "${cursor}"`}`
        : `first: 13${cursor && `, after: "${cursor}"`}`;
      const field = `found: ${name}(${[page, args].filter(Boolean).join(', ')}) { totalCount nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }`;
      const data = await app.graphql<Any>(`{ ${at(field)} }`);
      const { nodes, totalCount, pageInfo } = JSON.parse(
        /"found":(\{.*?"pageInfo":\{.*?\}\})/.exec(JSON.stringify(data))![1]!,
      );
      total = totalCount;
      const found = nodes.map(({ id }: Any) => id);
      if (backwards) ids.unshift(...found);
      else ids.push(...found);
      if (!(backwards ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) break;
      cursor = backwards ? pageInfo.startCursor : pageInfo.endCursor;
    }
    expect(total).toBe(ids.length);
    return ids;
  }

  const ofCollection = (field: string) => `collection(id: "${collections[1]}") { ${field} }`;
  const ofAccount = (field: string) => `viewer { ${field} }`;

  describe.each([
    ['a collection', ofCollection, (id: string) => id === collections[1]],
    ['all collections', ofAccount, () => true],
  ] as const)('of %s', (_, at, isOfParent) => {
    const cases: [string, () => string, (transaction: Recorded) => boolean][] = [
      ['everything', () => '', () => true],
      [
        'a variant',
        () => `filter: { variantId: "${variants[2]!.id}" }`,
        (t) => t.variantId === variants[2]!.id,
      ],
      [
        'a product',
        () => `filter: { productId: "${variants[0]!.product}" }`,
        (t) => t.productId === variants[0]!.product,
      ],
      [
        'a variant of another product',
        () =>
          `filter: { variantId: "${variants[0]!.id}", productId: "${variants.find((v) => v.product !== variants[0]!.product)!.product}" }`,
        () => false,
      ],
      ['sales', () => 'filter: { action: SALE }', (t) => t.action === 'Sale'],
      [
        'days',
        () => 'filter: { from: "2025-02-03", to: "2025-04-01" }',
        (t) => t.occurred >= '2025-02-03' && t.occurred <= '2025-04-01',
      ],
      [
        'all of it',
        () => `filter: { productId: "${variants[0]!.product}", action: PURCHASE, from: "2025-03-01" }`,
        (t) => t.productId === variants[0]!.product && t.action === 'Purchase' && t.occurred >= '2025-03-01',
      ],
      [
        'conditions',
        () => 'filter: { cardCondition: [NEAR_MINT, DAMAGED, DAMAGED] }',
        (t) => t.cardCondition === 'NearMint' || t.cardCondition === 'Damaged',
      ],
      ['a language', () => 'filter: { language: JA }', (t) => t.language === 'JA'],
      [
        'any of some tags',
        () => 'filter: { tags: [" für Ève ", "for trade"] }',
        (t) => t.tags.includes('für Ève') || t.tags.includes('for trade'),
      ],
      ['a tag that nothing has', () => 'filter: { tags: ["Deck"] }', () => false],
      ['grades', () => 'filter: { graded: true }', (t) => t.grade !== null],
      [
        'all that is said',
        () =>
          'filter: { graded: false, tags: "deck", language: [EN, DE, FR, ES], cardCondition: LIGHTLY_PLAYED }',
        (t) =>
          t.grade === null &&
          t.tags.includes('deck') &&
          ['EN', 'DE', 'FR', 'ES'].includes(t.language!) &&
          t.cardCondition === 'LightlyPlayed',
      ],
      ['a search', () => 'searchQuery: "class:ninja finish:normal"', (t) => /Normal$/.test(t.variantName)],
      ['a search for nothing', () => 'searchQuery: "set:arc"', () => false],
      [
        'a search for conditions',
        () => 'searchQuery: "condition>=LP"',
        (t) => /^(Near|Lightly)/.test(t.cardCondition ?? ''),
      ],
      ['a search for all but a language', () => 'searchQuery: "-language:ja"', (t) => t.language !== 'JA'],
      [
        'a search for a tag',
        () => String.raw`searchQuery: "tag:\"For Trade\""`,
        (t) => t.tags.includes('for trade'),
      ],
      ['a search for grades', () => 'searchQuery: "is:graded grade:>=9"', (t) => t.grade?.grade === '9'],
      ['a search for other grades', () => 'searchQuery: "grade>9"', () => false],
      [
        'a search for all of that, with a filter',
        () =>
          'searchQuery: "class:ninja (language:de or finish:normal tag:deck) not:graded", filter: { action: PURCHASE }',
        (t) =>
          (t.language === 'DE' || (/Normal$/.test(t.variantName) && t.tags.includes('deck'))) &&
          t.grade === null &&
          t.action === 'Purchase',
      ],
      ['what is no id', () => 'filter: { variantId: "nothing" }', () => false],
    ];
    it.each(cases)('are found by %s, page by page from both ends', async (_name, args, matches) => {
      const wanted = inOrder(all.filter((t) => isOfParent(t.collectionId) && matches(t)));
      expect(await walk(at, args(), 'transactions')).toEqual(wanted);
      expect(await walk(at, args(), 'transactions', true)).toEqual(wanted);
      const reversed = [args(), 'reverse: true'].filter(Boolean).join(', ');
      expect(await walk(at, reversed, 'transactions')).toEqual(wanted.toReversed());
    });
  });

  it.each([
    ['cardCondition: [NEAR_MINT, DAMAGED]', (t: Recorded) => /NearMint|Damaged/.test(t.cardCondition ?? '')],
    ['tags: ["deck"], graded: true', (t: Recorded) => t.tags.includes('deck') && t.grade !== null],
    ['action: SALE, language: [EN]', (t: Recorded) => t.action === 'Sale' && t.language === 'EN'],
    ['from: "2025-06-05"', (t: Recorded) => t.occurred >= '2025-06-05'],
    ['productId: "$product"', (t: Recorded) => t.productId === variants[3]!.product],
    ['variantId: "$variant", graded: false', (t: Recorded) => t.variantId === variants[3]!.id && !t.grade],
    ['variantId: "nothing"', () => false],
    ['', () => true],
  ])('of holdings keep those that have a transaction which fulfils { %s }', async (filter, matches) => {
    const text = filter.replace('$product', variants[3]!.product).replace('$variant', variants[3]!.id);
    const isNormal = ({ variantName }: Recorded) => /Normal$/.test(variantName);
    for (const sort of ['ALPHABETICAL', 'CHRONOLOGICAL', 'GAIN']) {
      for (const [search, isFound] of [
        ['', () => true],
        [', searchQuery: "finish:normal"', isNormal],
      ] as const) {
        const at = (field: string) => `collections(first: 3, sort: CHRONOLOGICAL) { nodes { ${field} } }`;
        const list = (args: string) =>
          app.graphql<Any>(
            `{ ${at(`transactionSummaries(sort: ${sort}${args}) { totalCount nodes { id variant { id } } }`)} }`,
          );
        const [found, whole] = [await list(`, filter: { ${text} }${search}`), await list(search)];
        for (const [c, { transactionSummaries }] of found.collections.nodes.entries()) {
          const wanted = new Set(
            all
              .filter((t) => t.collectionId === collections[c] && matches(t) && isFound(t))
              .map(({ variantId }) => variantId),
          );
          const inOrder = whole.collections.nodes[c].transactionSummaries.nodes;
          expect(transactionSummaries.nodes).toEqual(
            inOrder.filter(({ variant }: Any) => wanted.has(variant.id)),
          );
          expect(transactionSummaries.totalCount).toBe(wanted.size);
        }
      }
    }
  });

  it.each([
    ['condition:nm language:de', (t: Recorded) => t.cardCondition === 'NearMint' && t.language === 'DE'],
    ['-tag:deck', (t: Recorded) => !t.tags.includes('deck')],
    [
      '-(finish:normal tag:deck)',
      (t: Recorded) => !(/Normal$/.test(t.variantName) && t.tags.includes('deck')),
    ],
    [
      '-(tag:deck or finish:normal)',
      (t: Recorded) => !(t.tags.includes('deck') || /Normal$/.test(t.variantName)),
    ],
    [
      'finish:normal -(tag:deck finish:normal)',
      (t: Recorded) => /Normal$/.test(t.variantName) && !t.tags.includes('deck'),
    ],
    ['finish:normal grade:9', (t: Recorded) => /Normal$/.test(t.variantName) && t.grade !== null],
    [
      'quantity>0 (condition:dmg or is:graded)',
      (t: Recorded) => t.cardCondition === 'Damaged' || t.grade !== null,
    ],
  ])('of holdings are searched by what one of their transactions says: %s', async (searchQuery, matches) => {
    const quantities = await app.graphql<Any>(
      '{ collections(first: 3, sort: CHRONOLOGICAL) { nodes { id transactionSummaries { nodes { id quantity variant { id } } } } } }',
    );
    const { collections: found } = await app.graphql<Any>(
      `query ($q: String!) { collections(first: 3, sort: CHRONOLOGICAL) { nodes { transactionSummaries(searchQuery: $q) {
        totalCount nodes { id } edges { matches { typed field value } } } } } }`,
      { q: searchQuery },
    );
    for (const [c, { id, transactionSummaries }] of quantities.collections.nodes.entries()) {
      const own = all.filter((t) => t.collectionId === id && matches(t)).map(({ variantId }) => variantId);
      const wanted = transactionSummaries.nodes.filter(
        ({ variant, quantity }: Any) =>
          own.includes(variant.id) && (quantity > 0 || !searchQuery.includes('quantity')),
      );
      const { nodes, totalCount } = found.nodes[c].transactionSummaries;
      expect(nodes.map((one: Any) => one.id)).toEqual(wanted.map((one: Any) => one.id));
      expect(totalCount).toBe(wanted.length);
      const query = `searchQuery=${encodeURIComponent(searchQuery)}&pageSize=100`;
      const { body } = await app.send('GET', `/collection/${id}/transaction-summary?${query}`);
      expect(body.results.map((one: Any) => one.variantId)).toEqual(wanted.map((one: Any) => one.variant.id));
    }
  });

  it('of holdings tell what was asked of transactions among the reasons', async () => {
    const { collections: found } = await app.graphql<Any>(
      `{ collections(first: 1, sort: CHRONOLOGICAL) { nodes { transactionSummaries(searchQuery: "class:ninja language:french is:graded", first: 1) {
        edges { matches { typed field value } } } } } }`,
    );
    expect(found.nodes[0].transactionSummaries.edges[0].matches).toEqual([
      { typed: 'ninja', field: 'class', value: 'ninja' },
      { typed: 'french', field: 'language', value: 'FR' },
      { typed: 'graded', field: 'is', value: 'graded' },
    ]);
  });

  it('of holdings go on from a cursor, take one statement for all collections, and are refused as those of lists are', async () => {
    const at = (args: string) =>
      `{ collections(first: 3) { nodes { transactionSummaries(${args}) { pageInfo { endCursor hasNextPage } nodes { id } } } } }`;
    const filter = 'filter: { tags: ["deck"] }';
    const [whole] = (await app.graphql<Any>(at(filter))).collections.nodes;
    const { statements } = await statementsOf(() => app.graphql(at(filter)));
    expect(statements.filter(({ text }) => text.includes('t.tags'))).toHaveLength(1);
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const args = `first: 1, ${filter}${cursor && `, after: "${cursor}"`}`;
      const [{ transactionSummaries: page }] = (await app.graphql<Any>(at(args))).collections.nodes;
      ids.push(...page.nodes.map(({ id }: Any) => id));
      if (!page.pageInfo.hasNextPage) break;
      cursor = page.pageInfo.endCursor;
    }
    expect(ids).toEqual(whole.transactionSummaries.nodes.map(({ id }: Any) => id));
    expect(ids.length).toBeGreaterThan(1);
    const { body } = await app.send('POST', '/graphql', { query: at('filter: { tags: [] }') });
    expect(body.errors[0].message).toBe(`filter.tags: must have 1 to ${LIMITS.filterValues} values`);
    const foreign = await stranger.graphql<Any>(
      `{ collection(id: "${collections[0]}") { transactionSummaries(filter: { tags: ["deck"] }) { totalCount } } }`,
    );
    expect(foreign.collection).toBeNull();
  });

  it.each([
    ['transactions of a collection', () => ofCollection('$')],
    ['transactions of all collections', () => ofAccount('$')],
  ])('are searched with few variants in a statement: %s', async (_name, parent) => {
    const list = (i: number) =>
      `a${i}: transactions(first: 50, searchQuery: "-zz${i} (is:graded or -zy${i})") { totalCount nodes { id } }`;
    const document = `{ ${parent().replace('$', [0, 1, 2].map(list).join(' '))} }`;
    const { result, statements } = await statementsOf(() => app.graphql<Any>(document));
    const [found] = Object.values(result) as Any[];
    const wanted = all.filter((t) => found.a0.totalCount === all.length || t.collectionId === collections[1]);
    expect(found.a2.totalCount).toBe(wanted.length);
    // The catalogue has 15,000 without the word; six are held.
    const characters = statements.flatMap(({ params }) => params ?? []).map((param) => String(param).length);
    expect(Math.max(...characters)).toBeLessThan(1000);
    expect(
      statements.filter(({ text }) => /from \(select( distinct)? (h\.)?variant_id as id/.test(text)),
    ).toHaveLength(1);
  });

  it('are in the order of names with a filter, too', async () => {
    const args = 'sort: ALPHABETICAL, filter: { action: PURCHASE }';
    const whole = await walk(ofCollection, 'sort: ALPHABETICAL', 'transactions');
    const purchases = new Set(all.filter(({ action }) => action === 'Purchase').map(({ id }) => id));
    expect(await walk(ofCollection, args, 'transactions')).toEqual(whole.filter((id) => purchases.has(id)));
    expect(await walk(ofCollection, args, 'transactions', true)).toEqual(
      whole.filter((id) => purchases.has(id)),
    );
  });

  it.each([
    ['Variant', 'variant', () => variants[3]!.id, (t: Recorded) => t.variantId === variants[3]!.id],
    ['Product', 'product', () => variants[3]!.product, (t: Recorded) => t.productId === variants[3]!.product],
  ] as const)(
    'of a %s are those of all collections, and so is what is held of it',
    async (_, field, idOf, matches) => {
      const at = (selected: string) => `${field}(id: "${idOf()}") { ${selected} }`;
      const wanted = inOrder(all.filter(matches));
      expect(await walk(at, '', 'transactions')).toEqual(wanted);
      expect(await walk(at, 'reverse: true', 'transactions', true)).toEqual(wanted.toReversed());
      const held = [
        ...new Set(all.filter(matches).map((t) => `sum_${t.collectionId.slice(4)}_${t.variantId.slice(4)}`)),
      ];
      expect((await walk(at, '', 'holdings')).toSorted()).toEqual(held.toSorted());
      const { [field]: found } = await app.graphql<Any>(
        `{ ${at('holdings { nodes { quantity variant { id } } edges { matches { typed } } }')} }`,
      );
      const quantity = all.filter(matches).reduce((sum, t) => sum + (t.action === 'Purchase' ? 1 : -1), 0);
      expect(found.holdings.nodes.reduce((sum: number, node: Any) => sum + node.quantity, 0)).toBe(quantity);
      expect(found.holdings.edges[0].matches).toEqual([]);
    },
  );

  it("are the caller's alone, though texts of the catalogue are kept", async () => {
    const query = `{ variant(id: "${variants[0]!.id}") { transactions { totalCount } holdings { totalCount }
      product { transactions { totalCount } holdings { totalCount } } } viewer { transactions { totalCount } } }`;
    const counts = async (of: TestApp) => {
      const { variant, viewer } = await of.graphql<Any>(query);
      return [variant, variant.product, viewer].flatMap(({ transactions, holdings }) => [
        transactions.totalCount,
        holdings?.totalCount,
      ]);
    };
    const nobody = await asNewAccount(database(), app.fetch);
    for (let round = 0; round < 2; round++) {
      expect(await counts(stranger)).toEqual([1, 1, 1, 1, 1, undefined]);
      expect(await counts(nobody)).toEqual([0, 0, 0, 0, 0, undefined]);
      expect((await counts(app))[0]).toBe(all.filter((t) => t.variantId === variants[0]!.id).length);
    }
    const foreign = await stranger.graphql<Any>(
      `{ collection(id: "${collections[0]}") { transactions(filter: { action: SALE }) { totalCount } } }`,
    );
    expect(foreign.collection).toBeNull();
  });

  it('take as many statements for 200 variants as for one', async () => {
    for (const [fields, statements] of [
      ['transactions(first: 1) { nodes { id } }', 1],
      ['holdings(first: 1) { nodes { id } }', 2],
    ] as const) {
      const query = `{ products(filter: { set: ["WTR"] }, sort: NUMBER, first: 200) { nodes { ${fields} } } }`;
      await app.graphql(query);
      const sent = await statementsOf(() => app.graphql(query));
      expect(sent.statements).toHaveLength(statements);
    }
  });

  it('refuse what is no day, days out of order, and a query that cannot be read', async () => {
    const codeOf = async (args: string) => {
      const { body } = await app.send('POST', '/graphql', {
        query: `{ viewer { transactions(${args}) { totalCount } } }`,
      });
      return body.errors?.[0].extensions.code;
    };
    expect(await codeOf('filter: { from: "2025-02-30" }')).toBe('BAD_USER_INPUT');
    expect(await codeOf('filter: { from: "2025-02-02", to: "2025-02-01" }')).toBe('BAD_USER_INPUT');
    expect(await codeOf('filter: { from: "2025-02-02", to: "2025-02-02" }')).toBeUndefined();
    expect(await codeOf('searchQuery: "class:"')).toBe('InvalidQuery');
    expect(await codeOf('searchQuery: "quantity>1"')).toBe('InvalidQuery');
    expect(await codeOf(`after: "${Buffer.from('["holdings","a","b"]').toString('base64url')}"`)).toBe(
      'BAD_USER_INPUT',
    );
  });

  it('refuse lists without values or with too many, and what no tag can be', async () => {
    const answer = async (filter: string) => {
      const { body } = await app.send('POST', '/graphql', {
        query: `{ viewer { transactions(filter: { ${filter} }) { totalCount } } }`,
      });
      return body.errors?.[0].message ?? body.data.viewer.transactions.totalCount;
    };
    const most = LIMITS.filterValues;
    const sizes = `must have 1 to ${most} values`;
    const values = (value: string, count: number) => `[${Array(count).fill(value)}]`;
    for (const [name, value] of [
      ['cardCondition', 'NEAR_MINT'],
      ['language', 'EN'],
      ['tags', '"deck"'],
    ] as const) {
      expect(await answer(`${name}: []`)).toBe(`filter.${name}: ${sizes}`);
      expect(await answer(`${name}: ${values(value, most + 1)}`)).toBe(`filter.${name}: ${sizes}`);
      expect(await answer(`${name}: ${values(value, most)}`)).toBeGreaterThan(0);
      expect(await answer(`${name}: null`)).toBeGreaterThan(0);
    }
    const { tagCharacters } = LIMITS;
    expect(await answer(`tags: ["${'a'.repeat(tagCharacters)}"]`)).toBe(0);
    expect(await answer(`tags: ["deck", "${'a'.repeat(tagCharacters + 1)}"]`)).toBe(
      `filter.tags.1: must have 1 to ${tagCharacters} characters besides leading and trailing spaces`,
    );
    expect(await answer('tags: [" "]')).toMatch(/^filter\.tags\.0: must have 1 to/);
    expect(await answer('tags: ["a,b"]')).toBe('filter.tags.0: must have no commas and semicolons');
    expect(await answer('tags: ["a\\u0000"]')).toBe('filter.tags.0: must not contain control characters');
  });

  it('are answered by mutations with what is held after them', async () => {
    const ctx = contextOf(database(), app);
    const { id: collectionId } = await createCollection(ctx, { name: 'Changing' });
    const [a, b] = [variants[0]!.id, variants[1]!.id];
    const summary = 'transactionSummary { id quantity invested { decimal } }';
    const send = async (name: string, input: object, payload: string) => {
      const type = name[0]!.toUpperCase() + name.slice(1);
      const data = await app.graphql<Any>(
        `mutation ($input: ${type}Input!) { result: ${name}(input: $input) { ... on ${type}Payload { ${payload} } } }`,
        { input },
      );
      return data.result;
    };
    const bought = { ...entry(a), action: 'PURCHASE' };
    const created = await send(
      'createTransaction',
      { collectionId, ...bought },
      `transaction { id } ${summary}`,
    );
    expect(created.transactionSummary).toMatchObject({ quantity: 1, invested: { decimal: '1.00' } });
    const many = await send(
      'createTransactions',
      { collectionId, transactions: [bought, { ...bought, variantId: b }, bought] },
      'transactions { id } transactionSummaries { quantity variant { id } }',
    );
    expect(many.transactionSummaries).toEqual([
      { quantity: 3, variant: { id: a } },
      { quantity: 1, variant: { id: b } },
    ]);
    const changed = await send('updateTransaction', { id: created.transaction.id, quantity: 5 }, summary);
    expect(changed.transactionSummary.quantity).toBe(7);
    const key = { idempotencyKey: 'delete-once' };
    for (const { id } of [created.transaction, many.transactions[0]])
      await mutate(app, 'deleteTransaction', { id });
    for (let time = 0; time < 2; time++) {
      const last = await send(
        'deleteTransaction',
        { id: many.transactions[1].id, ...key },
        `deletedId ${summary}`,
      );
      expect(last).toEqual({ deletedId: many.transactions[1].id, transactionSummary: null });
    }
    const left = await send('deleteTransaction', { id: many.transactions[2].id }, summary);
    expect(left.transactionSummary).toBeNull();
  });
});
