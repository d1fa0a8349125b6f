import type { CodegenConfig } from '@graphql-codegen/cli';

const EXAMPLES = 'pages/examples/*/*.graphql';
const SCALARS = { ID: 'string', SafeInt: 'number', Date: 'string', DateTime: 'string' };
const TYPES = { useTypeImports: true, enumsAsTypes: true, scalars: SCALARS };

/**
 * Typed documents of the examples and of the tests' operations, and their manifest (`persisted-documents.json`): the
 * file that the setting `PERSISTED_DOCUMENTS` takes. The page at `/` (`web/`) has those of the examples alone.
 */
const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  ignoreNoDocuments: true,
  emitLegacyCommonJSImports: false,
  generates: {
    'test/generated/': {
      documents: [EXAMPLES, 'test/operations/*.graphql'],
      preset: 'client',
      presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: TYPES,
    },
    'web/generated/': {
      documents: EXAMPLES,
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: TYPES,
    },
  },
};

export default config;
