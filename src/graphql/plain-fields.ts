import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';
import { typeOfId } from '../domain/ids.ts';

/** Fields to which Pothos gives resolvers of its own, though all that they do is to read the property of that name. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  id: /./,
  edges: /Connection$/,
  nodes: /Connection$/,
  pageInfo: /Connection$/,
  node: /Edge$/,
};

/**
 * Lets these fields be read without a call: Pothos's resolver of an `id` makes a promise, and a page of a hundred objects
 * would wait for a hundred of them. What an object with a global id is follows from the id, where it has to be known.
 */
export function withPlainFields(schema: GraphQLSchema): GraphQLSchema {
  const node = schema.getType('Node');
  if (!isInterfaceType(node)) throw new Error('The schema has no Node.');
  node.resolveType = ({ id }: { id: string }) => typeOfId(id) ?? undefined;
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    const fields = type.getFields();
    for (const [name, types] of Object.entries(PLAIN)) {
      if (fields[name] && types.test(type.name)) fields[name].resolve = undefined;
    }
  }
  return schema;
}
