import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

export interface Selections {
  schema: GraphQLSchema;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The values of the variables that decide what is selected. */
  conditions: Readonly<Record<string, boolean>>;
}

/** The names of the operation's variables for `@skip` and `@include`. */
export function conditionVariables(
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive(node) {
      const condition = conditionOf(node);
      if (condition?.kind === Kind.VARIABLE) names.add(condition.name.value);
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
      if (!isIncluded(selections, selection.directives)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const nodes = fields.get(name);
        if (nodes) nodes.push(selection);
        else fields.set(name, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const { typeCondition, selectionSet } = selection;
        if (isOfType(selections.schema, type, typeCondition?.name.value)) collect(selectionSet);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const { typeCondition, selectionSet } = selections.fragments.get(selection.name.value)!;
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

function isIncluded({ conditions }: Selections, directives: readonly DirectiveNode[] = []): boolean {
  return directives.every((directive) => {
    const condition = conditionOf(directive);
    if (!condition) return true;
    const value =
      condition.kind === Kind.VARIABLE
        ? conditions[condition.name.value]
        : condition.kind === Kind.BOOLEAN && condition.value;
    return value === (directive.name.value === 'include');
  });
}

function conditionOf({ name, arguments: args }: DirectiveNode) {
  return name.value === 'skip' || name.value === 'include' ? args![0]!.value : undefined;
}

function isOfType(schema: GraphQLSchema, type: GraphQLObjectType, condition: string | undefined): boolean {
  if (condition === undefined || condition === type.name) return true;
  const wanted = schema.getType(condition);
  return isAbstractType(wanted) && schema.isSubType(wanted, type);
}
