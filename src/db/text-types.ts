import type postgres from 'postgres';

/** How values of the database are read: by the numbers that PostgreSQL has for their types. */

/** What is passed with a statement. */
export type Param = string | number | boolean | null;

export const INT8 = 20;
const JSON_TYPE = 114;
const JSONB = 3802;
export const DATE = 1082;
export const TIMESTAMP = 1114;
export const TIMESTAMPTZ = 1184;

export const asText = (value: string) => value;

/** Parameters are text already, JSON included. Counts and sums of quantities stay far below 2^53. */
export const TEXT_TYPES = {
  date: { to: TIMESTAMPTZ, from: [DATE, TIMESTAMP, TIMESTAMPTZ], serialize: String, parse: asText },
  json: { to: JSON_TYPE, from: [JSON_TYPE, JSONB], serialize: String, parse: JSON.parse },
  bigint: { to: INT8, from: [INT8], serialize: String, parse: Number },
} as unknown as Record<string, postgres.PostgresType>;
