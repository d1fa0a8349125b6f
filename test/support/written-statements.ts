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

/** By name, the bodies of the functions that are worked for one account, in the newest form of each. */
export const FUNCTIONS_OF_ACCOUNT: ReadonlyMap<string, string> = new Map(
  readdirSync(projectPath('migrations'))
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .flatMap((file) => [...readFileSync(projectPath(`migrations/${file}`), 'utf8').matchAll(FUNCTION)])
    .map(([, name, body]) => [name!, body!.replaceAll(/--[^\n]*/g, '')]),
);

const STATEMENT =
  /^\s*(?:.*? := ARRAY\(|RETURN ARRAY\(|RETURN QUERY )?\s*(SELECT|PERFORM|INSERT|UPDATE|DELETE)\b(.*)$/s;

/** The statements in such a body as they are sent: the account is their first parameter. */
export function statementsInBody(body: string): string[] {
  return body.split(/;|\b(?:BEGIN|THEN|ELSE|DECLARE|IN|LOOP)\s*\n/).flatMap((part) => {
    const [, verb, rest] = STATEMENT.exec(part) ?? [];
    if (verb === undefined) return [];
    return [`${verb === 'PERFORM' ? 'SELECT' : verb}${rest}`.replaceAll(/\bof_account\b/g, '$1')];
  });
}
