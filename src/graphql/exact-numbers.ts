import { type DocumentNode, type FloatValueNode, GraphQLError, type IntValueNode, visit } from 'graphql';
import { isSafeNumber, parse } from 'lossless-json';

/** A number that a double may not hold has at least 16 digits, or an exponent far below zero. */
const LONG_NUMBER = /\d[\d.]{15}|\d[eE]-\d{3}/;

/**
 * The JSON of a body. A number that loses digits becomes NaN, which no type of GraphQL takes: no amount is rounded in
 * silence (docs/decisions.md#amounts). A byte order mark, which not every way to read a body drops, is no part of the JSON (RFC 8259,
 * section 8.1). Throws SyntaxErrors.
 */
export function parseExactly(body: string): unknown {
  const text = body.startsWith('\ufeff') ? body.slice(1) : body;
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return parse(text, null, { parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : Number.NaN) });
}

/** Refuses numbers of a document that lose digits as a double. */
export function assertExactNumbers(text: string, document: DocumentNode): void {
  if (LONG_NUMBER.test(text)) visit(document, { IntValue: assertExact, FloatValue: assertExact });
}

function assertExact(node: IntValueNode | FloatValueNode): void {
  if (isSafeNumber(node.value)) return;
  const message = `The number ${node.value.slice(0, 40)} has more digits than can be kept; round it.`;
  throw new GraphQLError(message, {
    nodes: node,
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400, spec: true } },
  });
}
