import { TENANT_ROLE } from './account-scope.ts';
import { assertNodesAnswer, NODE_NAME, withinBounds } from './citus-nodes.ts';
import type { Database } from './client.ts';
import { MIGRATION_LOCK, MigrationError } from './migration-turn.ts';

/** What sessions on the nodes of Citus need so that accounts see their rows there: settings of the database, and a role that may log in. */

/**
 * Of the database on every node, so that a transaction's account, role and deadlines hold on the workers as well, and these plan as
 * each session of ours does: compiling a statement there takes half a second. Not of each transaction: elsewhere nothing is to be set.
 */
const SETTINGS = { jit: 'off', random_page_cost: '1.1', 'citus.propagate_set_commands': 'local' };
const AS_STORED = Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`);
/** Whether the database has these, on the node that is asked. */
const hasStored = (settings: string) => `
  select count(*) > 0 as "isSet" from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
  where d.datname = current_database() and s.setrole = 0 and s.setconfig @> '{${settings}}'`;
/** A node that does not answer says nothing of it: it is told of elsewhere. */
const HAVE_SETTINGS = `
  select coalesce(bool_and(not success or result = 't'), true) as "isSet" from run_command_on_all_nodes($command$
    ${hasStored(AS_STORED.join())} $command$)`;
const alter = ([name, value]: [string, string]) =>
  `execute format('alter database %I set ${name} = %L', current_database(), '${value}');`;
/** On each node by itself, so that each says what it lacks. */
const PUT_SETTINGS = `
  select ${NODE_NAME} as node, r.success as "isDone", r.result
  from run_command_on_all_nodes($command$ do $$ begin
    set local citus.enable_ddl_propagation = off; ${Object.entries(SETTINGS).map(alter).join(' ')} end $$ $command$) r
    left join pg_dist_node n using (nodeid)
  order by r.nodeid`;
/** Whether sessions here have begun with what lets a transaction's settings through. */
const LETS_THROUGH = hasStored('citus.propagate_set_commands=local');
/** A session that began without it goes on with it. */
const GO_ON_WITH_SETTING = `select set_config('citus.propagate_set_commands', 'local', false)`;
/**
 * They began without the setting, and accounts would see none of their rows on the workers. Not those of nodes that start and wait
 * for their turn: they have done nothing on a worker, and set it themselves.
 */
const END_OTHER_SESSIONS = `
  select count(pg_terminate_backend(a.pid)) from pg_stat_activity a
  where a.datname = current_database() and a.usename = current_user and a.application_name = 'cardledger'
    and a.pid <> pg_backend_pid()
    and not exists (select 1 from pg_locks l
      where l.pid = a.pid and l.locktype = 'advisory' and l.objid = ${MIGRATION_LOCK} and not l.granted)`;

const MAY_ROLE_LOG_IN = `select rolcanlogin as "canLogIn" from pg_roles where rolname = '${TENANT_ROLE}'`;
const LET_ROLE_LOG_IN = `
  do $$ begin
    alter role ${TENANT_ROLE} login;
  exception when insufficient_privilege then
    raise insufficient_privilege using message =
      'on Citus the role ${TENANT_ROLE} logs in on the workers: let an administrator run "alter role ${TENANT_ROLE} login"';
  end $$`;

/** Whether all nodes have them. */
export async function haveSettings(tx: Database): Promise<boolean> {
  const [settings] = await withinBounds(tx, () => tx.query<{ isSet: boolean }>(HAVE_SETTINGS));
  return settings!.isSet;
}

/** Whether the role may log in on the nodes. */
export async function mayRoleLogIn(tx: Database): Promise<boolean> {
  const [role] = await tx.query<{ canLogIn: boolean }>(MAY_ROLE_LOG_IN);
  return role?.canLogIn ?? false;
}

/** Makes them, and lets the role log in, where that is not so; throws `MigrationError` where it cannot. */
export async function letSettingsThrough(tx: Database): Promise<void> {
  await tx.query(GO_ON_WITH_SETTING);
  if (!(await mayRoleLogIn(tx))) await tx.query(LET_ROLE_LOG_IN);
  // The connections to workers that this session opens here begin without the settings, and end with the transaction.
  await tx.query('set local citus.max_cached_conns_per_worker = 0');
  if (await haveSettings(tx)) return;
  await assertNodesAnswer(tx);
  const [before] = await tx.query<{ isSet: boolean }>(LETS_THROUGH);
  const put = await tx.query<{ node: string; isDone: boolean; result: string }>(PUT_SETTINGS);
  // Also where it is not made on all: the next time they would be taken for sessions that began with it.
  if (!before!.isSet) await tx.query(END_OTHER_SESSIONS);
  const failed = put.filter(({ isDone }) => !isDone);
  if (failed.length > 0)
    throw new MigrationError(
      `The settings of the database cannot be made on ${failed.map(({ node, result }) => `${node} (${result.trim()})`).join(' and ')}: its owner there is to be the user of DATABASE_URL.`,
    );
}
