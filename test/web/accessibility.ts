import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** How long a page has to come to rest, and in how many looks at least, of which each takes seconds on a busy machine. */
const TO_REST_MS = 5_000;
const TO_REST_LOOKS = 4;

/** The rules that the page breaks and goes on breaking, with where. */
export async function breaches(page: Page): Promise<string[]> {
  // Once for each document: it is half a megabyte.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const until = Date.now() + TO_REST_MS;
  for (let look = 1; ; look += 1) {
    await atRest(page);
    const found = await breachesNow(page);
    if (!found.length || (Date.now() > until && look >= TO_REST_LOOKS)) return found;
    await page.waitForTimeout(100);
  }
}

/** Until nothing changes its colour any more: a button on its way from one to another breaks rules in between. */
async function atRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

function breachesNow(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe is a script of the page
    const { violations } = await (globalThis as any).axe.run();
    return violations.flatMap(
      ({ id, nodes }: { id: string; nodes: { html: string; any: { message: string }[] }[] }) =>
        nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
    );
  });
}
