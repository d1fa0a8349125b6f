import { expect, it } from 'vitest';
import { didYouMean } from '../../src/domain/did-you-mean.ts';

it('names the closest word, whatever its case, and none that is far', () => {
  const known = ['info', 'debug', 'dragon-shield', 'warn'];
  expect(didYouMean('inof', known)).toBe(' (Did you mean info?)');
  expect(didYouMean('DEBUG', known)).toBe(' (Did you mean debug?)');
  expect(didYouMean('dragonshield', known)).toBe(' (Did you mean dragon-shield?)');
  expect(didYouMean('debugg', ['debag', 'debug', 'debig'])).toBe(' (Did you mean debug?)');
  expect(didYouMean('warning', known)).toBe(' (Did you mean warn?)');
  for (const far of ['excel', '', 'x', 'i'.repeat(5000)]) expect(didYouMean(far, known)).toBe('');
});
