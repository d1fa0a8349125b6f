import type { OpenDatabase } from '../../src/db/client.ts';
import { parseNetworks } from '../../src/lib/networks.ts';
import { createCollection } from '../../src/services/collections/create.ts';
import { updateCollection } from '../../src/services/collections/update.ts';
import type { Context } from '../../src/services/context.ts';
import { createWebhook } from '../../src/services/webhooks/create.ts';
import { type Receiver, startReceiver, status } from './webhook-receiver.ts';

const COLLECTIONS = 20;
const WRITERS = 4;

export interface FaultsRun {
  db: OpenDatabase;
  ctx: Context;
  /** The service, which is killed and started again. */
  start(): Promise<void>;
  kill(): Promise<unknown>;
  /** Changes that are committed; as many as a tenth of them are undone beside that. */
  events: number;
  /** How often the service is killed, and how often the receiver. */
  kills: number;
}

export interface FaultsResult {
  committed: number;
  undone: number;
  /** Messages that came, with those that were refused or came again. */
  received: number;
  /** Committed, and never taken. */
  missing: number;
  /** Came, and was never committed. */
  invented: number;
  /** Came before the one in front of it was taken. */
  outOfOrder: number;
  /** Taken a second time. */
  duplicates: number;
  seconds: number;
}

/**
 * Changes collections while their webhook's receiver fails in every way, and both it and the service are killed again and again, until
 * all is delivered. What takes minutes, the pauses and the lease of a process that is gone, passes at once.
 */
export async function deliverUnderFaults({
  db,
  ctx,
  start,
  kill,
  events,
  kills,
}: FaultsRun): Promise<FaultsResult> {
  const began = performance.now();
  /** The revisions that were taken, by collection. */
  const taken = new Map<string, Map<number, number>>();
  let received = 0;
  let outOfOrder = 0;
  let receiver: Receiver;
  const answer: Receiver['answer'] = (response, request) => {
    const { collectionId, revision } = receiver.received.at(-1)!.payload.data;
    receiver.received.length = 0;
    received++;
    const own = taken.get(collectionId) ?? new Map<number, number>();
    taken.set(collectionId, own);
    if (revision > 1 && !own.has(revision - 1)) outOfOrder++;
    const fault = Math.random();
    if (fault < 0.01) status(500)(response, request);
    else if (fault < 0.015) status(302, { location: receiver.url })(response, request);
    else if (fault < 0.02) request.socket.destroy();
    else {
      own.set(revision, (own.get(revision) ?? 0) + 1);
      // Some are taken, and the answer is late, or lost where somebody is killed.
      if (fault < 0.04) setTimeout(() => status(204)(response, request), 200);
      else status(204)(response, request);
    }
  };
  const startAgain = async (port?: number) => {
    receiver = await startReceiver(port);
    receiver.answer = answer;
  };
  await startAgain();
  const port = Number(new URL(receiver!.url).port);
  const ids: string[] = [];
  const account = { ...ctx, outboundNetworks: parseNetworks('127.0.0.0/8') };
  await createWebhook(account, { url: receiver!.url, events: ['collection.changed'] });
  for (let i = 0; i < COLLECTIONS; i++) ids.push((await createCollection(ctx, { name: `Binder ${i}` })).id);

  let undone = 0;
  const write = async (first: number) => {
    for (let i = first; i < events - COLLECTIONS; i += WRITERS) {
      const id = ids[i % COLLECTIONS]!;
      await updateCollection(ctx, id, { name: `Binder ${i}` });
      if (i % 10 > 0) continue;
      undone++;
      await ctx.db
        .transaction(async (tx) => {
          await updateCollection({ ...ctx, db: tx }, id, { name: 'Undone' });
          throw new Error('undone');
        })
        .catch(() => {});
    }
  };
  await start();
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, first) => write(first)));

  const countTaken = () => [...taken.values()].reduce((sum, own) => sum + own.size, 0);
  const hurry = async () => {
    await db.query(
      `update webhook_delivery set not_before = now() where status = 'Pending' and not_before > now()`,
    );
    await db.query(`update webhook set look_at = now() where status = 'Active' and look_at > now()`);
  };
  for (let killed = 0; countTaken() < events; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await hurry();
    if (killed === kills || countTaken() < ((killed + 1) * events) / (kills + 2)) continue;
    killed++;
    await receiver!.stop();
    await kill();
    await startAgain(port);
    await start();
    await db.query('update webhook set leased_until = now()');
  }
  await writing;
  // What would come again comes now.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  await kill();
  await receiver!.stop();

  const committed = await db.query<{ stream: string; sequence: number }>(
    'select stream, sequence from event where account_id = $1',
    [ctx.caller.accountId],
  );
  const isTaken = ({ stream, sequence }: { stream: string; sequence: number }) =>
    taken.get(stream)?.has(sequence) === true;
  const known = new Set(committed.map(({ stream, sequence }) => `${stream} ${sequence}`));
  const all = [...taken].flatMap(([stream, own]) =>
    [...own].map(([sequence, times]) => ({ stream, sequence, times })),
  );
  return {
    committed: committed.length,
    undone,
    received,
    missing: committed.filter((event) => !isTaken(event)).length,
    invented: all.filter(({ stream, sequence }) => !known.has(`${stream} ${sequence}`)).length,
    outOfOrder,
    duplicates: all.reduce((sum, { times }) => sum + times - 1, 0),
    seconds: (performance.now() - began) / 1000,
  };
}
