import { type DocumentNode, type FloatValueNode, GraphQLError, type IntValueNode, visit } from 'graphql';
import { isSafeNumber } from 'lossless-json';
import { LONG_NUMBER } from '../http/json-body.ts';

const ADVICE = 'Round it, or put it in quotes where it is an id or another text.';

/** Refuses numbers of a document that lose digits as a double. */
export function assertExactNumbers(text: string, document: DocumentNode): void {
  if (LONG_NUMBER.test(text)) visit(document, { IntValue: assertExact, FloatValue: assertExact });
}

function assertExact(node: IntValueNode | FloatValueNode): void {
  if (isSafeNumber(node.value)) return;
  const message = `The number ${node.value.slice(0, 40)} cannot be kept exactly. ${ADVICE}`;
  throw new GraphQLError(message, {
    nodes: node,
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400, spec: true } },
  });
}

/** graphql's words for a variable, or a part of one, that is infinite. */
const INFINITE =
  /^(Variable "[^"]*" got )invalid value -?Infinity( at "[^"]*")?; (.*?)(?::? -?Infinity)?\.?$/;

/** A number of the variables that a double cannot hold was read as infinite (http/json-body.ts), which its sender cannot know. */
export function sayingWhatWasSent(error: GraphQLError): GraphQLError {
  const found = INFINITE.exec(error.message);
  if (!found) return error;
  const [, variable, place = '', reason] = found;
  const message = `${variable}a number${place} that cannot be kept exactly; ${reason}. ${ADVICE}`;
  return new GraphQLError(message, { nodes: error.nodes ?? null });
}
