import { describe, expect, it } from 'vitest';
import { Primary } from '../../src/db/primary.ts';

/** A timeline, null for a standby, or nothing where it cannot be reached. */
type Servers = Record<string, number | null | undefined>;

const [ONE, TWO] = ['postgres://user:secret@one/db', 'postgres://user:secret@two:5433/db'];

/** With how often each server was looked at, and which were said to have taken the place of which. */
function primaryOf(servers: Servers, silent?: string) {
  const looks: string[] = [];
  const look = async (server: string) => {
    looks.push(server);
    if (server === silent) await new Promise(() => {});
    const timeline = servers[server];
    if (timeline === undefined) throw new Error('is gone');
    return timeline;
  };
  const told: string[][] = [];
  const primary = new Primary(Object.keys(servers), look, (...places) => told.push(places));
  return { primary, looks, told };
}

describe('which of several servers takes changes', () => {
  it.each([
    ['the first', { a: 1, b: null }, 'a'],
    ['the last', { a: null, b: null, c: 7 }, 'c'],
    ['one behind another that is gone', { a: undefined, b: 1 }, 'b'],
    ['that which was promoted last, of two that both say so', { a: 1, b: 2, c: null }, 'b'],
  ])('is %s', async (_, servers, expected) => {
    await expect(primaryOf(servers).primary.find()).resolves.toBe(expected);
  });

  it('is none where there are standbys alone, and says so', async () => {
    const servers = { [ONE]: null, [TWO]: undefined };
    await expect(primaryOf(servers).primary.find()).rejects.toMatchObject({
      code: 'CONNECT_NO_PRIMARY',
      message:
        'None of the servers of the database takes changes (one: takes no changes; two:5433: is gone).',
    });
  });

  it('is asked once, however many want to know, and again only when a connection to it has failed', async () => {
    const { primary, looks } = primaryOf({ a: 1, b: null });
    await Promise.all(Array.from({ length: 20 }, () => primary.find()));
    await primary.find();
    primary.doubt('b');
    await primary.find();
    expect(looks).toEqual(['a', 'b']);
    primary.doubt('a');
    await primary.find();
    expect(looks).toHaveLength(4);
  });

  it('is not held up by one that says nothing', async () => {
    const { primary } = primaryOf({ a: 1, b: 2 }, 'a');
    await expect(primary.find()).resolves.toBe('b');
  });

  it('is looked for when it refuses a change, and stays what it is while no other takes them', async () => {
    const servers: Servers = { [ONE]: 1, [TWO]: null };
    const { primary, looks } = primaryOf(servers);
    await primary.find();
    Object.assign(servers, { [ONE]: null });
    await Promise.all([primary.review(ONE), primary.review(ONE)]);
    expect(looks).toHaveLength(4);
    expect([await primary.find(), primary.hasLeft(ONE)]).toEqual([ONE, false]);
    Object.assign(servers, { [TWO]: 2 });
    await primary.review(ONE);
    expect([await primary.find(), primary.hasLeft(ONE)]).toEqual([TWO, true]);
    await primary.review(ONE);
    expect(looks).toHaveLength(6);
  });

  it('is found again when a standby is promoted, and is not the old one when that comes back alone', async () => {
    const servers: Servers = { [ONE]: 1, [TWO]: null };
    const { primary } = primaryOf(servers);
    expect(await primary.find()).toBe(ONE);
    Object.assign(servers, { [ONE]: undefined, [TWO]: 2 });
    primary.doubt(ONE);
    expect(await primary.find()).toBe(TWO);
    Object.assign(servers, { [ONE]: 1, [TWO]: undefined });
    primary.doubt(TWO);
    await expect(primary.find()).rejects.toThrow(/one: another has taken its place; two:5433: is gone/);
  });

  it('is told of once when it is another than before, by its name and port alone', async () => {
    const servers: Servers = { [ONE]: 1, [TWO]: null };
    const { primary, told } = primaryOf(servers);
    await primary.find();
    primary.doubt(ONE);
    await primary.find();
    expect(told).toEqual([]);
    Object.assign(servers, { [ONE]: undefined });
    primary.doubt(ONE);
    await primary.find().catch(() => {});
    Object.assign(servers, { [TWO]: 2 });
    for (let i = 0; i < 3; i++) {
      await primary.find();
      primary.doubt(TWO);
    }
    expect(told).toEqual([['two:5433', 'one:5432']]);
  });
});
