import { fileURLToPath } from 'node:url';

/** The project's folder, from which shipped files are read. */
const root = new URL('../', import.meta.url);

export function projectPath(relative: string): string {
  return fileURLToPath(new URL(relative, root));
}
