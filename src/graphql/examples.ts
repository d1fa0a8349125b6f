import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectPath } from '../paths.ts';

const FOLDER = projectPath('pages/examples/');
const OPERATION = '.graphql';

/** Stands in the variables for the id of a collection of the caller's. */
export const COLLECTION_ID = 'COLLECTION_ID';

export interface Example {
  /** The file's, e.g. `1-first-query`. */
  name: string;
  query: string;
  /** JSON text, with COLLECTION_ID where a collection's id belongs; null where the operation has no variables. */
  variables: string | null;
}

/** The example operations of GraphiQL, in the order of their tabs. */
export async function readExamples(): Promise<Example[]> {
  const files = await readdir(FOLDER);
  const read = (file: string) => readFile(join(FOLDER, file), 'utf8');
  const names = files
    .filter((file) => file.endsWith(OPERATION))
    .map((file) => file.slice(0, -OPERATION.length));
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      query: await read(`${name}${OPERATION}`),
      variables: files.includes(`${name}.variables.json`) ? await read(`${name}.variables.json`) : null,
    })),
  );
}
