import { type FieldNode, type GraphQLField, getArgumentValues, Kind, visit } from 'graphql';
import type { Run } from './run.ts';

export type ArgumentsOf = (run: Run) => Record<string, unknown>;

/** Gives the function that reads a field's arguments: once, or where they have variables once an execution. */
export function argumentsReader(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  nextNumber: () => number,
): ArgumentsOf {
  if (!hasVariables(node)) {
    let values: Record<string, unknown> | undefined;
    return () => {
      values ??= getArgumentValues(field, node);
      return values;
    };
  }
  const number = nextNumber();
  return ({ args, variableValues }) => {
    args[number] ??= getArgumentValues(field, node, variableValues);
    return args[number];
  };
}

/** Whether the arguments of a field follow from what was sent for variables. */
export function hasVariables({ arguments: args = [] }: FieldNode): boolean {
  let found = false;
  for (const argument of args) {
    visit(argument, {
      [Kind.VARIABLE]() {
        found = true;
      },
    });
  }
  return found;
}
