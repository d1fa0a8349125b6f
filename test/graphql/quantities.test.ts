import { beforeAll, expect, it } from 'vitest';
import { CARD_CONDITIONS, LANGUAGES } from '../../src/domain/transactions.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { createTransactions } from '../../src/services/transactions/create.ts';
import {
  asNewAccount,
  describeOnDatabases,
  newTestApp,
  pricedVariants,
  statementsOf,
  type TestApp,
} from '../harness.ts';
import { contextOf, type Entry, entry } from '../support/furnished.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on the shape of answers
type Any = any;

const QUANTITIES = 'quantities { cardCondition language quantity }';

const part = (cardCondition: string | null, language: string | null, quantity: number) => ({
  cardCondition,
  language,
  quantity,
});

describeOnDatabases('quantities of a holding', (database) => {
  let app: TestApp;
  let stranger: TestApp;
  let variants: string[];

  beforeAll(async () => {
    app = await newTestApp(database());
    stranger = await asNewAccount(database(), app.fetch);
    variants = await pricedVariants(database(), 3);
  });

  async function collectionOf(...entries: Entry[]): Promise<string> {
    const ctx = contextOf(database(), app);
    const { id } = await createCollection(ctx, { name: 'Told apart' });
    await createTransactions(ctx, id, entries);
    return id;
  }

  /** By variant. */
  async function quantitiesIn(id: string) {
    const { collection } = await app.graphql<Any>(
      `{ collection(id: "${id}") { transactionSummaries { nodes { quantity variant { id } ${QUANTITIES} } } } }`,
    );
    const { nodes } = collection.transactionSummaries;
    for (const { quantity, quantities } of nodes)
      expect(quantities.reduce((sum: number, one: Any) => sum + one.quantity, 0)).toBe(quantity);
    return new Map(nodes.map((node: Any) => [node.variant.id, node.quantities]));
  }

  it('are by condition and language, purchases less the sales that say the same', async () => {
    const [a, b, c] = variants as [string, string, string];
    const sale = (quantity: number, said: Partial<Entry>, variantId = a) =>
      entry(variantId, { action: 'Sale', quantity, ...said });
    const id = await collectionOf(
      entry(a, { quantity: 3 }),
      entry(a, { quantity: 4, language: 'JA' }),
      entry(a, { quantity: 5, cardCondition: 'Damaged', language: 'EN' }),
      entry(a, { quantity: 2, cardCondition: 'NearMint', language: 'JA' }),
      entry(a, { quantity: 6, cardCondition: 'NearMint', language: 'EN', tags: ['deck'] }),
      entry(a, { quantity: 1, cardCondition: 'NearMint', language: 'EN' }),
      entry(a, { quantity: 7, cardCondition: 'NearMint' }),
      sale(2, { cardCondition: 'NearMint', language: 'EN' }),
      sale(2, { cardCondition: 'NearMint', language: 'JA' }),
      sale(1, {}),
      // Of another condition than any that was bought.
      sale(1, { cardCondition: 'LightlyPlayed', language: 'EN' }),
      entry(b, { quantity: 2, language: 'DE' }),
      sale(2, { language: 'DE' }, b),
      entry(c),
    );
    expect(await quantitiesIn(id)).toEqual(
      new Map([
        [
          a,
          [
            part('NEAR_MINT', 'EN', 5),
            part('NEAR_MINT', null, 7),
            part('LIGHTLY_PLAYED', 'EN', -1),
            part('DAMAGED', 'EN', 5),
            part(null, 'JA', 4),
            part(null, null, 2),
          ],
        ],
        [b, []],
        [c, [part(null, null, 1)]],
      ]),
    );
  });

  it('are 42 at most: each condition and none, in each language and none', async () => {
    const conditions = [...CARD_CONDITIONS, undefined];
    const languages = [...LANGUAGES, undefined];
    const all = conditions.flatMap((cardCondition) =>
      languages.map((language) => ({
        ...(cardCondition && { cardCondition }),
        ...(language && { language }),
      })),
    );
    const id = await collectionOf(...all.toReversed().map((said) => entry(variants[0]!, said)));
    const quantities = (await quantitiesIn(id)).get(variants[0]!) as Any[];
    expect(quantities).toHaveLength(42);
    const found = quantities.map(({ cardCondition, language }) => [cardCondition, language]);
    const names = ['NEAR_MINT', 'LIGHTLY_PLAYED', 'MODERATELY_PLAYED', 'HEAVILY_PLAYED', 'DAMAGED', null];
    expect(found).toEqual(names.flatMap((name) => [...LANGUAGES, null].map((language) => [name, language])));
  });

  it('are read for a page at once, and cost a point for 100 transactions of it', async () => {
    const id = await collectionOf(...variants.map((variantId) => entry(variantId)));
    const ask = async (fields: string, first = 3) => {
      const query = `{ collection(id: "${id}") { transactionSummaries(first: ${first}) { nodes { id ${fields} } } } }`;
      const { result, statements } = await statementsOf(() => app.send('POST', '/graphql', { query }));
      expect(result.body.errors).toBeUndefined();
      return { cost: result.body.extensions.cost.requested as number, statements: statements.length };
    };
    // The ledger is read.
    await ask('');
    const without = await ask('');
    const of = (await ask(QUANTITIES)).statements - without.statements;
    expect(of).toBe(2);
    const shape = (await ask(QUANTITIES)).cost;
    expect(shape - without.cost).toBe(3 * 42);
    expect((await ask(QUANTITIES, 1)).statements).toBe((await ask('', 1)).statements + of);
    const sized = (count: number) =>
      database().query(
        'update holding set transaction_count = $2 where collection_id = $1 and variant_id = $3',
        [id, count, variants[0]!],
      );
    // Two beside them.
    await sized(97);
    expect((await ask(QUANTITIES)).cost).toBe(shape);
    await sized(98);
    expect((await ask(QUANTITIES)).cost).toBe(shape + 1);
    // It fails by itself where it would be more than an operation may cost.
    await sized(2_000_000);
    const { body } = await app.send('POST', '/graphql', {
      query: `{ collection(id: "${id}") { transactionSummaries(first: 3) { nodes { quantity ${QUANTITIES} } } } }`,
    });
    expect(body.errors[0].extensions.code).toBe('COST_LIMIT');
    expect(body.data.collection.transactionSummaries.nodes).toEqual(
      variants.map(() => ({ quantity: 1, quantities: null })),
    );
  });

  it("are the caller's alone, and gone with the collection", async () => {
    const id = await collectionOf(entry(variants[0]!, { language: 'FR' }));
    const query = `{ node(id: "sum_${id.slice(4)}_${variants[0]!.slice(4)}") { ... on TransactionSummary { ${QUANTITIES} } } }`;
    expect(await app.graphql(query)).toEqual({ node: { quantities: [part(null, 'FR', 1)] } });
    expect(await stranger.graphql(query)).toEqual({ node: null });
    await app.send('DELETE', `/collection/${id}`);
    expect(await app.graphql(query)).toEqual({ node: null });
  });
});
