import { GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { OPERATION_LIMITS } from './cost/limits.ts';
import { type DocumentManifest, sha256 } from './document-manifest.ts';

const STORE_LIMITS = { max: 2000, maxSize: 8 * 1024 * 1024 };
const SHA256 = /^[0-9a-f]{64}$/;
const DOCUMENT_ID = /^sha256:([0-9a-f]{64})$/;

/** Parameters as a client sent them; of those that GraphQL over HTTP names, only the shape is not checked yet. */
export interface DocumentParams extends GraphQLParams {
  documentId?: unknown;
}

/** Gives the parameters back with their `query` filled in and without `documentId`. Throws GraphQLErrors. */
export type ResolveDocument = (params: DocumentParams) => GraphQLParams;

/**
 * Resolves persisted documents: Apollo's automatic persisted queries (`extensions.persistedQuery`) and
 * `documentId: "sha256:…"` (appendix A of GraphQL over HTTP), from one store for both. A document that comes with its
 * hash is stored for all callers once the hash is verified, so nobody can put another one in its place.
 * With a manifest, its documents are known from the start, and no other one is taken.
 */
export function documentResolver(manifest?: DocumentManifest): ResolveDocument {
  const store = new LRUCache<string, string>({
    ...STORE_LIMITS,
    sizeCalculation: (text, hash) => hash.length + Buffer.byteLength(text),
  });
  return ({ documentId, ...params }) => {
    const hash = hashOf(documentId, params.extensions);
    const { query } = params;
    if (typeof query !== 'string' || query === '') {
      if (hash === undefined) return params;
      const text = (manifest ?? store).get(hash);
      if (text === undefined) throw notFound();
      return { ...params, query: text };
    }
    const actual = hash !== undefined || manifest ? sha256(query) : undefined;
    if (hash !== undefined && hash !== actual) throw mismatch();
    if (manifest) {
      if (!manifest.has(actual as string)) throw notAllowed();
    } else if (hash !== undefined && Buffer.byteLength(query) <= OPERATION_LIMITS.documentBytes) {
      store.set(hash, query);
    }
    return params;
  };
}

function hashOf(documentId: unknown, extensions: unknown): string | undefined {
  const fromId = documentId == null ? undefined : hashOfDocumentId(documentId);
  const fromExtension = hashOfPersistedQuery(extensions);
  if (fromId && fromExtension && fromId !== fromExtension) throw mismatch();
  return fromId ?? fromExtension;
}

function hashOfDocumentId(documentId: unknown): string {
  const hash = typeof documentId === 'string' ? DOCUMENT_ID.exec(documentId)?.[1] : undefined;
  if (hash) return hash;
  throw refusal('BAD_USER_INPUT', 'documentId must be "sha256:" and 64 lower-case hexadecimal digits.');
}

function hashOfPersistedQuery(extensions: unknown): string | undefined {
  const { persistedQuery } = (extensions ?? {}) as {
    persistedQuery?: { version?: unknown; sha256Hash?: unknown };
  };
  if (persistedQuery == null) return undefined;
  const { version, sha256Hash } = persistedQuery;
  if (version === 1 && typeof sha256Hash === 'string' && SHA256.test(sha256Hash)) return sha256Hash;
  throw refusal(
    'BAD_USER_INPUT',
    'extensions.persistedQuery must have version 1 and a sha256Hash of 64 lower-case hexadecimal digits.',
  );
}

/** Clients look for exactly this message or code, and send the document with its hash then. */
function notFound(): GraphQLError {
  return refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
}

function mismatch(): GraphQLError {
  return refusal(
    'PERSISTED_QUERY_HASH_MISMATCH',
    'The SHA-256 hash that was sent is not that of the document.',
  );
}

function notAllowed(): GraphQLError {
  const extensions = { code: 'Forbidden', http: { status: 403 } };
  return new GraphQLError('This server takes only the documents of its manifest.', { extensions });
}

/** `spec`: 400 for application/graphql-response+json, 200 for application/json, as for other request errors. */
function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: 400, spec: true } } });
}
