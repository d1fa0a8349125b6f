import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Kept } from '../../../src/graphql/compiled/kept.ts';
import type { Catalogue } from '../../../src/memory/catalogue.ts';

const catalogue = (revision: number) => ({ revision }) as Catalogue;

describe('what is kept of the catalogue', () => {
  it('is apart for each owner and each kind of prices, and forgotten with the catalogue', () => {
    const kept = new Kept<string>();
    const [first, second, owner, other] = [catalogue(1), catalogue(2), {}, {}];
    kept.keep(kept.of(first, owner, 'USD'), 'key', 'text', 4);
    expect(kept.of(first, owner, 'USD').get('key')).toBe('text');
    expect(kept.of(first, owner, 'EUR').get('key')).toBeUndefined();
    expect(kept.of(first, other, 'USD').get('key')).toBeUndefined();
    expect(kept.of(second, owner, 'USD').get('key')).toBeUndefined();
    expect(kept.of(first, owner, 'USD').get('key')).toBeUndefined();
  });

  it('is forgotten when it would take more than it may', () => {
    const kept = new Kept<string>(1000);
    const [one, owner] = [catalogue(1), {}];
    for (const key of ['a', 'b']) kept.keep(kept.of(one, owner, ''), key, 'x', 300);
    expect([...kept.of(one, owner, '').keys()]).toEqual(['a', 'b']);
    kept.keep(kept.of(one, owner, ''), 'c', 'x', 1);
    expect([...kept.of(one, owner, '').keys()]).toEqual([]);
  });

  it('holds no owner that nothing else holds any more', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const kept = new Kept<string>();
    const one = catalogue(1);
    const owners = [0, 1, 2].map(() => {
      const owner = {};
      kept.keep(kept.of(one, owner, ''), 'key', 'text', 4);
      return new WeakRef(owner);
    });
    await turn();
    collectGarbage();
    // But the last, which mostly is asked for next.
    expect(owners.map((owner) => owner.deref() !== undefined)).toEqual([false, false, true]);
    expect(kept.of(one, owners[2]!.deref()!, '').get('key')).toBe('text');
  });
});
