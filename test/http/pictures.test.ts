import { describe, expect, it } from 'vitest';
import { describeOnDatabases, newTestApp } from '../harness.ts';

describeOnDatabases('pictures', (database) => {
  describe('of sealed products', () => {
    it('are drawn where there is no other, and served without a token', async () => {
      const app = await newTestApp(database());
      const query = `{ productEvs(first: 200) { nodes { productImage imageUrl: product { imageUrl(size: LARGE) } } } }`;
      const { body } = await app.send('POST', '/graphql', { query });
      expect(body.errors).toBeUndefined();
      const addresses: string[] = body.data.productEvs.nodes.map(
        ({ productImage }: { productImage: string }) => productImage,
      );
      expect(addresses).toContain('/pictures/mon/box.svg');
      expect(
        body.data.productEvs.nodes.map((node: { imageUrl: { imageUrl: string } }) => node.imageUrl.imageUrl),
      ).toEqual(addresses);
      for (const address of new Set(addresses)) {
        const response = await app.fetch(new Request(`http://127.0.0.1${address}`));
        expect([address, response.status]).toEqual([address, 200]);
        expect(response.headers.get('content-type')).toBe('image/svg+xml');
        expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
      }
      const rest = await app.send('GET', '/ev/breakdown?setType=MonUnlimitedEdition&productType=Box');
      expect(rest.body.imageUrl).toBe('/pictures/mon/box.svg');
    });
  });

  it.each(['/pictures/mon/crate.svg', '/pictures/MON/box.svg', '/pictures/mon/box', '/pictures/mon/box.png'])(
    'there is none at %s',
    async (path) => {
      const app = await newTestApp(database());
      expect((await app.fetch(new Request(`http://127.0.0.1${path}`))).status).toBe(404);
    },
  );
});
