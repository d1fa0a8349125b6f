import { DirectiveLocation, GraphQLDirective, GraphQLInt, GraphQLList, GraphQLNonNull } from 'graphql';

/**
 * The directive that Relay and Apollo's clients know by this name: the field is null only where `errors` says why, so
 * that what it costs to fail is the field and not the object around it.
 */
export const SemanticNonNull = new GraphQLDirective({
  name: 'semanticNonNull',
  description: 'The field is null only where an entry of `errors` has its path.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLInt))),
      defaultValue: [0],
      description: 'The levels of a list that this is said of: 0 is the list itself, 1 its items.',
    },
  },
});

/** Options of a field that is null only by error. */
export const nullOnlyByError = { nullable: true, extensions: { isNullOnlyByError: true } } as const;

export function isNullOnlyByError({ extensions }: { extensions: object }): boolean {
  return 'isNullOnlyByError' in extensions;
}
