import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
} from 'graphql';
import { type ArgumentsOf, compileArguments, type VariableFields } from './arguments.ts';
import { collectFields, type Selections, selectionsOf } from './collect-fields.ts';

/** Of a connection: the field of its items that it can bring along. */
export interface LookAheadExtensions {
  brings?: string;
}

/** What a resolver is told of the operation where it is compiled. */
export interface CompiledInfo extends GraphQLResolveInfo {
  /** The arguments of the field that it can bring along, where each item is asked for it once. */
  argsOfBrought?: Record<string, unknown>;
}

/** The arguments of the field that a connection can bring along, where each of its items is asked for it once. */
export function broughtBy(
  c: Selections & VariableFields,
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): ArgumentsOf | undefined {
  const { brings } = field.extensions as LookAheadExtensions;
  if (!brings) return undefined;
  const connection = getNamedType(field.type) as GraphQLObjectType;
  const edge = getNamedType(connection.getFields().edges!.type) as GraphQLObjectType;
  const item = getNamedType(edge.getFields().node!.type) as GraphQLObjectType;
  const asked = (type: GraphQLObjectType, of: readonly FieldNode[], name: string) =>
    [...collectFields(c, type, selectionsOf(of)).values()].filter(([node]) => node!.name.value === name);
  const items = [
    ...asked(connection, nodes, 'nodes'),
    ...asked(connection, nodes, 'edges').flatMap((edges) => asked(edge, edges, 'node')),
  ];
  const [brought, ...others] = items.flatMap((nodes) => asked(item, nodes, brings));
  return brought && others.length === 0
    ? compileArguments(c, item.getFields()[brings]!, brought[0]!).of
    : undefined;
}
