/** Exact fractions for oracles. */

export interface Ratio {
  n: bigint;
  d: bigint;
}

export const ratio = (n: bigint | number, d: bigint | number = 1): Ratio => ({ n: BigInt(n), d: BigInt(d) });
export const plus = (a: Ratio, b: Ratio): Ratio => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
export const times = (a: Ratio, b: Ratio): Ratio => ({ n: a.n * b.n, d: a.d * b.d });
export const minus = (a: Ratio, b: Ratio): Ratio => plus(a, { n: -b.n, d: b.d });

/** By what is above 0. */
export const over = (a: Ratio, b: Ratio): Ratio => ({ n: a.n * b.d, d: a.d * b.n });

/** Below 0, 0 or above, as a sort wants it; both denominators are above 0. */
export const compared = (a: Ratio, b: Ratio): number => {
  const distance = a.n * b.d - b.n * a.d;
  return distance < 0n ? -1 : distance > 0n ? 1 : 0;
};

export function decimal(text: string): Ratio {
  const [whole = '0', part = ''] = text.replace('-', '').split('.');
  const n = BigInt(whole + part) * (text.startsWith('-') ? -1n : 1n);
  return { n, d: 10n ** BigInt(part.length) };
}

/** Half away from zero. */
export function rounded({ n, d }: Ratio, decimals: number): Ratio {
  const scale = 10n ** BigInt(decimals);
  const [top, bottom] = d < 0n ? [-n, -d] : [n, d];
  const size = top < 0n ? -top : top;
  const units = (2n * size * scale + bottom) / (2n * bottom);
  return { n: top < 0n ? -units : units, d: scale };
}

export function textOf(value: Ratio, decimals: number): string {
  const { n } = rounded(value, decimals);
  const digits = (n < 0n ? -n : n).toString().padStart(decimals + 1, '0');
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return n < 0n ? `-${text}` : text;
}
