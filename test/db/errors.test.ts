import { describe, expect, it } from 'vitest';
import { isLostRace, translated } from '../../src/db/errors.ts';

describe('an error of the database', () => {
  it.each([
    [
      '55P03',
      'Other changes of the same things took too long to wait for, and nothing was changed. Try again shortly.',
    ],
    ['57P01', 'The database cannot be reached at the moment. Try again shortly.'],
    ['ECONNREFUSED', 'The database cannot be reached at the moment. Try again shortly.'],
  ])('%s says what to do', (code, message) => {
    const error = Object.assign(new Error('canceling statement'), { code });
    expect(translated(error)).toMatchObject({ problem: 'Unavailable', message, cause: error });
  });

  it.each([
    'failure on connection marked as essential: 10.0.0.7:5432',
    'terminating connection due to unexpected postmaster exit',
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'could not receive data from server: Connection reset by peer',
    'SSL connection has been closed unexpectedly',
    'SSL SYSCALL error: EOF detected',
    'could not commit transaction for shard 102431 on at least one active node',
    'could not commit transaction on any active node',
  ])('says so too where Citus lost a worker, though its code is that of any error within: %s', (message) => {
    const lost = Object.assign(new Error(message), { code: 'XX000' });
    expect(translated(lost)).toMatchObject({ problem: 'Unavailable', cause: lost });
  });

  it('within the database stays as it is', () => {
    const other = Object.assign(new Error('cache lookup failed'), { code: 'XX000' });
    expect(translated(other)).toBe(other);
  });

  it.each([
    ['structure of query does not match function result type', true],
    ['wrong record type supplied in RETURN NEXT', true],
    ['column "notes" is of type text but expression is of type integer', false],
  ])('of types goes away by itself where a column came meanwhile: %s, %s', (message, isLost) => {
    expect(isLostRace(Object.assign(new Error(message), { code: '42804' }))).toBe(isLost);
  });

  it('that is none of availability stays as it is', () => {
    const error = Object.assign(new Error('duplicate key'), { code: '23505' });
    expect(translated(error)).toBe(error);
  });
});
