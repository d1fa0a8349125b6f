import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types of the operations in `src/`, by the schema of the service. */
export default {
  schema: '../../schema/schema.graphql',
  documents: ['src/*.tsx'],
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        // Optimistic answers name the types of what they hold.
        nonOptionalTypename: true,
        skipTypeNameForRoot: true,
        scalars: { ID: 'string', SafeInt: 'number', Date: 'string', DateTime: 'string' },
      },
    },
  },
} satisfies CodegenConfig;
