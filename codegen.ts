import type { CodegenConfig } from '@graphql-codegen/cli';

/**
 * Typed documents of the examples and of the tests' operations, and their manifest (`persisted-documents.json`): the
 * file that the setting `PERSISTED_DOCUMENTS` takes.
 */
const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  documents: ['pages/examples/*.graphql', 'test/operations/*.graphql'],
  ignoreNoDocuments: true,
  emitLegacyCommonJSImports: false,
  generates: {
    'test/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: { useTypeImports: true, enumsAsTypes: true, scalars: { ID: 'string', SafeInt: 'number' } },
    },
  },
};

export default config;
