import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Context } from '../../src/services/context.ts';
import { inPlaceForBatch } from '../../src/services/transactions/large.ts';
import { newGate } from '../support/gate.ts';

const ctxOf = (accountId: string, platformId?: string) => ({ caller: { accountId, platformId } }) as Context;

it('takes batches of more than 250 transactions one at a time for an account, and for a platform', async () => {
  const gate = newGate();
  const begun: string[] = [];
  const take = (name: string, count: number, ctx: Context) =>
    inPlaceForBatch(ctx, count, async () => {
      begun.push(name);
      await gate.opened;
    });
  const [own, below, sibling] = [ctxOf('own'), ctxOf('below', 'platform'), ctxOf('sibling', 'platform')];
  const all = [
    ...['own', 'own again'].map((name) => take(name, 251, own)),
    take('below', 251, below),
    take('sibling', 251, sibling),
    take('third', 251, ctxOf('third')),
    ...['small', 'small again'].map((name) => take(name, 250, own)),
    take('small below', 250, sibling),
  ];
  await turn();
  expect(begun.toSorted()).toEqual(['below', 'own', 'small', 'small again', 'small below']);
  gate.open();
  await Promise.all(all);
  expect(begun).toHaveLength(all.length);
});
