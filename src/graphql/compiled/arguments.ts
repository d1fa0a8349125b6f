import { type FieldNode, type GraphQLField, getArgumentValues, Kind, visit } from 'graphql';
import type { Run } from './run.ts';

export interface VariableFields {
  /** Fields whose arguments have variables. */
  variableFields: number;
}

export type ArgumentsOf = (run: Run) => Record<string, unknown>;

/** Arguments without variables are read once. */
export function compileArguments(
  c: VariableFields,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): { of: ArgumentsOf; haveVariables: boolean } {
  if (!hasVariables(node)) {
    const values = getArgumentValues(field, node);
    return { of: () => values, haveVariables: false };
  }
  const number = c.variableFields++;
  const of: ArgumentsOf = ({ args, variables }) => {
    args[number] ??= getArgumentValues(field, node, variables);
    return args[number] as Record<string, unknown>;
  };
  return { of, haveVariables: true };
}

function hasVariables(node: FieldNode): boolean {
  let found = false;
  for (const argument of node.arguments ?? []) {
    visit(argument, {
      [Kind.VARIABLE]() {
        found = true;
      },
    });
  }
  return found;
}
