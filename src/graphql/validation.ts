import {
  type ASTVisitor,
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  getNullableType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  type TypeNode,
  type ValidationContext,
  type ValidationRule,
  VariablesInAllowedPositionRule,
  validate,
  visit,
} from 'graphql';

const OURS = new Map<ValidationRule, ValidationRule>([
  [VariablesInAllowedPositionRule, variablesInAllowedPosition],
  [SingleFieldSubscriptionsRule, singleFieldSubscriptions],
]);
const RULES = specifiedRules.map((rule) => OURS.get(rule) ?? rule);

/** Of fields of one name with a selection: GraphQL compares each with each, and gives up at some 400 after 55 ms. */
const MOST_OF_A_NAME = 150;

/** What of a document does not fit the schema. */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const name = nameOfTooMany(document);
  if (name === undefined) return validate(schema, document, RULES);
  const message = `The document selects from "${name}" more than ${MOST_OF_A_NAME} times; write it once, with all that is selected from it.`;
  return [new GraphQLError(message)];
}

function nameOfTooMany(document: DocumentNode): string | undefined {
  const counts = new Map<string, number>();
  visit(document, {
    Field: ({ alias, name, selectionSet }) => {
      const key = (alias ?? name).value;
      if (selectionSet) counts.set(key, (counts.get(key) ?? 0) + 1);
    },
  });
  for (const [name, count] of counts) if (count > MOST_OF_A_NAME) return name;
  return undefined;
}

/**
 * GraphQL's rule, but for one thing: days were `String` in version 0.1.0, and a variable that is declared so still stands where
 * a `Date` is, as both take the same values. To go after 2027-05-31 (docs/graphql.md).
 */
function variablesInAllowedPosition(context: ValidationContext): ASTVisitor {
  const getRecursiveVariableUsages = (operation: OperationDefinitionNode) => {
    const texts = new Set(
      operation.variableDefinitions
        ?.filter(({ type }) => isString(type))
        .map(({ variable }) => variable.name.value),
    );
    return context.getRecursiveVariableUsages(operation).map((usage) => {
      const { node, type } = usage;
      if (!type || !texts.has(node.name.value) || String(getNullableType(type)) !== 'Date') return usage;
      return { ...usage, type: isNonNullType(type) ? new GraphQLNonNull(GraphQLString) : GraphQLString };
    });
  };
  return VariablesInAllowedPositionRule(
    Object.create(context, { getRecursiveVariableUsages: { value: getRecursiveVariableUsages } }),
  );
}

function isString(type: TypeNode): boolean {
  if (type.kind === 'NonNullType') return isString(type.type);
  return type.kind === 'NamedType' && type.name.value === 'String';
}

/**
 * GraphQL's rule, and one of the specification of September 2025 (section 5.2.4.1): nothing decides whether a subscription has a
 * root field. At a variable that does, GraphQL's rule throws that it has no value.
 */
function singleFieldSubscriptions(context: ValidationContext): ASTVisitor {
  const { OperationDefinition: check } = SingleFieldSubscriptionsRule(context) as {
    OperationDefinition: (node: OperationDefinitionNode) => void;
  };
  return {
    OperationDefinition(operation) {
      const isSubscription = operation.operation === OperationTypeNode.SUBSCRIPTION;
      const nodes = isSubscription ? rootConditions(context, operation.selectionSet) : [];
      if (nodes.length === 0) return check(operation);
      const message = 'The root field of a subscription can have neither @skip nor @include; leave them out.';
      return context.reportError(new GraphQLError(message, { nodes }));
    },
  };
}

function rootConditions(
  context: ValidationContext,
  { selections }: SelectionSetNode,
  spread = new Set<string>(),
): DirectiveNode[] {
  return selections.flatMap((selection) => {
    const { kind, directives = [] } = selection;
    const own = directives.filter(({ name: { value } }) => value === 'skip' || value === 'include');
    if (kind === Kind.FIELD) return own;
    if (kind === Kind.INLINE_FRAGMENT)
      return [...own, ...rootConditions(context, selection.selectionSet, spread)];
    const name = selection.name.value;
    const fragment = spread.has(name) ? undefined : context.getFragment(name);
    spread.add(name);
    return fragment ? [...own, ...rootConditions(context, fragment.selectionSet, spread)] : own;
  });
}
