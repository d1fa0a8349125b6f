import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectPath } from '../paths.ts';

const FOLDER = projectPath('pages/examples/');
const OPERATION = '.graphql';

/** Stands in the variables for the id of a collection of the caller's. */
export const COLLECTION_ID = 'COLLECTION_ID';

/** The folders of the examples, in the order of their links. */
const TASKS = {
  start: 'Start',
  dashboard: 'Dashboard',
  collection: 'Collection',
  record: 'Record',
  import: 'Import',
  sealed: 'Sealed',
  alerts: 'Alerts',
} as const;

export interface Task {
  name: keyof typeof TASKS;
  title: string;
  examples: Example[];
}

export interface Example {
  /** The file's, e.g. `1-first-query`. */
  name: string;
  /** The name of its operation, e.g. `FirstQuery`. */
  operation: string;
  query: string;
  /** JSON text, with COLLECTION_ID where a collection's id belongs; null where the operation has no variables. */
  variables: string | null;
}

/** The example operations of GraphiQL, those of a task in the order of their tabs; the page at `/` sends the same. */
export async function readTasks(): Promise<Task[]> {
  const names = Object.keys(TASKS) as Task['name'][];
  return Promise.all(
    names.map(async (name) => ({ name, title: TASKS[name], examples: await readExamples(name) })),
  );
}

async function readExamples(task: Task['name']): Promise<Example[]> {
  const files = (await readdir(join(FOLDER, task))).sort();
  const read = (file: string) => readFile(join(FOLDER, task, file), 'utf8');
  const names = files
    .filter((file) => file.endsWith(OPERATION))
    .map((file) => file.slice(0, -OPERATION.length));
  return Promise.all(
    names.map(async (name) => {
      const query = await read(`${name}${OPERATION}`);
      const variables = `${name}.variables.json`;
      return {
        name,
        operation: /^(?:query|mutation|subscription) (\w+)/m.exec(query)![1]!,
        query,
        variables: files.includes(variables) ? await read(variables) : null,
      };
    }),
  );
}
