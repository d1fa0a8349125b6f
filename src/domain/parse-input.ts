import type { z } from 'zod';
import type { Parts } from '../lib/parts.ts';
import { didYouMean } from './did-you-mean.ts';
import { type Breach, validationFailed } from './errors.ts';
import { LIMITS } from './limits.ts';

/**
 * The value as the rule gives it. Throws `ValidationFailed` with every breach at once, as many as are listed; the breaches'
 * paths start with `at`, the place of the value in the caller's input.
 */
export function parseInput<T extends z.ZodType>(
  rule: T,
  value: unknown,
  at: Breach['path'] = [],
): z.output<T> {
  const parsed = rule.safeParse(value);
  if (parsed.success) return parsed.data;
  throw validationFailed(breachesOf(parsed.error, value, at));
}

/**
 * A list of which each value is as the rule gives it, in parts: once there are as many breaches as are listed no further value
 * is looked at. Throws as `parseInput`.
 */
export function* parsedOneByOne<T extends z.ZodType>(
  rule: T,
  values: readonly unknown[],
  at: Breach['path'],
): Parts<z.output<T>[]> {
  const breaches: Breach[] = [];
  const all: z.output<T>[] = [];
  for (const [i, value] of values.entries()) {
    const parsed = rule.safeParse(value);
    if (parsed.success) all.push(parsed.data);
    else breaches.push(...breachesOf(parsed.error, value, [...at, i]));
    if (breaches.length > LIMITS.breaches) break;
    yield;
  }
  if (breaches.length > 0) throw validationFailed(breaches);
  return all;
}

/** Of which it is looked up what was meant: who mends those finds the others. */
const GUESSED_BREACHES = 20;

/** The breaches of a rule by a value, one more than are listed at most; their paths start with `at`. */
export function breachesOf(error: z.ZodError, value: unknown, at: Breach['path'] = []): Breach[] {
  const breaches: Breach[] = [];
  for (const issue of error.issues) {
    if (breaches.length > LIMITS.breaches) break;
    // Keys are never symbols: no rule is a map.
    const path = issue.path as Breach['path'];
    if (issue.code === 'unrecognized_keys') {
      const keys = issue.keys.slice(0, LIMITS.breaches + 1);
      breaches.push(...keys.map((key) => ({ path: [...at, ...path, key], detail: 'is not a known field' })));
      continue;
    }
    const given = valueAt(value, path);
    const isMissing = path.length > 0 && given === undefined;
    const meant = breaches.length < GUESSED_BREACHES ? meantBy(given, issue) : '';
    const detail = isMissing ? 'is required' : `${plainDetail(issue.message)}${meant}`;
    breaches.push({ path: [...at, ...path], detail });
  }
  return breaches;
}

const REAL_CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Which of the values of an enum was meant, where one is close. */
function meantBy(given: unknown, issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_value' || typeof given !== 'string') return '';
  // A real currency is no slip for another one.
  if (REAL_CURRENCIES.has(given)) return '';
  return didYouMean(given, issue.values.map(String));
}

function valueAt(value: unknown, path: Breach['path']): unknown {
  return path.reduce<unknown>(
    (inner, part) => (inner as Record<string, unknown> | null | undefined)?.[part],
    value,
  );
}

/** zod's own messages start with "Invalid input: expected …". */
function plainDetail(message: string): string {
  return message
    .replace(/^Invalid input: expected "(.*)"$/, 'must be $1')
    .replace(/^Invalid input: expected (.*?)(, received .*)?$/, 'must be a $1')
    .replace(/^must be a (?=[aeiou])/, 'must be an ')
    .replace(
      /^Invalid option: expected one of (.*)$/,
      (_, options: string) => `must be one of ${options.replaceAll('"', '').replaceAll('|', ', ')}`,
    );
}
