import { expect, it } from 'vitest';
import { describeOnOwnDatabases, newTestApp } from '../harness.ts';
import { documentTables } from '../support/document-tables.ts';
import { entry } from '../support/furnished.ts';
import { importDay, smallCatalogue } from '../support/price-days.ts';
import { mutate } from './mutate.ts';

const MOVES = `{ from to unknownCount movers {
  variant { id } quantity price { decimal } priceBefore { decimal } change { decimal } changeRatio } }`;

interface MoversFound {
  movers: {
    variant: { id: string };
    price: { decimal: string };
    priceBefore: { decimal: string };
    change: { decimal: string };
    changeRatio: number;
  }[];
}

describeOnOwnDatabases('movers of imported prices', (database) => {
  it('are those of a collection, of the valued ones and of the catalogue', async () => {
    const [up, more, down, same] = (await smallCatalogue(database(), 4)) as [string, string, string, string];
    const app = await newTestApp(database());
    await importDay(database(), '2026-05-01', { [up]: '8.00', [more]: '1.00', [down]: '4', [same]: '7' });
    await importDay(database(), '2026-05-02', { [up]: '10.00', [more]: '1.50', [down]: '3' });
    const { body } = await app.send('POST', '/collection', { name: 'Three' });
    await mutate(app, 'updateCollection', { id: body.collectionId, valued: true });
    for (const [variantId, quantity] of [
      [up, 3],
      [more, 1],
      [down, 2],
    ] as const)
      await app.send('POST', `/collection/${body.collectionId}/transaction`, entry(variantId, { quantity }));

    const asked = (more: string) => `movers(period: DAY, ${more}) ${MOVES}`;
    const found = await app.graphql<Record<'collection' | 'viewer' | 'market', never>>(
      `query ($id: ID!) {
        collection(id: $id) { byPercentage: ${asked('first: 2')} byAmount: ${asked('by: AMOUNT')} }
        viewer { dashboard { losses: ${asked('direction: LOSS')} } }
        market: marketMovers(period: DAY, by: AMOUNT, first: 1) ${MOVES}
      }`,
      { id: body.collectionId },
    );

    const mover = (id: string, quantity: number, [before, now, change]: string[], changeRatio: number) => ({
      variant: { id },
      quantity,
      price: { decimal: now },
      priceBefore: { decimal: before },
      change: { decimal: change },
      changeRatio,
    });
    const ofUp = mover(up, 3, ['8.00', '10.00', '6.00'], 0.25);
    const ofMore = mover(more, 1, ['1.00', '1.50', '0.50'], 0.5);
    const days = { from: '2026-05-01', to: '2026-05-02' };
    expect(found).toEqual({
      collection: {
        byPercentage: { ...days, unknownCount: 0, movers: [ofMore, ofUp] },
        byAmount: { ...days, unknownCount: 0, movers: [ofUp, ofMore] },
      },
      viewer: {
        dashboard: {
          losses: {
            ...days,
            unknownCount: 0,
            movers: [mover(down, 2, ['4.00', '3.00', '-2.00'], -0.25)],
          },
        },
      },
      market: {
        ...days,
        unknownCount: 0,
        movers: [mover(up, 1, ['8.00', '10.00', '2.00'], 0.25)],
      },
    });
  });

  it('are those of the example in the documents', async () => {
    const [[held, ...days], expected] = documentTables('money.md', '## Movers') as [string[][], string[][]];
    const ids = await smallCatalogue(database(), 4);
    await database().query('delete from price_year');
    const app = await newTestApp(database());
    for (const [day, ...prices] of days) {
      const known = prices.flatMap((price, i) => (price === '' ? [] : [[ids[i]!, price]]));
      await importDay(database(), day!, Object.fromEntries(known));
    }
    const { body } = await app.send('POST', '/collection', { name: 'Example' });
    for (const [i, quantity] of held!.slice(1).entries())
      await app.send('POST', `/collection/${body.collectionId}/transaction`, {
        ...entry(ids[i]!),
        quantity: Number(quantity),
      });
    const { collection } = await app.graphql<{ collection: Record<string, MoversFound> }>(
      `query ($id: ID!) { collection(id: $id) {
        WEEK: movers(period: WEEK) ${MOVES} DAY: movers(period: DAY) ${MOVES}
        byAmount: movers(period: WEEK, by: AMOUNT) ${MOVES} losses: movers(period: WEEK, direction: LOSS) ${MOVES} } }`,
      { id: body.collectionId },
    );
    const shown = (name: string) =>
      collection[name]!.movers.map((mover) => [
        name,
        'ABCD'[ids.indexOf(mover.variant.id)],
        mover.priceBefore.decimal,
        mover.price.decimal,
        mover.change.decimal,
        String(mover.changeRatio),
      ]);
    expect([...shown('WEEK'), ...shown('DAY')]).toEqual(expected);
    expect(collection.WEEK).toMatchObject({ from: '2026-06-01', to: '2026-06-08', unknownCount: 1 });
    expect(shown('byAmount').map(([, card]) => card)).toEqual(['A', 'B']);
    expect(shown('losses')).toEqual([['losses', 'C', '40.00', '36.00', '-4.00', '-0.1']]);
  });
});
