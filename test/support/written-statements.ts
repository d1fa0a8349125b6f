import { readdirSync } from 'node:fs';
import { projectPath } from '../../src/paths.ts';

/** The files of SQL. */
export const QUERY_FILES = readdirSync(projectPath('src/db/queries'));

/** The statements that stand in such a file as they are sent, each by the name that it has there; several may have one. */
export async function statementsIn(file: string): Promise<{ name: string; text: string }[]> {
  const module = (await import(`../../src/db/queries/${file}`)) as Record<string, unknown>;
  return Object.entries(module).flatMap(([name, value]) => textsIn(value).map((text) => ({ name, text })));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return /^\s*(with|select|insert|update|delete)\b/.test(value) ? [value] : [];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}
