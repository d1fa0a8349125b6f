import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newTurns, type Turn, type Turns } from '../../src/db/turns.ts';

const SIZE = 8;
const SHARE = 2;

const turn = (owner: string, more: Partial<Turn> = {}): Turn => ({
  owner,
  writes: null,
  since: performance.now(),
  ...more,
});

async function taken(turns: Turns, one: Turn): Promise<void> {
  await turns.take(one);
}

describe('turns', () => {
  /** Takes places, and tells who got one, in that order. */
  const recorded = () => {
    const turns = newTurns(SIZE);
    const entered: string[] = [];
    const take = (...wanted: Turn[]) => {
      for (const one of wanted)
        taken(turns, one).then(
          () => entered.push(one.owner),
          () => {},
        );
      return new Promise(setImmediate);
    };
    return { turns, entered, take };
  };
  /** The same, where these have had places before, a while ago. */
  const recordedAfter = async (...owners: Turn[]) => {
    const { turns, entered, take } = recorded();
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() - 1001);
    for (const one of owners) {
      await take(one);
      turns.giveBack(one);
    }
    now.mockRestore();
    entered.splice(0);
    return { turns, entered, take };
  };
  const times = (count: number, owner: string) => Array.from({ length: count }, () => turn(owner));

  it('give one owner half of the places while nobody else wants any, and no more', async () => {
    const { turns, entered, take } = recorded();
    await take(...times(SIZE, 'noisy'));
    expect(entered).toHaveLength(SIZE / 2);
    expect(turns.usage).toMatchObject({ size: SIZE, inUse: SIZE / 2, waiting: SIZE / 2 });
  });

  it('are waited for no more by who leaves, and come to the next', async () => {
    const turns = newTurns(2, 1);
    const nextClient = new AbortController();
    const [first, second] = [turn('one'), turn('one', { leaving: nextClient.signal })];
    await turns.take(first);
    const client = new AbortController();
    const left = turns.take(turn('one', { leaving: client.signal }));
    const entered = vi.fn<() => void>();
    const next = taken(turns, second).then(entered);
    client.abort();
    await expect(left).rejects.toThrow('The client left');
    expect(turns.usage).toMatchObject({ inUse: 1, waiting: 1, refusals: 0 });
    expect(entered).not.toHaveBeenCalled();
    turns.giveBack(first);
    await next;
    nextClient.abort();
    expect(turns.usage).toMatchObject({ inUse: 1, waiting: 0 });
    await expect(turns.take(turn('one', { leaving: client.signal }))).rejects.toThrow('The client left');
    turns.giveBack(second);
    expect(turns.usage).toMatchObject({ inUse: 0, waiting: 0 });
  });

  it('give more than a share only where nobody else had a place lately', async () => {
    const { turns, entered, take } = await recordedAfter(turn('noisy'), turn('quiet'));
    const quiet = turn('quiet');
    await take(quiet);
    turns.giveBack(quiet);
    await take(...times(SIZE, 'noisy'));
    expect(turns.usage.inUse).toBe(SHARE);
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1001);
    onTestFinished(() => now.mockRestore());
    await take(turn('other'), turn('noisy'));
    expect(turns.usage.inUse).toBe(SHARE + 1);
    now.mockReturnValue(performance.now() + 1001);
    await take(turn('noisy'));
    expect(entered).toEqual(['quiet', 'noisy', 'noisy', 'other', 'noisy']);
  });

  it('give half a share to whoever had much lately while others are about, and a whole one when that is a while ago', async () => {
    const { turns, entered, take } = await recordedAfter(turn('noisy'), turn('other'), turn('late'));
    const noisy = times(5, 'noisy');
    await take(turn('quiet'), ...noisy);
    expect(entered).toEqual(['quiet', 'noisy', 'noisy']);
    const start = performance.now();
    const now = vi.spyOn(performance, 'now').mockReturnValue(start + 251);
    onTestFinished(() => now.mockRestore());
    turns.giveBack(noisy[0]!);
    await take(turn('other'), turn('other'));
    expect(entered.slice(3)).toEqual(['other', 'other']);
    turns.giveBack(noisy[1]!);
    await take();
    expect(entered.slice(5)).toEqual(['noisy']);
    for (const one of noisy.slice(2)) {
      turns.giveBack(one);
      await take();
    }
    expect(entered.slice(6)).toEqual(['noisy', 'noisy']);
    now.mockReturnValue(start + 10_000);
    await take(turn('late'), ...times(SHARE, 'noisy'));
    expect(entered.slice(8)).toEqual(['late', 'noisy', 'noisy']);
  });

  it('give half a share to whoever had none yet, until it has given one back', async () => {
    const { turns, entered, take } = recorded();
    const noisy = times(4, 'noisy');
    await take(turn('quiet'), ...noisy);
    expect(entered).toEqual(['quiet', 'noisy']);
    turns.giveBack(noisy[0]!);
    await take();
    expect(entered).toEqual(['quiet', 'noisy', 'noisy', 'noisy']);
  });

  it('count no long transaction of one who had much, within its share', async () => {
    const { turns, entered, take } = recorded();
    const long = turn('noisy', { isTransaction: true });
    await take(turn('quiet'), long);
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 501);
    onTestFinished(() => now.mockRestore());
    await take(turn('noisy'), turn('noisy'));
    expect(entered).toEqual(['quiet', 'noisy', 'noisy']);
    turns.giveBack(long);
    await take();
    expect(entered).toHaveLength(3);
  });

  it('have all places for one that may have them, however long it has some', async () => {
    const turns = newTurns(2, 2);
    await turns.take(turn(''));
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 251);
    onTestFinished(() => now.mockRestore());
    await turns.take(turn(''));
    expect(turns.usage.inUse).toBe(2);
  });

  it('have a place at once for whoever has less than a share, however many wait', async () => {
    const { turns, entered, take } = await recordedAfter(turn('quiet'));
    await take(...times(20, 'noisy'), ...times(SHARE, 'quiet'));
    expect(entered.filter((owner) => owner === 'quiet')).toHaveLength(SHARE);
    await take(...times(1, 'quiet'));
    expect(entered.filter((owner) => owner === 'quiet')).toHaveLength(SHARE);
    expect(turns.usage.inUse).toBe(SIZE / 2 + SHARE);
  });

  it('go round: each owner gets one before any gets another', async () => {
    const { turns, entered, take } = await recordedAfter(
      ...['a', 'b', 'c', 'd', 'e', 'f'].map((owner) => turn(owner)),
    );
    const first = ['a', 'b', 'c', 'd'].flatMap((owner) => times(SHARE, owner));
    await take(...first);
    expect(entered).toHaveLength(SIZE);
    await take(...times(3, 'e'), ...times(2, 'f'));
    for (const one of first.slice(0, 4)) turns.giveBack(one);
    await new Promise(setImmediate);
    expect(entered.slice(SIZE)).toEqual(['e', 'f', 'e', 'f']);
  });

  describe('of accounts below a platform', () => {
    const below = (count: number) =>
      Array.from({ length: count }, (_, i) => turn(`user ${i}`, { platform: 'app' }));

    it('leave a share to others, however many accounts there are', async () => {
      const { turns, entered, take } = await recordedAfter(turn('alone'), ...below(2));
      await take(...below(100));
      expect(turns.usage.inUse).toBe(SIZE - SHARE);
      await take(...times(SHARE, 'alone'));
      expect(entered.slice(SIZE - SHARE)).toEqual(['alone', 'alone']);
    });

    it('have a quarter while others are about, until one of them has given one back', async () => {
      const { turns, entered, take } = recorded();
      const all = below(100);
      await take(turn('alone'), ...all);
      expect(turns.usage.inUse).toBe(1 + SIZE / 4);
      turns.giveBack(all[0]!);
      await take();
      expect(entered.slice(3)).toEqual(['user 2', 'user 3', 'user 4']);
    });

    it('have a quarter where they had much lately, while others are about', async () => {
      const { turns, entered, take } = await recordedAfter(turn('alone'), ...below(2));
      const all = below(100);
      await take(turn('alone'), ...all);
      expect(turns.usage.inUse).toBe(1 + SIZE / 2);
      const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 251);
      onTestFinished(() => now.mockRestore());
      for (const one of all.slice(0, 4)) turns.giveBack(one);
      await take();
      expect(entered.slice(5)).toEqual(['user 4', 'user 5']);
    });

    it('are those of one beside others, and go round among its accounts', async () => {
      const { turns, entered, take } = await recordedAfter(
        ...below(4),
        ...['a', 'b', 'c', 'd'].map((owner) => turn(owner)),
      );
      const first = [...below(4), ...times(SHARE, 'a'), ...times(SHARE, 'b')];
      await take(...first);
      expect(turns.usage.inUse).toBe(SIZE);
      await take(...below(100), ...below(100), ...times(3, 'c'), turn('d'));
      entered.splice(0);
      for (const one of first.slice(0, 7)) {
        turns.giveBack(one);
        await new Promise(setImmediate);
      }
      expect(entered).toEqual(['user 0', 'c', 'd', 'user 1', 'c', 'user 2', 'user 3']);
    });

    it('are each account’s own, so that one that is busy holds up no other', async () => {
      const { turns, entered, take } = recorded();
      await take(...Array.from({ length: 20 }, () => turn('noisy', { platform: 'app' })));
      expect(turns.usage.inUse).toBe(SIZE / 2);
      await take(turn('quiet', { platform: 'app' }));
      expect(entered.at(-1)).toBe('quiet');
    });
  });

  it('let one writer of a lock in at a time, and writers of other locks and readers past those that wait', async () => {
    const { turns, entered, take } = recorded();
    const writers = Array.from({ length: 3 }, () => turn('a', { writes: 'x' }));
    await take(...writers);
    expect(turns.usage).toMatchObject({ inUse: 1, waiting: 2 });
    await take(turn('a', { writes: 'y' }), turn('b', { writes: 'x' }), turn('c'));
    expect(entered.toSorted()).toEqual(['a', 'a', 'b', 'c']);
    await take(turn('a', { writes: 'y' }));
    expect(turns.usage).toMatchObject({ inUse: 4, waiting: 3 });
    turns.giveBack(writers[0]!);
    await new Promise(setImmediate);
    expect(entered.at(-1)).toBe('a');
    expect(turns.usage).toMatchObject({ inUse: 4, waiting: 2 });
  });

  it('go round among the crowds of an owner, the first of each before the second of any', async () => {
    const turns = newTurns(SIZE);
    const entered: string[] = [];
    const waiting = ['x', 'x', 'x', 'x', 'x', 'x', 'y', 'z', 'y'].map((crowd) => turn('a', { crowd }));
    for (const one of waiting) taken(turns, one).then(() => entered.push(one.crowd!));
    await new Promise(setImmediate);
    expect(entered.splice(0)).toEqual(['x', 'x', 'x', 'x']);
    for (let i = 0; i < 5; i++) {
      turns.giveBack(waiting[i]!);
      await new Promise(setImmediate);
    }
    expect(entered).toEqual(['x', 'y', 'z', 'x', 'y']);
  });

  it('refuse who gets none in time, counted from when it began to wait', async () => {
    const { turns, take } = recorded();
    await take(turn('a', { writes: 'x' }));
    const late = turn('a', { writes: 'x', since: performance.now() - 2950 });
    await expect(turns.take(late)).rejects.toMatchObject({ problem: 'Unavailable' });
    let isRefused = false;
    const early = taken(turns, turn('a', { writes: 'x' })).catch(() => {
      isRefused = true;
    });
    await sleep(1000);
    expect(isRefused).toBe(false);
    await early;
    expect(isRefused).toBe(true);
    expect(turns.usage).toMatchObject({ inUse: 1, waiting: 0, waits: 2, refusals: 2 });
  });
});
