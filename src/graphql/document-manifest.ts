import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Preparation } from './prepare.ts';

/** The only documents that a server takes: the SHA-256 of each (lower-case hexadecimal) and its text. */
export type DocumentManifest = ReadonlyMap<string, string>;

/**
 * Reads a manifest as `codegen.ts` writes it (`persisted-documents.json` of GraphQL Code Generator's client preset): a
 * JSON object of document ids, `sha256:` and the hash, and texts. Throws an Error that names the document where an id
 * is not that of its text, or where it would be refused whatever comes with it.
 */
export function readManifest(
  path: string,
  preparation: Pick<Preparation, 'assertAdmissible'>,
): DocumentManifest {
  const documents = new Map<string, string>();
  for (const [id, text] of Object.entries(readObject(path))) {
    const wrong = mistakeOf(id, text, preparation);
    if (wrong) throw new Error(`${path}: document "${id}" ${wrong}`);
    documents.set(id.slice('sha256:'.length), text as string);
  }
  return documents;
}

function readObject(path: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`The manifest of documents cannot be read: ${path}: ${(error as Error).message}`);
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return { ...content };
  throw new Error(`${path}: a manifest is a JSON object of document ids and their texts.`);
}

function mistakeOf(
  id: string,
  text: unknown,
  { assertAdmissible }: Pick<Preparation, 'assertAdmissible'>,
): string | undefined {
  if (typeof text !== 'string') return 'has no text.';
  if (id !== `sha256:${sha256(text)}`) {
    return 'does not have the SHA-256 of its text as its id; generate with hashAlgorithm "sha256".';
  }
  try {
    assertAdmissible(text);
    return undefined;
  } catch (error) {
    return `is none that can be answered: ${(error as Error).message}`;
  }
}

/** Lower-case hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
