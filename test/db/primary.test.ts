import { describe, expect, it } from 'vitest';
import { Primary } from '../../src/db/primary.ts';

/** A timeline, null for a standby, or nothing where it cannot be reached. */
type Servers = Record<string, number | null | undefined>;

/** With how often each server was looked at. */
function primaryOf(servers: Servers, silent?: string) {
  const looks: string[] = [];
  const primary = new Primary(Object.keys(servers), async (server) => {
    looks.push(server);
    if (server === silent) await new Promise(() => {});
    const timeline = servers[server];
    if (timeline === undefined) throw new Error('is gone');
    return timeline;
  });
  return { primary, looks };
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
    const servers = { 'postgres://u:p@one/db': null, 'postgres://u:p@two:5433/db': undefined };
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
    const servers: Servers = { a: 1, b: null };
    const { primary, looks } = primaryOf(servers);
    await primary.find();
    Object.assign(servers, { a: null });
    await Promise.all([primary.review('a'), primary.review('a')]);
    expect(looks).toHaveLength(4);
    expect([await primary.find(), primary.hasLeft('a')]).toEqual(['a', false]);
    Object.assign(servers, { b: 2 });
    await primary.review('a');
    expect([await primary.find(), primary.hasLeft('a')]).toEqual(['b', true]);
    await primary.review('a');
    expect(looks).toHaveLength(6);
  });

  it('is found again when a standby is promoted, and is not the old one when that comes back alone', async () => {
    const [a, b] = ['postgres://one', 'postgres://two'];
    const servers: Servers = { [a]: 1, [b]: null };
    const { primary } = primaryOf(servers);
    expect(await primary.find()).toBe(a);
    Object.assign(servers, { [a]: undefined, [b]: 2 });
    primary.doubt(a);
    expect(await primary.find()).toBe(b);
    Object.assign(servers, { [a]: 1, [b]: undefined });
    primary.doubt(b);
    await expect(primary.find()).rejects.toThrow(/one: another has taken its place; two: is gone/);
  });
});
