import type { Builder } from '../builder.ts';

/** A whole number that no sum makes too large for it, as the scalar of this name of the package graphql-scalars. */
export function addSafeInt(builder: Builder): void {
  builder.scalarType('SafeInt', {
    description:
      'A whole number from −(2^53 − 1) to 2^53 − 1: those that are exact in JSON as most languages read it.',
    specifiedByURL: 'https://tc39.es/ecma262/#sec-number.issafeinteger',
    serialize: safeInteger,
    parseValue: safeInteger,
  });
}

/** Anything else is an error rather than a number that was rounded in silence. */
function safeInteger(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new RangeError(`SafeInt cannot represent ${String(value)}.`);
}
