import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeOnDatabases, type TestApp } from '../../harness.ts';
import { newCollection } from '../../http/support.ts';
import { startStandIn } from '../../support/identity-provider.ts';
import { actingFor, deviceOf, newSubAccount } from '../../support/platforms.ts';
import { startServer, subscribe } from './support.ts';

describeOnDatabases('a subscription to what an account below a platform has', (database) => {
  const rename = (app: TestApp, id: string, name: string) =>
    app.graphql(`mutation { updateCollection(input: { id: "${id}", name: "${name}" }) { __typename } }`);

  async function start() {
    const server = await startServer(database(), { maxAccounts: 2 });
    const [ada, grace] = [await newSubAccount(server.app, 'ada'), await newSubAccount(server.app, 'grace')];
    const own = actingFor(server.app, ada);
    return { server, ada, grace, own, id: await newCollection(own) };
  }

  it('is had by its platform that acts for it, and by its devices, also to read', async () => {
    const { server, ada, own, id } = await start();
    const devices = [await deviceOf(server.app, ada), await deviceOf(server.app, ada, 'read')];
    const subscriptions = [
      subscribe(server, id, { actingFor: ada }),
      ...devices.map((app) => subscribe({ url: server.url, app }, id)),
    ];
    for (const { connected } of subscriptions) await connected;
    await rename(own, id, 'Renamed');
    for (const subscription of subscriptions) {
      const [change] = await subscription.until(1);
      expect(change!.data!.collectionChanged.collection!.name).toBe('Renamed');
    }
  });

  it('is had by its user who signs in on their own, until the provider is taken away', async () => {
    const idp = await startStandIn();
    onTestFinished(() => idp.close());
    const { server, own, id } = await start();
    const audience = randomUUID();
    const provider = { issuer: idp.issuer, audience, createsAccounts: false };
    expect((await server.app.send('PUT', '/identity-provider', provider)).status).toBe(200);
    const token = await idp.token({ sub: 'ada', aud: audience, scope: 'cardledger:read' });
    const subscription = subscribe({ url: server.url, app: { token } }, id);
    await subscription.connected;
    await rename(own, id, 'Renamed');
    const [change] = await subscription.until(1);
    expect(change!.data!.collectionChanged.collection!.name).toBe('Renamed');
    await server.app.send('DELETE', '/identity-provider');
    expect(await subscription.ended).toBe('complete');
    expect(subscription.results.at(-1)).toMatchObject({ errors: [{ extensions: { code: 'Unauthorized' } }] });
  });

  it('is had by nobody else', async () => {
    const { server, grace, id } = await start();
    const sibling = await deviceOf(server.app, grace);
    for (const subscription of [
      subscribe(server, id),
      subscribe(server, id, { actingFor: grace }),
      subscribe({ url: server.url, app: sibling }, id),
    ]) {
      await subscription.ended;
      expect(subscription.results).toMatchObject([{ errors: [{ extensions: { code: 'NotFound' } }] }]);
    }
  });

  describe('ends when the account', () => {
    it.each([
      ['is suspended', 'PATCH', { status: 'Suspended' }, 'Forbidden'],
      ['is deleted', 'DELETE', undefined, 'NotFound'],
    ])('%s', async (_, method, body, code) => {
      const { server, ada, id } = await start();
      const acting = subscribe(server, id, { actingFor: ada });
      const device = subscribe({ url: server.url, app: await deviceOf(server.app, ada, 'read') }, id);
      for (const { connected } of [acting, device]) await connected;
      expect((await server.app.send(method, `/account/${ada}`, body)).status).toBeLessThan(300);
      expect(await acting.ended).toBe('complete');
      expect(await device.ended).toBe('complete');
      expect(acting.results).toMatchObject([{ errors: [{ extensions: { code } }] }]);
      expect(device.results).toMatchObject([{ errors: [{ extensions: { code: 'Unauthorized' } }] }]);
    });
  });
});
