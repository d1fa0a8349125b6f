import { describe, expect, inject, it } from 'vitest';
import { leftByVaried } from '../support/varied-queries.ts';

const url = inject('postgresUrl');

describe.skipIf(!url)('500 queries of many shapes', () => {
  it('leave few prepared statements, and the back ends at most 20 MB larger', async () => {
    const { before, after } = await leftByVaried(url!, 500);
    expect(after.texts.length).toBeLessThanOrEqual(100);
    if (before.megabytes === null) return;
    expect(after.megabytes! - before.megabytes).toBeLessThanOrEqual(20);
  });
});
