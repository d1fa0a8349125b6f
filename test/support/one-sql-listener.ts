import type { StatementListener } from '../../src/db/client.ts';
import { breachesOfOneSql, tablesOnAllNodes } from './one-sql.ts';
import { EXCEPTIONS, isOfProduct, METRICS } from './tenancy.ts';

/** What Citus would refuse of a statement, or ask all nodes for though it is of one account; empty where there is nothing. */
export function breachesOf(text: string): string[] {
  const isOfAll = EXCEPTIONS.some(([, isIt]) => isIt(text)) || METRICS.includes(text);
  const unbound = isOfAll ? [] : tablesOnAllNodes(text).map((table) => `asks all nodes for ${table}`);
  return [...breachesOfOneSql(text, isOfAll), ...unbound];
}

/** The same ones come again and again. */
const known = new Set<string>();
const MOST_KNOWN = 10_000;
const breaches = new Set<string>();

/** Collects the breaches of the product's own statements; what tests send to arrange things is theirs. */
export const oneSqlListener: StatementListener = (text) => {
  if (known.has(text)) return;
  const found = breachesOf(text);
  if (found.length === 0) {
    if (known.size === MOST_KNOWN) known.clear();
    known.add(text);
  } else if (isOfProduct()) {
    for (const breach of found) breaches.add(`${breach}: ${text.replace(/\s+/g, ' ').trim()}`);
  }
};

/** The breaches since the last call. */
export function takeBreachesOfOneSql(): string[] {
  const taken = [...breaches];
  breaches.clear();
  return taken;
}
