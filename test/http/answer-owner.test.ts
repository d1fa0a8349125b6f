import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { accountUuid } from '../../src/domain/credentials.ts';
import type { AnswerOwner, Outgoing } from '../../src/http/exchange.ts';
import { asNewAccount, describeOnOneDatabase, NOW, type TestApp } from '../harness.ts';
import { actingFor, deviceOf, newSubAccount } from '../support/platforms.ts';
import { ORIGIN } from './support.ts';

describeOnOneDatabase('the connection is told whom an answer is for', (database) => {
  let platform: TestApp;
  let subAccount: string;
  let lastOwner: AnswerOwner | undefined;
  const ownerOf = async (asking: Promise<unknown>): Promise<AnswerOwner> => {
    await asking;
    const { accountId, platformId } = lastOwner ?? {};
    return { accountId, platformId };
  };

  beforeAll(async () => {
    const app = createApp({
      config: loadConfig({}),
      db: database(),
      now: () => NOW,
      logger: pino({ level: 'silent' }),
    });
    const fetch = async (request: Request) => {
      const outgoing: Outgoing = { destroy: () => {} };
      const response = await app.fetch(request, { outgoing });
      lastOwner = outgoing.owner;
      return response;
    };
    platform = await asNewAccount(database(), fetch, { maxAccounts: 10 });
    subAccount = await newSubAccount(platform, 'ada');
  });

  it.each([
    ['GraphQL', 'POST', '/graphql', { query: '{ viewer { id } }' }],
    ['REST', 'GET', '/collection', undefined],
    ['a refusal', 'GET', '/collection/none', undefined],
  ])('by %s', async (_name, method, path, body) => {
    const { accountId } = platform;
    expect(await ownerOf(platform.send(method, path, body))).toEqual({ accountId });

    const below = { accountId: accountUuid(subAccount), platformId: accountId };
    expect(await ownerOf(actingFor(platform, subAccount).send(method, path, body))).toEqual(below);
    const device = await deviceOf(platform, subAccount);
    expect(await ownerOf(device.send(method, path, body))).toEqual(below);

    expect(await ownerOf(platform.fetch(new Request(ORIGIN + path, { method })))).toEqual({});
  });
});
