import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types of the operations in `holdings.ts`, by the schema of the service. */
export default {
  schema: '../../schema/schema.graphql',
  documents: ['holdings.ts'],
  emitLegacyCommonJSImports: false,
  generates: {
    'gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        scalars: { ID: 'string', SafeInt: 'number', Date: 'string', DateTime: 'string' },
      },
    },
  },
} satisfies CodegenConfig;
