import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type OpenDatabase, pgliteDatabase, postgresDatabase } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { freshPglite } from '../support/pglite-template.ts';

async function emptyPostgres(): Promise<{ nodes: OpenDatabase[] }> {
  const server = inject('postgresUrl')!;
  const admin = postgresDatabase(server);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`create database ${name}`);
  await admin.close();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { nodes: Array.from({ length: 4 }, () => postgresDatabase(url.href)) };
}

async function emptyPglite(): Promise<{ nodes: OpenDatabase[] }> {
  return { nodes: [pgliteDatabase(await freshPglite())] };
}

for (const kind of ['pglite', 'postgres'] as const) {
  describe.skipIf(kind === 'postgres' && !inject('postgresUrl'))(`migrations (${kind})`, () => {
    let nodes: OpenDatabase[];
    beforeAll(async () => {
      ({ nodes } = await (kind === 'pglite' ? emptyPglite() : emptyPostgres()));
    });
    afterAll(() => Promise.all(nodes.map((node) => node.close())));

    it('run once when several nodes start at the same time', async () => {
      const results = await Promise.all(nodes.map((node) => migrate(node)));
      const applied = results.map((result) => result.applied).sort((a, b) => b - a);
      expect(applied[0]).toBeGreaterThanOrEqual(3);
      expect(applied.slice(1).every((count) => count === 0)).toBe(true);
      expect(await migrate(nodes[0]!)).toEqual({ applied: 0 });
    });

    it('refuse a database that is newer than the code', async () => {
      await nodes[0]!.query(`insert into migration (created_at, hash) values (99999999999999, 'future')`);
      await expect(migrate(nodes[0]!)).rejects.toThrow(/newer than this version of cardledger/);
      await nodes[0]!.query('delete from migration where created_at = 99999999999999');
      expect(await migrate(nodes[0]!)).toEqual({ applied: 0 });
    });

    it('refuse a database with another history', async () => {
      await nodes[0]!.query(`update migration set hash = 'x' || hash`);
      await expect(migrate(nodes[0]!)).rejects.toThrow(/not the one that this version/);
      await nodes[0]!.query('update migration set hash = substr(hash, 2)');
    });

    it('put the account first in every key of a tenant table', async () => {
      const keys = await nodes[0]!.query<{ table: string; first: string }>(
        `select c.conrelid::regclass::text as table, a.attname as first
         from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
         where c.contype in ('p', 'u') and exists (
           select from pg_attribute t where t.attrelid = c.conrelid and t.attname = 'account_id')
         and c.conrelid::regclass::text <> 'client'`,
      );
      expect(keys.length).toBeGreaterThanOrEqual(5);
      expect(keys.filter(({ first }) => first !== 'account_id')).toEqual([]);
      const links = await nodes[0]!.query<{ name: string; first: string }>(
        `select c.conname as name, a.attname as first from pg_constraint c
         join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
         where c.contype = 'f' and c.confrelid in ('account'::regclass, 'collection'::regclass)`,
      );
      expect(links.length).toBeGreaterThanOrEqual(4);
      expect(links.filter(({ first }) => first !== 'account_id')).toEqual([]);
    });
  });
}
