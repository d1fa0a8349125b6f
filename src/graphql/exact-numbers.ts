import { type DocumentNode, type FloatValueNode, GraphQLError, type IntValueNode, visit } from 'graphql';
import { isSafeNumber } from 'lossless-json';
import { LONG_NUMBER } from '../http/json-body.ts';
import { TOO_MANY_DIGITS } from './execute/variables.ts';

/** Refuses numbers of a document that lose digits as a double. */
export function assertExactNumbers(text: string, document: DocumentNode): void {
  if (LONG_NUMBER.test(text)) visit(document, { IntValue: assertExact, FloatValue: assertExact });
}

function assertExact(node: IntValueNode | FloatValueNode): void {
  if (isSafeNumber(node.value)) return;
  const message = `The number ${node.value.slice(0, 40)} ${TOO_MANY_DIGITS}`;
  throw new GraphQLError(message, {
    nodes: node,
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400, spec: true } },
  });
}
