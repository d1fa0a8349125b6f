import { type FloatValueNode, GraphQLError, type IntValueNode, Kind, visit } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { isSafeNumber, parse } from 'lossless-json';

/** A number that a double may not hold has at least 16 digits, or an exponent far below zero. */
const LONG_NUMBER = /\d[\d.]{15}|\d[eE]-\d{3}/;

/**
 * Refuses numbers that lose digits as a double, in variables and in the document: no amount is rounded in silence
 * (decisions §3).
 */
export function useExactNumbers(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (request.method !== 'POST' || !requestParser) return;
      // Yoga's parser takes nothing of the request but its JSON.
      setRequestParser((posted) =>
        requestParser({ json: async () => parseExactly(await posted.text()) } as Request),
      );
    },

    onParse({ params: { source } }) {
      if (!LONG_NUMBER.test(typeof source === 'string' ? source : source.body)) return;
      return ({ result }) => {
        if (result.kind === Kind.DOCUMENT) visit(result, { IntValue: checkExact, FloatValue: checkExact });
      };
    },
  };
}

/**
 * A number that loses digits becomes NaN, which no type of GraphQL takes. A byte order mark, which not every way to read
 * a body drops, is no part of the JSON (RFC 8259, section 8.1).
 */
export function parseExactly(body: string): unknown {
  const text = body.startsWith('\ufeff') ? body.slice(1) : body;
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return parse(text, null, { parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : Number.NaN) });
}

function checkExact(node: IntValueNode | FloatValueNode): void {
  if (isSafeNumber(node.value)) return;
  const message = `The number ${node.value.slice(0, 40)} has more digits than can be kept; round it.`;
  throw new GraphQLError(message, {
    nodes: node,
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400, spec: true } },
  });
}
