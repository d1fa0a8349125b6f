import { postgresDatabase } from '../../src/db/postgres-database.ts';

const COPIES = 9;

const columns = (table: string, changed: Record<string, string>) => `
  select string_agg(column_name, ', ' order by ordinal_position) as names,
    string_agg(case column_name ${Object.entries(changed)
      .map(([name, sql]) => `when '${name}' then '${sql.replaceAll("'", "''")}'`)
      .join(' ')} else 't.' || column_name end, ', ' order by ordinal_position) as values
  from information_schema.columns where table_name = '${table}' and is_generated = 'NEVER'`;

const TABLES: readonly (readonly [table: string, changed: Record<string, string>])[] = [
  ['product', { id: "t.id || 'c' || n", vendor_product_id: 'null' }],
  [
    'variant',
    { id: "t.id || 'c' || n", product_id: "t.product_id || 'c' || n", fc_id: "t.fc_id || '-c' || n" },
  ],
  ['price', { variant_id: "t.variant_id || 'c' || n" }],
  ['sale_volumes', { variant_id: "t.variant_id || 'c' || n" }],
];

/** Makes ten catalogues of the one that a database holds, with their prices and sales. */
export async function copyCatalogue(url: string): Promise<void> {
  const db = postgresDatabase(url);
  await db.transaction(async (tx) => {
    await tx.liftTimeouts();
    for (const [table, changed] of TABLES) {
      const [list] = await tx.query<{ names: string; values: string }>(columns(table, changed));
      await tx.query(
        `insert into ${table} (${list!.names}) select ${list!.values} from ${table} t, generate_series(1, ${COPIES}) n`,
      );
    }
    await tx.query('analyze');
  });
  await db.close();
}
