import postgres from 'postgres';

/** Changes a setting of a server that runs. By a plain client: ours sends what has waited within a transaction, where the statement is refused. */
export async function setOfServer(superuserUrl: string, name: string, value: string): Promise<void> {
  const client = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  try {
    await client.unsafe(`alter system set ${name} = '${value}'`);
    await client.unsafe('select pg_reload_conf()');
  } finally {
    await client.end();
  }
}
