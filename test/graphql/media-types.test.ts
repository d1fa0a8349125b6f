import { expect, it, onTestFinished, vi } from 'vitest';
import { jsonTypeFor } from '../../src/graphql/media-types.ts';

it('goes a few times through the ranges of an Accept, however many there are', () => {
  const searches = vi.spyOn(Array.prototype, 'find');
  onTestFinished(() => searches.mockRestore());
  for (const [last, type] of [
    ['*/*', 'application/json'],
    ['application/graphql-response+json', 'application/graphql-response+json'],
    ['text/html', undefined],
  ]) {
    searches.mockClear();
    expect(jsonTypeFor(`${'a,'.repeat(5000)}${last}`)).toBe(type);
    expect(searches.mock.calls.length).toBeLessThan(20);
  }
});
