import {
  type DocumentNode,
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Fragments } from './fragments.ts';

/** What decides which fields are selected. */
export interface Selections {
  schema: GraphQLSchema;
  fragments: Fragments;
  /** Coerced; of these, only those of `conditionVariables` are read. */
  variableValues: Readonly<Record<string, unknown>>;
}

/** The names of the operation's variables for `@skip` and `@include`. */
export function conditionVariables(
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ name, arguments: args = [] }) {
      if (name.value !== GraphQLSkipDirective.name && name.value !== GraphQLIncludeDirective.name) return;
      for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return variableDefinitions.map(({ variable }) => variable.name.value).filter((name) => names.has(name));
}

/** The fields of a type that selection sets ask for, by the names that they have in the answer (GraphQL, section 6.3.2). */
export function collectFields(
  selections: Selections,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const collect = (set: SelectionSetNode) => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD && spread.has(selection.name.value)) continue;
      if (!isIncluded(selections, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const nodes = fields.get(name);
        if (nodes) nodes.push(selection);
        else fields.set(name, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (isOfType(selections.schema, type, selection.typeCondition?.name.value))
          collect(selection.selectionSet);
      } else {
        spread.add(selection.name.value);
        const { typeCondition, selectionSet } = selections.fragments[selection.name.value]!;
        if (isOfType(selections.schema, type, typeCondition.name.value)) collect(selectionSet);
      }
    }
  };
  for (const set of sets) collect(set);
  return fields;
}

/** What fields of one name in the answer select together. */
export function selectionsOf(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
}

/** Throws a GraphQLError where a condition is null. */
function isIncluded({ variableValues }: Selections, node: SelectionNode): boolean {
  if (!node.directives?.length) return true;
  return (
    getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if !== false
  );
}

function isOfType(schema: GraphQLSchema, type: GraphQLObjectType, condition: string | undefined): boolean {
  if (condition === undefined || condition === type.name) return true;
  const wanted = schema.getType(condition);
  return isAbstractType(wanted) && schema.isSubType(wanted, type);
}
