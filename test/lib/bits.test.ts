import { describe, expect, it } from 'vitest';
import { Bits } from '../../src/lib/bits.ts';

const SIZE = 70;

function bitsOf(meant: Iterable<number>): Bits {
  const bits = new Bits(SIZE);
  for (const i of meant) bits.add(i);
  return bits;
}

const hadBy = (bits: Bits) => Array.from({ length: SIZE }, (_, i) => i).filter((i) => bits.has(i));

describe('bits', () => {
  it.each([
    ['none', []],
    ['both sides of each word', [0, 1, 31, 32, 63, 64, 69]],
    ['a whole word', Array.from({ length: 32 }, (_, i) => 32 + i)],
    ['all', Array.from({ length: SIZE }, (_, i) => i)],
  ])('have and count what was added: %s', (_, meant) => {
    const bits = bitsOf(meant);
    expect(hadBy(bits)).toEqual(meant);
    expect(bits.count()).toBe(meant.length);
  });

  it('count what was added twice once', () => {
    expect(bitsOf([31, 31, 32]).count()).toBe(2);
  });

  it('are none of nothing', () => {
    expect(new Bits(0).count()).toBe(0);
  });

  it('take a bit each', () => {
    const before = process.memoryUsage().arrayBuffers;
    const bits = new Bits(80_000_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(12_000_000);
    expect(bits.has(79_999_999)).toBe(false);
  });
});
