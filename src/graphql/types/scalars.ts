import { Kind, type ValueNode } from 'graphql';
import type { Builder } from '../builder.ts';

/**
 * What JSON has no type for, by the names of the package graphql-scalars. Days and times stay texts, as they came and as
 * they are kept, and verbs say what is wrong with one (docs/decisions.md#graphql).
 */
export function addScalars(builder: Builder): void {
  builder.scalarType('SafeInt', {
    description:
      'A whole number from −(2^53 − 1) to 2^53 − 1: those that are exact in JSON as most languages read it.',
    specifiedByURL: 'https://tc39.es/ecma262/#sec-number.issafeinteger',
    serialize: safeInteger,
    parseValue: safeInteger,
  });
  const date = textOf('Date', 'a day as a text, such as "2026-01-31"');
  builder.scalarType('Date', {
    description: 'A calendar day, `YYYY-MM-DD` (`full-date` of RFC 3339); days begin and end by UTC.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
    serialize: date,
    parseValue: date,
    parseLiteral: literalOf(date),
  });
  const dateTime = textOf('DateTime', 'a time as a text, such as "2026-01-31T12:00:00Z"');
  builder.scalarType('DateTime', {
    description: 'A point in time in UTC, such as `2026-01-31T12:00:00Z` (`date-time` of RFC 3339).',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
    serialize: dateTime,
    parseValue: dateTime,
    parseLiteral: literalOf(dateTime),
  });
}

/** Anything else is an error rather than a number that was rounded in silence. */
function safeInteger(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new RangeError(`SafeInt cannot represent ${String(value)}.`);
}

/** Gives the function that takes texts as they are. */
function textOf(name: string, expected: string): (value: unknown) => string {
  return (value) => {
    if (typeof value === 'string') return value;
    throw new TypeError(`${name} must be ${expected}.`);
  };
}

/** Else the name of an enum's value would be a text too. */
function literalOf(parse: (value: unknown) => string): (node: ValueNode) => string {
  return (node) => parse(node.kind === Kind.STRING ? node.value : null);
}
