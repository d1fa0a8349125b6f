import { describe, expect, it } from 'vitest';
import { Primary, type Seen } from '../../src/db/primary.ts';

/** A timeline, null for a standby, or what else it is; nothing where it cannot be reached. */
type Servers = Record<string, number | null | Partial<Seen> | undefined>;

const [ONE, TWO] = ['postgres://user:secret@one/db', 'postgres://user:secret@two:5433/db'];

/** With how often each server was looked at, and what was told. */
function primaryOf(servers: Servers, silent?: string) {
  const looks: string[] = [];
  const look = async (server: string) => {
    looks.push(server);
    if (server === silent) await new Promise(() => {});
    const is = servers[server];
    if (is === undefined) throw new Error('is gone');
    const seen = { database: 'ours', startedAt: server, timeline: 1 };
    return { ...seen, ...(typeof is === 'object' && is !== null ? is : { timeline: is }) };
  };
  const told: string[] = [];
  const primary = new Primary(Object.keys(servers), look, (server, line) =>
    told.push(line.replace(server, '*')),
  );
  return { primary, looks, told };
}

describe('which of several servers takes changes', () => {
  it.each([
    ['the first', { a: 1, b: null }, 'a'],
    ['the last', { a: null, b: null, c: 7 }, 'c'],
    ['one behind another that is gone', { a: undefined, b: 1 }, 'b'],
    ['that which was promoted last, of two that both say so', { [ONE]: 1, [TWO]: 2, c: null }, TWO],
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
    expect(told).toEqual(['* is written to from now on: it has taken the place of one:5432']);
  });

  const REPLACED = '* takes changes, and is left alone: another has taken its place';
  const COPY =
    '* takes changes, and is left alone: it was never promoted, and is on the timeline of the one that was written to, as a copy of it is; where it is to take its place, restart the service';
  const OTHER_DATABASE =
    '* takes changes, and is left alone: it is of another database than the one that was found first; where it is to take its place, as after pg_upgrade, restart the service';

  it('is told apart from one that another has taken the place of, and is back, once', async () => {
    const { primary, told } = primaryOf({ [ONE]: 1, [TWO]: 2 });
    for (let i = 0; i < 3; i++) {
      expect(await primary.find()).toBe(TWO);
      primary.doubt(TWO);
    }
    expect(told).toEqual([REPLACED]);
  });

  it.each([
    ['which both take changes', { [ONE]: 1, [TWO]: { database: 'theirs', timeline: 7 } }],
    ['of which one takes changes', { [ONE]: null, [TWO]: { database: 'theirs' } }],
  ])('is nobody, and both are named, where two are of different databases, %s', async (_, servers) => {
    await expect(primaryOf(servers).primary.find()).rejects.toMatchObject({
      code: 'CONNECT_UNDECIDED',
      message:
        'one:5432 and two:5433 are of different databases: take the one that is not meant out of DATABASE_URL, or end it.',
    });
  });

  it('is not taken from another database once it was found, whatever timeline that is on', async () => {
    const servers: Servers = { [ONE]: 3, [TWO]: undefined };
    const { primary, told } = primaryOf(servers);
    await primary.find();
    for (const timeline of [1, 9]) {
      Object.assign(servers, { [ONE]: 3, [TWO]: { database: 'theirs', timeline } });
      primary.doubt(ONE);
      expect(await primary.find()).toBe(ONE);
      primary.doubt(ONE);
      Object.assign(servers, { [ONE]: undefined });
      await expect(primary.find()).rejects.toThrow(
        /two:5433: it is of another database than the one .* restart/,
      );
    }
    expect(told).toEqual([OTHER_DATABASE]);
  });

  it('is found by a restart when pg_upgrade has made it: what runs says so, and does not take it', async () => {
    const servers: Servers = { [ONE]: 4, [TWO]: null };
    const { primary, told } = primaryOf(servers);
    await primary.find();
    const upgraded: Servers = { [ONE]: { database: 'upgraded', timeline: 1 }, [TWO]: undefined };
    Object.assign(servers, upgraded);
    for (let i = 0; i < 3; i++) {
      primary.doubt(ONE);
      await expect(primary.find()).rejects.toMatchObject({ code: 'CONNECT_NO_PRIMARY' });
    }
    expect(told).toEqual([OTHER_DATABASE]);
    await expect(primaryOf(upgraded).primary.find()).resolves.toBe(ONE);
  });

  it('is nobody, and both are named, where two on one timeline take changes', async () => {
    await expect(primaryOf({ [ONE]: 2, [TWO]: 2 }).primary.find()).rejects.toMatchObject({
      code: 'CONNECT_UNDECIDED',
      message:
        'one:5432 and two:5433 both take changes, and neither was promoted after the other: end the one that is not to be written to.',
    });
  });

  it('is the one that was written to, where a copy takes changes on the same timeline', async () => {
    const servers: Servers = { [ONE]: null, [TWO]: 2 };
    const { primary, told } = primaryOf(servers);
    await primary.find();
    Object.assign(servers, { [ONE]: 2 });
    for (let i = 0; i < 3; i++) {
      primary.doubt(TWO);
      expect(await primary.find()).toBe(TWO);
    }
    expect(told).toEqual([COPY]);
  });

  it('is not a copy while the one that was written to is gone, and is that again when it was started anew', async () => {
    const servers: Servers = { [ONE]: null, [TWO]: { timeline: 2, startedAt: 'noon' } };
    const { primary, told } = primaryOf(servers);
    await primary.find();
    Object.assign(servers, { [ONE]: 2, [TWO]: undefined });
    primary.doubt(TWO);
    for (let i = 0; i < 3; i++) {
      await expect(primary.find()).rejects.toThrow(/one: it was never promoted, .*; two:5433: is gone/);
    }
    Object.assign(servers, { [TWO]: { timeline: 2, startedAt: 'one' } });
    expect(await primary.find()).toBe(TWO);
    expect(told).toEqual([COPY]);
  });

  it('may have two addresses, of which the one that was used is kept', async () => {
    const servers: Servers = { [ONE]: undefined, [TWO]: { startedAt: 'noon' } };
    const { primary, told } = primaryOf(servers);
    await primary.find();
    Object.assign(servers, { [ONE]: { startedAt: 'noon' } });
    primary.doubt(TWO);
    expect(await primary.find()).toBe(TWO);
    expect(told).toEqual([]);
    await expect(primaryOf(servers).primary.find()).resolves.toBe(ONE);
  });

  it('is no other by its other address, as long as it was not started since', async () => {
    const servers: Servers = { [ONE]: { startedAt: 'noon' }, [TWO]: { startedAt: 'noon' } };
    const { primary, told } = primaryOf(servers);
    const goTo = async (from: string, to: string, timeline: number) => {
      Object.assign(servers, { [from]: undefined, [to]: { startedAt: `of ${timeline}`, timeline } });
      primary.doubt(from);
      expect(await primary.find()).toBe(to);
    };
    expect(await primary.find()).toBe(ONE);
    Object.assign(servers, { [ONE]: undefined });
    primary.doubt(ONE);
    expect(await primary.find()).toBe(TWO);
    expect(told).toEqual([]);
    await goTo(TWO, ONE, 2);
    expect(told).toEqual(['* is written to from now on: it has taken the place of two:5433']);
  });
});
