import { describe, expect, it } from 'vitest';
import { CURRENCIES } from '../../src/domain/currencies.ts';
import { describeOnDatabases, newTestApp } from '../harness.ts';
import { expectProblem } from './support.ts';

interface Row {
  id: string;
  name: string;
  variants: number;
}

const FIELDS = {
  productId: 'id',
  name: 'name',
  number: 'number',
  imageUrl: 'image_url',
  description: 'description',
  cardType: 'card_type',
  cardSubType: 'card_sub_type',
  class: 'class',
  rarity: 'rarity',
  cost: 'cost',
  defenseValue: 'defense_value',
  pitchValue: 'pitch_value',
  talent: 'talent',
  power: 'power',
  intellect: 'intellect',
  life: 'life',
};

describeOnDatabases('REST products', (database) => {
  const productWhere = async (condition: string) => {
    const [row] = await database().query<Row>(
      `select p.id, p.name, (select count(*)::integer from variant v where v.product_id = p.id) as variants
       from product p where ${condition} order by p.id limit 1`,
    );
    return row!;
  };
  const UNPRICED = `exists (select from variant v where v.product_id = p.id and not exists (
    select from price where price.variant_id = v.id and price.amount is not null))`;
  const PRICED = `exists (select from variant v join price on price.variant_id = v.id
    where v.product_id = p.id and price.amount > 1)`;

  it('has every field of the contract', async () => {
    const app = await newTestApp(database());
    const { id, variants } = await productWhere(`p.number = 'WTR040' and not ${UNPRICED}`);
    const { status, headers, body } = await app.send('GET', `/product/${id}`);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('application/json');
    const columns = Object.entries(FIELDS).map(([field, column]) => `${column} as "${field}"`);
    const [row] = await database().query<Record<string, unknown>>(
      `select ${columns.join(', ')}, vendor_product_id as "vendorProductId" from product where id = $1`,
      [id],
    );
    const { variants: found, ...fields } = body;
    expect(fields).toMatchObject(row!);
    expect(fields.vendorProductId).toBeGreaterThan(0);
    expect(found).toHaveLength(variants);
    for (const variant of found) {
      expect(variant).toMatchObject({
        variantId: expect.stringMatching(/^var_/),
        variantName: expect.stringMatching(/\S/),
        marketPrice: { currency: 'USD', value: expect.any(Number) },
        fcId: expect.stringMatching(/\S/),
        saleVolumes: expect.any(Array),
      });
      expect(variant.saleVolumes).toHaveLength(30);
      for (const sales of variant.saleVolumes) expect(Number.isInteger(sales) && sales >= 0).toBe(true);
    }
  });

  it('has null for what a card does not have', async () => {
    const app = await newTestApp(database());
    const { id } = await productWhere('p.number is null and p.cost is null and p.life is null');
    const { body } = await app.send('GET', `/product/${id}`);
    expect(body).toMatchObject({ number: null, cost: null, life: null });
    for (const field of Object.keys(FIELDS)) expect(body).toHaveProperty(field);
  });

  it('has vendorProductId 0 where the vendor does not list it', async () => {
    const app = await newTestApp(database());
    const { id } = await productWhere('p.vendor_product_id is null');
    expect((await app.send('GET', `/product/${id}`)).body.vendorProductId).toBe(0);
  });

  it('has null for a price that is not known', async () => {
    const app = await newTestApp(database());
    const { id } = await productWhere(UNPRICED);
    const { body } = await app.send('GET', `/product/${id}`);
    expect(body.variants.map((v: { marketPrice: unknown }) => v.marketPrice)).toContain(null);
  });

  it('has the prices in the currency that is asked for, or the preferred one', async () => {
    const { id } = await productWhere(PRICED);
    const prices = async (app: Awaited<ReturnType<typeof newTestApp>>, query = '') =>
      (await app.send('GET', `/product/${id}${query}`)).body.variants.map(
        (v: { marketPrice: unknown }) => v.marketPrice,
      );
    const american = await newTestApp(database());
    const japanese = await newTestApp(database(), { currency: 'JPY' });
    const yen = await prices(japanese);
    for (const price of yen) {
      if (price === null) continue;
      expect(price.currency).toBe('JPY');
      expect(Number.isInteger(price.value)).toBe(true);
    }
    expect(await prices(american, '?currency=JPY')).toEqual(yen);
    expect(await prices(american, '?currency=USD')).toEqual(await prices(american));
    expect(await prices(japanese, '?priceSource=VendorMarket&currency=USD')).toEqual(await prices(american));
    // 1.1684 USD and 186.75 JPY are worth a euro on the day of the shipped rates.
    const [usd] = (await prices(american)).filter((p: unknown) => p !== null);
    const [jpy] = yen.filter((p: unknown) => p !== null);
    expect(jpy.value).toBe(Math.round((usd.value * 186.75) / 1.1684));
  });

  it('takes every currency', async () => {
    const app = await newTestApp(database());
    const { id } = await productWhere(PRICED);
    for (const currency of CURRENCIES) {
      const { status } = await app.send('GET', `/product/${id}?currency=${currency}`);
      expect({ currency, status }).toEqual({ currency, status: 200 });
    }
  });

  it('does not know ids that nothing has, or of other types', async () => {
    const app = await newTestApp(database());
    const { id } = await productWhere('true');
    const [variant] = await database().query<{ id: string }>('select id from variant limit 1');
    const bad = [
      'prd_000000',
      'x',
      variant!.id,
      id.toUpperCase(),
      `${id}%00`,
      '%00',
      'x'.repeat(10_000),
      'prd_%2F',
    ];
    for (const wrong of bad) {
      const answer = await app.send('GET', `/product/${wrong}`);
      expectProblem(answer, 'NotFound');
      expect(answer.body.detail).toBe('The product does not exist.');
    }
  });

  it('refuses other currencies and price sources, all at once', async () => {
    const app = await newTestApp(database());
    const { id } = await productWhere('true');
    for (const query of [
      'currency=usd&priceSource=vendor',
      'currency=&priceSource=',
      'currency=XXX&priceSource=0',
    ]) {
      const answer = await app.send('GET', `/product/${id}?${query}`);
      expectProblem(answer, 'ValidationFailed', { pointers: ['?currency', '?priceSource'] });
    }
  });

  describe('sealed ones', () => {
    it('are products too, with one variant', async () => {
      const app = await newTestApp(database());
      const [ev] = await database().query<{ id: string }>(
        `select product_id as id from product_ev where product_type = 'Box' order by set_type limit 1`,
      );
      const { status, body } = await app.send('GET', `/product/${ev!.id}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ number: null, cost: null, power: null });
      expect(body.variants).toHaveLength(1);
    });
  });
});
