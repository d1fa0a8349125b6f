import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { serverUrls } from '../../src/lib/server-urls.ts';

describe('an address of several servers', () => {
  it.each([
    ['postgres://u:p@one/db', ['postgres://u:p@one/db']],
    ['postgres://one,two', ['postgres://one', 'postgres://two']],
    [
      'postgresql://u:p%2C@one:5433,[::1]:5434/db?sslmode=require',
      [
        'postgresql://u:p%2C@one:5433/db?sslmode=require',
        'postgresql://u:p%2C@[::1]:5434/db?sslmode=require',
      ],
    ],
  ])('%s', (url, expected) => {
    expect(serverUrls(url)).toEqual(expected);
  });

  it.each(['', 'one,two', 'postgres://', 'postgres://one,', 'postgres://,one', 'postgres://one,two:port'])(
    'is none: %s',
    (url) => {
      expect(() => serverUrls(url)).toThrow(TypeError);
    },
  );

  const setting = (DATABASE_URL: string) => () => loadConfig({ DATABASE_URL }).databaseUrl;

  it('is a setting, for the server that takes changes', () => {
    for (const url of [
      'postgres://u:p@one,two:5433/db',
      'postgres://one,two/db?target_session_attrs=read-write',
      'postgres://one,two/db?target_session_attrs=primary',
    ]) {
      expect(setting(url)()).toBe(url);
    }
    expect(setting('postgres://one,/db')).toThrow(/DATABASE_URL must be an address such as .*several hosts/);
    expect(setting('mysql://one,two/db')).toThrow(/DATABASE_URL must be an address such as/);
    expect(setting('postgres://one,two/db?target_session_attrs=any')).toThrow(
      /DATABASE_URL must have target_session_attrs=read-write/,
    );
  });

  const replicas = (DATABASE_REPLICA_URLS: string) =>
    loadConfig({ DATABASE_URL: 'postgres://one/db', DATABASE_REPLICA_URLS }).databaseReplicaUrls;

  it('is told apart from addresses of replicas, of one server each', () => {
    expect(replicas('')).toBeNull();
    expect(replicas('postgres://two/db')).toEqual(['postgres://two/db']);
    expect(replicas('postgres://u:p@two/db, postgresql://three:5433/db')).toEqual([
      'postgres://u:p@two/db',
      'postgresql://three:5433/db',
    ]);
    for (const wrong of ['two', 'postgres://two,three/db', 'postgres://two/db,', 'https://two/db']) {
      expect(() => replicas(wrong)).toThrow(
        /DATABASE_REPLICA_URLS must be addresses such as .* with commas between them, each of one server/,
      );
    }
    expect(() => loadConfig({ DATABASE_REPLICA_URLS: 'postgres://two/db' })).toThrow(
      'DATABASE_REPLICA_URLS needs DATABASE_URL, the server that its replicas follow.',
    );
  });
});
