/** The first of a database transaction: all that it reads is of one moment. */
export const ONE_SNAPSHOT = 'set transaction isolation level repeatable read, read only';
