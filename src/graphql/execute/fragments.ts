import { type DocumentNode, type FragmentDefinitionNode, Kind } from 'graphql';

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The fragments of a document, by name. */
export function fragmentsOf(document: DocumentNode): Fragments {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  return fragments;
}
