import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { ensureDemoClient } from '../../src/demo.ts';
import { NOW, ownDatabase } from '../harness.ts';

describe('the demo client', () => {
  let first: OpenDatabase;
  let second: OpenDatabase;
  let dataDir: string;
  beforeAll(async () => {
    [first, second] = await Promise.all([ownDatabase('pglite'), ownDatabase('pglite')]);
    dataDir = await mkdtemp(join(tmpdir(), 'cardledger-demo-'));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([first.close(), second.close()]);
    await rm(dataDir, { recursive: true });
  });

  it('stays that of each database that uses the directory', async () => {
    const ofFirst = await ensureDemoClient(first, dataDir, NOW);
    expect(await ensureDemoClient(first, dataDir, NOW)).toEqual(ofFirst);
    const ofSecond = await ensureDemoClient(second, dataDir, NOW);
    expect(ofSecond.clientId).not.toBe(ofFirst.clientId);
    expect(await ensureDemoClient(first, dataDir, NOW)).toEqual(ofFirst);
    expect(JSON.parse(await readFile(ofFirst.path, 'utf8')).clientId).toBe(ofFirst.clientId);
    expect(await ensureDemoClient(second, dataDir, NOW)).toEqual(ofSecond);
    expect(await readdir(dataDir)).toHaveLength(2 + 1);
  });
});
