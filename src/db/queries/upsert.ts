/**
 * `kept` columns keep what they have where the row brings nothing; `silent` ones do not count as a change on their own,
 * so that a row with nothing else new is not written.
 */
export const upsert = (
  table: string,
  key: string,
  columns: readonly (readonly [name: string, type: string])[],
  { kept = {}, silent = [] }: { kept?: Record<string, string>; silent?: readonly string[] } = {},
) => {
  const names = columns.map(([name]) => name);
  const values = names.filter((name) => !key.split(', ').includes(name));
  const compared = values.filter((name) => !silent.includes(name));
  const brought = (name: string) => kept[name] ?? `excluded.${name}`;
  return `
  insert into ${table} as old (${names.join(', ')})
  select ${names.join(', ')} from jsonb_to_recordset($1::jsonb) as r(${columns.map((column) => column.join(' ')).join(', ')})
  on conflict (${key}) do update set ${values.map((name) => `${name} = ${brought(name)}`).join(', ')}
  where (${compared.map((name) => `old.${name}`).join(', ')})
    is distinct from (${compared.map(brought).join(', ')})
  returning (xmax = 0) as added`;
};

/** Lists of which not every source knows anything. */
export const keptLists = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      `case when excluded.${name} = '[]' then old.${name} else excluded.${name} end`,
    ]),
  );
