import { expect, it } from 'vitest';
import { loggedError } from '../../src/server/log.ts';
import { describeOnDatabases } from '../harness.ts';

describeOnDatabases('an error of the database', (database) => {
  it('is logged without the row that it quotes', async () => {
    const insert = `insert into client (id, account_id, name, secret_digest, created_at)
      values ('cli_secret', gen_random_uuid(), $1, null, now())`;
    const error = await database()
      .query(insert, ['Private name'])
      .then(
        () => null,
        (error: Error) => error,
      );
    expect(JSON.stringify({ ...error })).toContain('Private name');
    const logged = JSON.stringify(loggedError(error!));
    expect(logged).not.toContain('Private name');
    expect(logged).toContain('23502');
  });
});
