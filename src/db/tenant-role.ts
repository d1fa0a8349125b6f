import { TENANT_ROLE } from './account-scope.ts';
import type { Database } from './client.ts';

/** Roles belong to the whole server, so another database of it may have made this one. */
const MAKE_ROLE = `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${TENANT_ROLE}') then
      create role ${TENANT_ROLE} nologin;
    end if;
  exception
    when duplicate_object or unique_violation then null;
    when insufficient_privilege then raise insufficient_privilege using message = format(
      'the user %I may not create the role ${TENANT_ROLE}: let an administrator run "create role ${TENANT_ROLE} nologin; grant ${TENANT_ROLE} to %I"',
      current_user, current_user);
  end $$`;

const JOIN_ROLE = `
  do $$ begin
    set local role ${TENANT_ROLE};
    reset role;
  exception when insufficient_privilege then
    begin
      execute format('grant ${TENANT_ROLE} to %I', current_user);
    exception when insufficient_privilege then raise insufficient_privilege using message = format(
      'the user %I may not work as the role ${TENANT_ROLE}: let an administrator run "grant ${TENANT_ROLE} to %I"',
      current_user, current_user);
    end;
  end $$`;

/** Makes the role where it is missing, and lets the user of this database work as it. At each start: a restored database may be on another server. */
export async function ensureTenantRole(tx: Database): Promise<void> {
  await tx.query(MAKE_ROLE);
  await tx.query(JOIN_ROLE);
}
