import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Child, startChild, temporaryDataDir } from './embedded-process.ts';

// More moments, for a thorough run: KILL_MOMENTS=24 npx vitest run test/db/embedded-kill.test.ts
const moments = Number(process.env.KILL_MOMENTS ?? 2);
const seconds = 1000;

/** `moments` points of time, spread evenly over 0 to `until` milliseconds. */
function spread(until: number): number[] {
  return Array.from({ length: moments }, (_, i) => Math.round((until * (i + 0.5)) / moments));
}

async function opens(directory: string): Promise<void> {
  const child = await startChild(directory);
  child.send('close');
  const answer = await child.next('closed', 'failed');
  expect(answer).toEqual({ event: 'closed', value: null });
  expect((await readdir(directory)).sort()).toEqual(['embedded', 'embedded.lock']);
  await child.kill();
}

async function firstStartMillis(): Promise<number> {
  const child = await startChild(await temporaryDataDir());
  const start = Date.now();
  child.send('open');
  await child.next('opened');
  const millis = Date.now() - start;
  await child.kill();
  return millis;
}

it(
  'opens after a kill at any moment of the first start, of all its processes or of the first alone',
  async () => {
    const whole = await firstStartMillis();
    for (const [i, moment] of spread(whole).entries()) {
      const directory = await temporaryDataDir();
      const child = await startChild(directory);
      child.send('open');
      await sleep(moment);
      await child.kill(i % 2 === 1);
      await opens(directory);
    }
  },
  (300 + moments * 20) * seconds,
);

const acknowledged = (child: Child) =>
  child.events.filter(({ event }) => event === 'acknowledged').map(({ value }) => value as number);

it(
  'opens after a kill at any moment of opening and writing, with every acknowledged row',
  async () => {
    const directory = await temporaryDataDir();
    await opens(directory);
    let written = 0;
    for (const moment of spread(1500)) {
      const child = await startChild(directory);
      child.send('write');
      await sleep(moment);
      await child.kill();
      const reader = await startChild(directory);
      reader.send('write');
      const found = (await reader.next('found', 'failed')).value as number[];
      written = Math.max(written, ...acknowledged(child));
      expect(found).toEqual(Array.from({ length: found.length }, (_, i) => i + 1));
      expect(found.length).toBeGreaterThanOrEqual(written);
      await reader.next('acknowledged', 'failed');
      await reader.kill();
      written = Math.max(written, ...acknowledged(reader));
    }
    expect(written).toBeGreaterThan(0);
  },
  (300 + moments * 10) * seconds,
);
