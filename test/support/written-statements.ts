import { readdirSync, readFileSync } from 'node:fs';
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

const FUNCTION = /^CREATE (?:OR REPLACE )?FUNCTION (\w+)\(of_account uuid\b.*? AS \$\$(.*?)\$\$/gms;
const STATEMENT =
  /^\s*(?:.*? := ARRAY\(|RETURN ARRAY\(|RETURN QUERY )?(SELECT|PERFORM|INSERT|UPDATE|DELETE)\b(.*)$/s;

/**
 * The statements in the bodies of the functions that are worked for one account, in the newest form of each, as they are sent: the account is
 * their first parameter.
 */
export function statementsOfFunctions(): { name: string; text: string }[] {
  const folder = projectPath('migrations');
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  const bodies = new Map<string, string>();
  for (const file of files.sort())
    for (const [, name, body] of readFileSync(`${folder}/${file}`, 'utf8').matchAll(FUNCTION))
      bodies.set(name!, body!);
  return [...bodies].flatMap(([name, body]) =>
    body
      .replaceAll(/--[^\n]*/g, '')
      .split(/;|\b(?:BEGIN|THEN|ELSE|DECLARE)\s*\n/)
      .flatMap((part) => {
        const [, verb, rest] = STATEMENT.exec(part) ?? [];
        if (verb === undefined) return [];
        const text = `${verb === 'PERFORM' ? 'SELECT' : verb}${rest}`.replaceAll(/\bof_account\b/g, '$1');
        return [{ name, text }];
      }),
  );
}
